/** The path under which the pages stand, without a slash at its end: empty, or "/contest". */

export const base = new URL("../", import.meta.url).pathname.slice(0, -1);
