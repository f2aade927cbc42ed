/** What can go wrong between a bot and its server: one family, each error a sentence. */

/** Anything that this package throws. */
export class ClientError extends Error {
  /** The name of its class. */
  override get name(): string {
    return this.constructor.name;
  }
}

/** The options of `run` and the environment do not say where to connect, or as whom. */
export class BadSettings extends ClientError {}

/** Bytes that are no frame of the protocol, or a message that would be none. */
export class BadFrame extends ClientError {
  constructor(
    /** The protocol's word for it. */
    readonly code: "malformed" | "too_large",
    message: string,
  ) {
    super(message);
  }
}

/** The server sent a message that lacks a key or has another type there: not our protocol. */
export class BadMessage extends ClientError {}

/** The connection could not be made, broke, or was silent for three heartbeats. */
export class ConnectionLost extends ClientError {}

/** The server has said goodbye, and not that it is for good: a bot comes back later. */
export class ServerLeft extends ConnectionLost {}

/** The server was not there, or had no room, for as long as the bot was to try. */
export class GaveUp extends ConnectionLost {}

/** Another process plays as this bot now: one that came back would throw it out in turn. */
export class Replaced extends ClientError {}

/** The server refused something and closed the connection. */
export class ServerError extends ClientError {
  constructor(
    /** The protocol's word for it, such as `unauthorized`. */
    readonly code: string,
    sentence: string,
  ) {
    super(`${code}: ${sentence}`);
  }
}

/**
 * The turn is not asked for any more, or a step that `legalAfter` asked about is illegal.
 * A bot that lets it pass sends no move for this turn.
 */
export class TurnLost extends ClientError {}

/** The bot gave something that is not a list of steps. */
export class BadTurn extends ClientError {}

/** The bot looks at something that it did not ask the server for. */
export class NotWanted extends ClientError {}

/** The program was told to end, by Ctrl-C or SIGTERM. */
export class Interrupted extends ClientError {}

/** What a program ends with: 75 if it gave up trying, 76 if it was replaced, else 1. */
export function exitCode(error: unknown): number {
  if (error instanceof GaveUp) return 75;
  return error instanceof Replaced ? 76 : 1;
}

const REMEDY = "is the port right, and does it ask for TLS (POLYNYA_TLS=1)?";

/** The same where no welcome came before it: hardly a Polynya server, or one with TLS. */
export function notWelcome(error: unknown): unknown {
  if (error instanceof ConnectionLost)
    return new ConnectionLost(`${error.message}, before any welcome; ${REMEDY}`);
  if (error instanceof BadFrame)
    return new BadFrame(
      error.code,
      `what answers there is no Polynya server; ${REMEDY} ${error.message}`,
    );
  return error;
}

const NOT_PRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A peer's text for a terminal: what is not printable becomes `\u{1b}`-like notation. */
export function printable(text: string, limit = 500): string {
  return text
    .slice(0, limit)
    .replace(NOT_PRINTABLE, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Where a bot's author is told of things, as `console` does. */
export interface Logger {
  /** Takes one line. */
  warn(sentence: string): void;
}

/** One line for the bot's author, on standard error. */
export const toStandardError: Logger = {
  warn(sentence: string): void {
    console.warn(`polynya: ${sentence}`);
  },
};
