/**
 * Packeis am Pol in a thread of its own: the search computes without a pause, and meanwhile the
 * connection answers pings. A search that is not wanted any more ends with its thread.
 */

import { once } from "node:events";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

import { type PackeisState, run, type Step, type Turn } from "polynya-client";

import { best } from "./packeis.js";

interface Question {
  readonly state: PackeisState;
  readonly seat: number;
}

async function think(turn: Turn<PackeisState>): Promise<Step[]> {
  const question: Question = { state: turn.state, seat: turn.seat };
  const worker = new Worker(new URL(import.meta.url), { workerData: question });
  try {
    const [step] = (await once(worker, "message", { signal: turn.signal })) as [Step];
    return [step];
  } finally {
    await worker.terminate();
  }
}

if (isMainThread) {
  await run(think, { name: "worker", games: "packeis", wants: ["state"] });
} else {
  const { state, seat } = workerData as Question;
  parentPort?.postMessage(best(state, seat).step);
}
