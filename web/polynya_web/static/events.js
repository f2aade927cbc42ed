/** Events of the server for a page: by a stream, or by asking again and again where streams are short. */

const MOST_STREAMS = 4; // a browser has six connections to a server, and every page needs some
const TOLD_MS = 150; // until the other pages have said that they have a stream
const ASK_MS = 2_000;
const AGAIN_MS = 5_000;
const CHANNEL = "polynya-streams";

/** Say to the other pages, whenever one asks, that this one has a stream; gives a way to end that. */
function claim() {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }) => {
    if (data === "who") channel.postMessage("here");
  });
  return () => channel.close();
}

/**
 * Whether one more stream leaves connections for the other pages of this browser. A frame in another
 * site's page does not see those, and asks for none.
 */
async function hasRoom() {
  if (self !== top) return false;
  let others = 0;
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }) => {
    others += data === "here" ? 1 : 0;
  });
  channel.postMessage("who");
  await new Promise((done) => setTimeout(done, TOLD_MS));
  channel.close();
  return others < MOST_STREAMS;
}

/** The events in a text: {name, data, id}. */
function parsed(text) {
  return text.split("\n\n").map((block) => {
    const fields = block.split("\n").map((line) => /^(event|data|id): (.*)$/.exec(line)).filter(Boolean);
    return Object.fromEntries(fields.map(([, field, value]) => [field, value]));
  }).filter(({ event }) => event !== undefined);
}

/**
 * Follows the events of an address as long as the page is seen: while it is hidden or away there is no
 * connection, and afterwards come the events that were missed, or a new beginning.
 *
 * @param {string} address
 * @param {Object<string, function(Object): void>} handlers by the name of the event, for its data.
 * @param {{onLost: (function(): void|undefined), onGone: (function(): void|undefined),
 *   anew: (boolean|undefined)}} how
 *   onLost: there is no connection, it is tried again. onGone: the server does not have these events.
 *   anew: the events have no order that goes on, so each connection is a stream from the beginning.
 * @returns {function(): void} ends it for good.
 */
export function followEvents(address, handlers, { onLost = () => {}, onGone = () => {}, anew = false } = {}) {
  let last = null; // the id of the last event
  let attempt = 0; // the number of the connection in use
  let leave = () => {};
  let ended = false;

  function take(name, data, id) {
    if (!anew) last = id || last;
    handlers[name]?.(JSON.parse(data));
  }

  function end() {
    ended = true;
    close();
  }

  function gone() {
    end();
    onGone();
  }

  function close() {
    attempt += 1;
    leave();
    leave = () => {};
  }

  function addressAfter(more) {
    const query = new URLSearchParams({ ...more, ...(last === null ? {} : { after: last }) });
    return `${address}${query.size ? `?${query}` : ""}`;
  }

  async function open() {
    close();
    if (ended || document.hidden) return;
    const mine = attempt;
    const streams = anew || (await hasRoom());
    if (mine !== attempt) return; // hidden or ended meanwhile
    if (streams) stream();
    else ask(mine);
  }

  function stream() {
    const source = new EventSource(addressAfter({}));
    const release = claim();
    leave = () => {
      source.close();
      release();
    };
    for (const name of Object.keys(handlers)) {
      source.addEventListener(name, (event) => take(name, event.data, event.lastEventId));
    }
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) gone();
      else onLost();
    });
  }

  async function ask(mine) {
    const answer = await fetch(addressAfter({ once: "true" })).catch(() => null);
    const text = answer?.ok ? await answer.text().catch(() => null) : null;
    if (mine !== attempt) return;
    if (answer?.status === 404) {
      gone();
      return;
    }
    if (text === null) onLost();
    else for (const { event, data, id } of parsed(text)) take(event, data, id);
    if (mine !== attempt) return; // a handler has ended it
    const timer = setTimeout(ask, text === null ? AGAIN_MS : ASK_MS, mine);
    leave = () => clearTimeout(timer);
  }

  addEventListener("pagehide", close); // browsers keep no page with a connection
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) open();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else open();
  });
  open();
  return end;
}
