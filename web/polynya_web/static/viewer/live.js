/** Follows a match in play: what the server sends, event by event. */

import { followEvents } from "../events.js";

/**
 * @param {string} address of the match's events.
 * @param {{onReplay: function(Object): void, onTurn: function(Object): void,
 *   onForfeit: function(Object): void, onOver: function(Object): void,
 *   onConnection: function(boolean): void, onGone: function(): void}} handlers
 *   onConnection is told whether there is one; a lost one is tried again. onGone: it is not, since
 *   the server does not show this match live.
 */
export function followMatch(address, handlers) {
  const end = followEvents(address, (source) => {
    const on = (name, handler) =>
      source.addEventListener(name, (event) => handler(JSON.parse(event.data)));
    on("replay", (replay) => {
      handlers.onConnection(true);
      handlers.onReplay(replay);
    });
    on("turn", handlers.onTurn);
    on("forfeit", handlers.onForfeit);
    on("over", (over) => {
      end(); // it would connect again, for ever
      handlers.onOver(over);
    });
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) handlers.onGone();
      else handlers.onConnection(false);
    });
  });
}
