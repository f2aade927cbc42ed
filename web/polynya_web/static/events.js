/** Server-sent events of a page that browsers may keep when the reader leaves it, and show again. */

/**
 * Follows the events of an address. The connection is closed while the page is away, since a page with
 * one is not kept, and opened when it is back: the events begin with all that there is.
 *
 * @param {string} address
 * @param {function(EventSource): void} listen adds the listeners to a connection.
 * @returns {function(): void} ends it for good.
 */
export function followEvents(address, listen) {
  let source = null;
  let ended = false;

  function open() {
    source = new EventSource(address);
    listen(source);
  }

  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted && !ended) open();
  });
  open();
  return () => {
    ended = true;
    source.close();
  };
}
