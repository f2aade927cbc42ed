/** A bot for Packeis am Pol that takes the most it can get, without a thought for the next turn. */

import { type PackeisState, run, type Step, type Turn } from "polynya-client";

import { best } from "./packeis.js";

function choose(turn: Turn<PackeisState>): Step[] {
  const { value, step } = best(turn.state, turn.seat);
  turn.info = { score: value };
  return [step];
}

await run(choose, { name: "greedy", games: ["packeis"], wants: ["state"] });
