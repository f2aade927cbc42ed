/** What the server refuses, if nobody catches it, is told in a sentence instead of a stack trace. */

import {
  BadFrame,
  BadMessage,
  BadSettings,
  ConnectionLost,
  exitCode,
  printable,
  Replaced,
  ServerError,
  toStandardError,
} from "./errors.js";

const TOLD = [BadFrame, BadMessage, BadSettings, ConnectionLost, Replaced, ServerError];

/**
 * Lets this error, if it is no bug, end the program with a sentence and its exit code when nobody
 * catches it; a listener that somebody else has set stays alone.
 */
export function tellIfUncaught(error: unknown): void {
  if (!isTold(error) || process.listenerCount("uncaughtException") > 0) return;
  process.once("uncaughtException", (uncaught: Error) => {
    if (isTold(uncaught)) toStandardError.warn(printable(uncaught.message));
    else console.error(uncaught);
    process.exit(exitCode(uncaught));
  });
}

function isTold(error: unknown): boolean {
  return TOLD.some((kind) => error instanceof kind);
}
