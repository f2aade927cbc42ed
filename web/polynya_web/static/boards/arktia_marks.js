/** What a position of Arktia shows without saying it: groups, what could melt, what was taken. */

/** For each tile the numbers of its neighbours; places are [row, x in half tiles]. */
export function neighbours(places) {
  const cells = new Map(places.map(([row, x], cell) => [`${row},${x}`, cell]));
  const around = [
    [0, 2],
    [0, -2],
    [-1, 1],
    [-1, -1],
    [1, 1],
    [1, -1],
  ];
  return places.map(([row, x]) =>
    around
      .map(([down, east]) => cells.get(`${row + down},${x + east}`))
      .filter((cell) => cell !== undefined),
  );
}

function reached(start, next, allowed) {
  const found = new Set([start]);
  for (const cell of found) {
    for (const other of next[cell]) if (allowed(other)) found.add(other);
  }
  return found;
}

/** The group of a colour around a tile, ascending. */
export function territory(state, places, colour, cell) {
  const holds = (one) => state.stacks[one].some(([owner]) => owner === colour);
  return [...reached(cell, neighbours(places), holds)].sort((a, b) => a - b);
}

/**
 * The tiles that may be melted (rules, "Melting"), once somebody has to: free, with fewer than six
 * neighbours left, and such that the ice stays in one piece without them.
 */
export function meltable(state, places) {
  const melting = state.reserve.some(
    (counts, seat) => !state.out[seat] && counts.every((count) => count === 0),
  );
  if (state.phase !== "main" || !melting) return new Set();
  const next = neighbours(places);
  const ice = state.ice.flatMap((there, cell) => (there ? [cell] : []));
  const loose = ice.filter((cell) => {
    const around = next[cell].filter((other) => state.ice[other]);
    if (state.stacks[cell].length > 0 || around.length === 6) return false;
    if (around.length === 0) return ice.length > 1;
    const rest = reached(around[0], next, (other) => state.ice[other] === 1 && other !== cell);
    return rest.size === ice.length - 1;
  });
  return new Set(loose);
}

/**
 * The muglus that a step removed.
 *
 * @returns {Array<{cell: number, muglus: Array}>} per tile the [colour, kind] that are gone.
 */
export function missing(before, after, [verb, first, second, third]) {
  const stacks = before.stacks.map((stack) => [...stack]);
  if (verb === "move")
    stacks[third].push(...stacks[first].splice(stacks[first].length - second, second));
  return stacks.flatMap((stack, cell) => {
    const left = after.stacks[cell].map(String);
    const muglus = stack.filter((muglu) => {
      const index = left.indexOf(String(muglu));
      if (index >= 0) left.splice(index, 1);
      return index < 0;
    });
    return muglus.length > 0 ? [{ cell, muglus }] : [];
  });
}
