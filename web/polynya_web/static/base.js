/**
 * The path under which the pages stand, without a slash at its end: empty, or "/contest"; and the one
 * of these scripts.
 */

export const { base, assets } = document.documentElement.dataset;
