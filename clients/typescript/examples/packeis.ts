/** The part of Packeis am Pol's rules that a bot needs, and what a step is worth at once. */

import type { PackeisRow, PackeisState, Step } from "polynya-client";

/** A position, as the server describes it. */
export type Packeis = Pick<PackeisState, "phase" | "fish" | "penguins" | "rows">;

/** A segment (its length and indent, in half floes), or several with gaps between them. */
type Row = PackeisRow | readonly PackeisRow[];

const USUAL_ROWS = Array.from({ length: 8 }, (_, row): Row => (row % 2 === 0 ? [7, 1] : [8, 0]));
const DIRECTIONS = [[0, 2], [0, -2], [-1, -1], [-1, 1], [1, -1], [1, 1]] as const; // prettier-ignore

/** For each cell the cells in each direction, near ones first. */
export type Rays = number[][][];

function segments(row: Row): readonly PackeisRow[] {
  return typeof row[0] === "number" ? [row as PackeisRow] : (row as readonly PackeisRow[]);
}

/** The rays of a board. */
export function raysOf(rows: readonly Row[] = USUAL_ROWS): Rays {
  const places = rows.flatMap((given, row) =>
    segments(given).flatMap(([length, indent]) =>
      Array.from({ length }, (_, column) => [row, indent + 2 * column] as const),
    ),
  );
  const cells = new Map(places.map(([row, place], cell) => [`${row},${place}`, cell]));
  return places.map(([row, place]) =>
    DIRECTIONS.map(([down, right]) => {
      const ray = [];
      for (let far = 1; ; far++) {
        const cell = cells.get(`${row + far * down},${place + far * right}`);
        if (cell === undefined) return ray;
        ray.push(cell);
      }
    }),
  );
}

/** The cells with a floe and no penguin. */
export function free({ fish, penguins }: Packeis): Set<number> {
  const taken = new Set(penguins.flat());
  return new Set([...fish.keys()].filter((cell) => fish[cell]! > 0 && !taken.has(cell)));
}

/** The cells that a penguin on `origin` can slide to. */
export function slides(origin: number, free: ReadonlySet<number>, rays: Rays): number[] {
  return rays[origin]!.flatMap((ray) => {
    const stop = ray.findIndex((cell) => !free.has(cell));
    return stop < 0 ? ray : ray.slice(0, stop);
  });
}

/** Every step with what it is worth: leave the floe with the most fish, for one with many fish. */
export function worth(state: Packeis, seat: number): { value: number; step: Step }[] {
  const open = free(state);
  const rays = raysOf(state.rows);
  const fish = (cell: number) => state.fish[cell]!;
  if (state.phase === "placement") {
    return [...open]
      .filter((cell) => fish(cell) === 1)
      .map((cell) => ({
        value: Math.max(0, ...slides(cell, open, rays).map(fish)),
        step: ["place", cell],
      }));
  }
  return state.penguins[seat]!.flatMap((from) =>
    slides(from, open, rays).map((to) => ({
      value: fish(from) + fish(to) / 4,
      step: ["move", from, to] as Step,
    })),
  );
}

/** One of the steps that are worth most now, and what that is. */
export function best(state: Packeis, seat: number): { value: number; step: Step } {
  const steps = worth(state, seat);
  const most = Math.max(...steps.map(({ value }) => value));
  const equals = steps.filter(({ value }) => value === most);
  return equals[Math.floor(Math.random() * equals.length)]!;
}
