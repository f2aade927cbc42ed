/** A log of what was sent and received: one JSON object a line, the token left out. */

import { appendFileSync, writeSync } from "node:fs";

import type { Message } from "./message.js";

const STANDARD_ERROR = 2;

/** Writes every message as it passes to a file (which several bots may append to). */
export class FrameLog {
  /** @param target the file, or `-` for standard error */
  constructor(
    private readonly target: string,
    private readonly bot: string | null,
  ) {}

  /** One line: wall-clock time in seconds, the bot, the direction, the message. */
  write(direction: "sent" | "received", message: Message): void {
    const secret = message["token"] !== undefined;
    const shown = secret ? { ...message, token: "(left out)" } : message;
    const entry = { time: Date.now() / 1000, bot: this.bot, direction, message: shown };
    const line = `${JSON.stringify(entry, largeIntegers)}\n`;
    if (this.target === "-") writeSync(STANDARD_ERROR, line);
    else appendFileSync(this.target, line);
  }
}

/** JSON has no bigint: large integers are written as the nearest number. */
function largeIntegers(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
