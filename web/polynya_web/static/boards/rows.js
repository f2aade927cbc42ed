/** Boards of hexagonal tiles as rows: where each tile lies. */

/** Row and x (in half tiles) of each tile; a row is [length, indent] or a list of such segments. */
export function placesOf(rows) {
  return rows.flatMap((given, row) => {
    const segments = Array.isArray(given[0]) ? given : [given];
    return segments.flatMap(([length, indent]) =>
      [...Array(length).keys()].map((position) => [row, indent + 2 * position]),
    );
  });
}

/**
 * The middle of each tile in pixels, and the size of the drawing.
 *
 * @param {Array} rows as in a state.
 * @param {{half: number, radius: number, margin: number, above: number, below: number}} size
 *   half the width of a tile, its radius, and the room around the board.
 */
export function geometry(rows, { half, radius, margin, above, below }) {
  const places = placesOf(rows);
  const west = Math.min(...places.map(([, x]) => x));
  const east = Math.max(...places.map(([, x]) => x));
  return {
    places,
    centres: places.map(([row, x]) => [
      margin + half * (1 + x - west),
      margin + radius + above + row * 1.5 * radius,
    ]),
    width: 2 * margin + half * (east - west + 2),
    height: 2 * margin + above + below + radius * (2 + 1.5 * (rows.length - 1)),
  };
}
