/** A bot for Packeis am Pol that takes the most it can get, without a thought for the next turn. */

import { run, type Step, type Turn } from "polynya-client";

import { type Packeis, worth } from "./packeis.js";

/** One of the steps that are worth most now. */
function choose(turn: Turn): Step[] {
  const steps = worth(turn.state as unknown as Packeis, turn.seat);
  const best = Math.max(...steps.map(({ value }) => value));
  const equals = steps.filter(({ value }) => value === best);
  turn.info = { score: best };
  return [equals[Math.floor(Math.random() * equals.length)]!.step];
}

await run(choose, { name: "greedy", games: ["packeis"], wants: ["state"] });
