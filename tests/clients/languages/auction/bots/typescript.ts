/** Bids what the lot is worth, minus one: it buys often, and earns little. */

import { run, type Step, type Turn } from "./sdk/src/index.js";

interface View {
  worth: (number | null)[];
}

function choose(turn: Turn<View>): Step[] {
  return [["bid", Math.max(1, (turn.state.worth[turn.seat] ?? 1) - 1)]];
}

await run(choose, { name: "nearly", games: ["auction"], wants: ["state"] });
