/** What the table's page says to the server: each function one request. */

import { base } from "../base.js";

const JSON_TYPE = "application/json";
const AGAIN_MS = 5_000;
const PATIENCE_MS = 45_000; // longer than the server takes for any answer

/** A request that was refused; the message is the server's sentence. */
export class Refusal extends Error {}

async function post(path, body, otherwise) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "content-type": JSON_TYPE },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => null);
  if (answer?.ok) return answer.status === 204 ? null : answer.json();
  const told = answer?.headers.get("content-type")?.startsWith(JSON_TYPE) ? await answer.json() : {};
  throw new Refusal(told.error ?? otherwise);
}

/**
 * @param {string} match the match's id.
 * @param {string} otherwise what is said where the server says nothing.
 */
export function createSeat(match, otherwise) {
  const path = `${base}/play/${encodeURIComponent(match)}`;

  /** Whether the server still knows of this seat: who has none is sent elsewhere from its page. */
  async function isOurs() {
    const how = { redirect: "manual", signal: AbortSignal.timeout(PATIENCE_MS) };
    const answer = await fetch(path, how).catch(() => null);
    return answer?.type !== "opaqueredirect";
  }

  return {
    /** What may follow these steps: {legal, turn_over, position}. */
    compose: (turn, steps) => post(`${path}/compose`, { turn, steps }, otherwise),
    move: (turn, steps) => post(`${path}/move`, { turn, steps }, otherwise),
    resign: () => post(`${path}/resign`, {}, otherwise),

    /**
     * Follows the table; `onTable` gets each state of it, `onLost` is told when nothing comes. A
     * page whose seat is gone, as after a new start of the server, is loaded again and says so.
     */
    follow(onTable, onLost) {
      const events = new EventSource(`${path}/events`);
      events.addEventListener("table", (event) => {
        const table = JSON.parse(event.data);
        if (table.phase === "over" || table.phase === "failed") events.close();
        onTable(table);
      });
      events.addEventListener("error", async () => {
        onLost();
        if (events.readyState !== EventSource.CLOSED) return; // the browser itself tries again
        if (!(await isOurs())) return location.reload();
        setTimeout(() => this.follow(onTable, onLost), AGAIN_MS);
      });
    },
  };
}
