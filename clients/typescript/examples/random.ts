/** A bot that knows no rules: it asks the server what is legal and picks any of it. */

import { parseArgs } from "node:util";

import { run, type Step, type Turn } from "polynya-client";

const any = <T>(values: T[]): T => values[Math.floor(Math.random() * values.length)]!;

/** One random legal step after the other until the turn is over. */
async function choose(turn: Turn): Promise<Step[]> {
  turn.info = { choices: turn.legal.length };
  const steps = [any(turn.legal)];
  for (;;) {
    const legal = await turn.legalAfter(steps);
    if (legal.turnOver) return steps;
    steps.push(any(legal.steps));
  }
}

// How many matches it plays at the same time.
const { values } = parseArgs({ options: { concurrency: { type: "string", default: "1" } } });

await run(choose, { name: "random", wants: ["legal"], concurrency: Number(values.concurrency) });
