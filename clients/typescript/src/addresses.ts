/**
 * Where a contest's servers are: a list of addresses, which are tried in turn.
 *
 * `HOST,HOST:PORT,[IPV6]:PORT`: a host without a port has the one that was given beside the list.
 */

import { BadSettings, ServerError, ServerLeft } from "./errors.js";

/** One server's. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

const PATIENCE_MS = 10_000;
/** A server that stands still accepts connections and says nothing: another one may play meanwhile. */
const PATIENCE_AMONG_SEVERAL_MS = 3_000;
const WITH_PORT = /^(?:\[([^\s[\]]+)\]|([^\s:[\]]+)):([0-9]{1,5})$/;
const BRACKETED = /^\[([^\s[\]]+)\]$/;
const WITHOUT_PORT = /^(?:[^\s:[\]]+|[^\s[\]]*:[^\s[\]]*:[^\s[\]]*)$/;

/**
 * The addresses in a list.
 *
 * @param port of those that name none; null if there is none
 * @throws BadSettings if one of them is no address, or has no port
 */
export function readAddresses(text: string, port: number | null): Address[] {
  return text.split(",").map((item) => readAddress(item.trim(), port));
}

function readAddress(item: string, otherwise: number | null): Address {
  const found = WITH_PORT.exec(item);
  const host = found
    ? (found[1] ?? found[2])
    : (BRACKETED.exec(item)?.[1] ?? WITHOUT_PORT.exec(item)?.[0]);
  const port = found ? Number(found[3]) : otherwise;
  if (host === undefined || (port !== null && (port < 1 || port > 65535))) {
    throw new BadSettings(
      "a server is HOST, HOST:PORT or [IPV6]:PORT with a port from 1 to 65535, and several are " +
        `separated by commas, not "${item}"`,
    );
  }
  if (port === null) {
    throw new BadSettings("no port: set POLYNYA_PORT, or call run(bot, { port })");
  }
  return { host, port };
}

/**
 * The addresses, and which of them is tried next.
 *
 * A server that is not there, has no room or says goodbye is followed by the next one; a connection
 * that is lost in a session is made again with the same server first.
 */
export class Servers {
  /** How long a server may take to connect, and then to welcome the bot, in ms. */
  readonly patience: number;
  #addresses: Address[];
  #isWelcome = false;

  constructor(addresses: readonly Address[]) {
    this.#addresses = [...addresses];
    const isOne = new Set(addresses.map(({ host, port }) => `${port} ${host}`)).size === 1;
    this.patience = isOne ? PATIENCE_MS : PATIENCE_AMONG_SEVERAL_MS;
  }

  /** Each address once, the next one first; another is asked for when one does not answer. */
  *attempts(): Generator<Address> {
    for (const address of [...this.#addresses]) {
      yield address;
      this.#moveOn();
    }
  }

  /** The present server has begun a session. */
  welcome(): void {
    this.#isWelcome = true;
  }

  /** The present server has ended it, or not begun it. */
  after(trouble: Error): void {
    const isWord = trouble instanceof ServerError || trouble instanceof ServerLeft;
    if (!this.#isWelcome || isWord) this.#moveOn();
    this.#isWelcome = false;
  }

  #moveOn(): void {
    this.#addresses = [...this.#addresses.slice(1), ...this.#addresses.slice(0, 1)];
  }
}
