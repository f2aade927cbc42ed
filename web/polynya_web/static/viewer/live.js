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
  const told = (handler) => (data) => {
    handlers.onConnection(true);
    handler(data);
  };
  const end = followEvents(
    address,
    {
      replay: told(handlers.onReplay),
      turn: told(handlers.onTurn),
      forfeit: told(handlers.onForfeit),
      over: (over) => {
        end(); // it would connect again, for ever
        handlers.onOver(over);
      },
    },
    { onLost: () => handlers.onConnection(false), onGone: handlers.onGone },
  );
}
