/**
 * Where to connect, as whom, wanting what: the program's words, overridden by the environment.
 *
 * The environment wins, so that tournaments can start any bot unchanged.
 */

import { readFileSync } from "node:fs";

import { type Address, readAddresses } from "./addresses.js";
import { SERVER_MAX_FRAME } from "./codec.js";
import type { Message } from "./message.js";
import { BadSettings, type Logger, toStandardError } from "./errors.js";
import { readToken, tokenPath } from "./tokens.js";

const PROTOCOL_VERSION = 1;

/** What a program tells `run`; all of it optional. */
export interface Options {
  /** 1 to 32 of `A-Za-z0-9_.-`; may be left out with a token. */
  name?: string;
  /** The games it plays, in a list or separated by commas; any if left out. */
  games?: string | string[];
  /** What the server adds to each turn, both by default; `moved` brings that for our own turns. */
  wants?: ("state" | "legal" | "moved")[];
  /** How many matches it plays at the same time; 1 by default. */
  concurrency?: number;
  /**
   * The server's host; 127.0.0.1 by default. Several servers of one contest are tried in turn:
   * `HOST,HOST:PORT,[IPV6]:PORT`.
   */
  host?: string;
  /** The server's port, where `host` names none. */
  port?: number;
  /** What proves that the name is ours. */
  token?: string;
  /** Name and version of the bot, for the records; each version has a rating of its own. */
  software?: { name?: string; version?: string };
  /** Encrypt, and verify the server's certificate, by these authorities if any are given. */
  tls?: boolean | { caFile: string };
  /** Ends the bot with a goodbye when it is aborted; without it Ctrl-C and SIGTERM do. */
  signal?: AbortSignal;
  /** Where warnings go; standard error by default. */
  logger?: Logger;
  /** A file for all messages sent and received as JSON lines, `-` for standard error. */
  log?: string;
  /**
   * How long to try when the server is not there, has no room, or has said goodbye without meaning it
   * for good; 60 by default, `Infinity` for ever.
   */
  reconnectSeconds?: number;
}

/** Everything that is settled before a connection is made. */
export interface Settings {
  readonly servers: readonly Address[];
  readonly name: string | null;
  readonly token: string | null;
  readonly tokenFile: string;
  /** Whether the token is of an earlier start. */
  readonly tokenIsKept: boolean;
  readonly tls: { readonly ca?: Uint8Array } | null;
  readonly log: string | null;
  readonly reconnectMs: number;
  readonly options: Options;
  readonly logger: Logger;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings in force.
 *
 * @throws BadSettings if no port is given anywhere, it is no port, or a file cannot be read
 */
export function readSettings(options: Options, environment: Environment = process.env): Settings {
  const host = environment["POLYNYA_HOST"] || options.host || "127.0.0.1";
  const port = readPort(environment["POLYNYA_PORT"] || options.port);
  const name = environment["POLYNYA_NAME"] || options.name || null;
  const servers = readAddresses(host, port);
  const tokenFile = tokenPath(servers[0] as Address, name ?? "", environment);
  const named = Boolean(environment["POLYNYA_TOKEN_FILE"]);
  const given = environment["POLYNYA_TOKEN"] || (named && readToken(tokenFile)) || options.token;
  const kept = given || named ? null : readToken(tokenFile);
  return {
    servers,
    name,
    token: given || kept,
    tokenFile,
    tokenIsKept: kept !== null,
    tls: readTls(environment, options.tls ?? false),
    log: environment["POLYNYA_LOG"] || options.log || null,
    reconnectMs: readSeconds(environment["POLYNYA_RECONNECT"] || options.reconnectSeconds) * 1000,
    options: { ...options, ...readWords(environment) },
    logger: options.logger ?? toStandardError,
  };
}

/** What the environment says of games and concurrency. */
function readWords(environment: Environment): Options {
  const concurrency = environment["POLYNYA_CONCURRENCY"] || null;
  if (concurrency !== null && !/^[1-9][0-9]*$/.test(concurrency)) {
    throw new BadSettings(
      `POLYNYA_CONCURRENCY is a number of matches, from 1, not "${concurrency}"`,
    );
  }
  return {
    ...(environment["POLYNYA_GAMES"] ? { games: environment["POLYNYA_GAMES"] } : {}),
    ...(concurrency === null ? {} : { concurrency: Number(concurrency) }),
  };
}

/** The words that commas separate. */
function words(text: string): string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
}

function readSeconds(given: string | number | undefined): number {
  const seconds = given === "forever" ? Infinity : Number(given ?? 60);
  if (seconds >= 0) return seconds;
  throw new BadSettings(
    `how long to try to come back is a number of seconds or "forever", not ${String(given)}`,
  );
}

/**
 * The message that introduces a bot, by the name and token now in force.
 *
 * @param registration any text that is ours alone: a bot without a token, whose welcome was lost,
 *   proves with it that the name is its own
 */
export function hello(
  options: Options,
  name: string | null,
  token: string | null,
  registration: string,
): Message {
  const { games, concurrency, wants, software } = options;
  return {
    type: "hello",
    protocol: PROTOCOL_VERSION,
    name: name ?? undefined,
    token: token ?? undefined,
    registration: token === null ? registration : undefined,
    games: typeof games === "string" ? words(games) : games,
    concurrency: concurrency ?? 1,
    wants: wants ?? ["state", "legal"],
    software: {
      name: "polynya-client",
      language: `JavaScript (Node ${process.versions.node})`,
      ...software,
    },
    max_frame: SERVER_MAX_FRAME,
  };
}

function readPort(given: string | number | undefined): number | null {
  if (given === undefined) return null;
  const port = Number(given);
  if (!Number.isInteger(port) || port < 1 || port > 65535) {
    throw new BadSettings(`a port is a number from 1 to 65535, not ${given}`);
  }
  return port;
}

function readTls(environment: Environment, given: boolean | { caFile: string }): Settings["tls"] {
  const said = environment["POLYNYA_TLS"];
  if (said ? said === "0" : !given) return null;
  const file = environment["POLYNYA_CA_FILE"] || (typeof given === "boolean" ? "" : given.caFile);
  if (!file) return {};
  try {
    return { ca: readFileSync(file) };
  } catch (error) {
    throw new BadSettings(`cannot read the authorities: ${(error as Error).message}`);
  }
}
