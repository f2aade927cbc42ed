/** A match that this bot plays. */

import type { Message } from "./message.js";
import { ConnectionLost } from "./errors.js";
import {
  type Clock,
  field,
  optional,
  type Player,
  readClock,
  readPlayers,
  type Values,
} from "./events.js";

/** What is known of a match; a bot may keep its own things under `memory`. */
export class Match<State = Values> {
  /** The server's name for it. */
  readonly id: string;
  /** `packeis`, `arktia`, `icecult` or another game that the server has. */
  readonly game: string;
  /** Ours. */
  readonly seat: number;
  /** All players, by seat. */
  readonly players: readonly Player[];
  /** The game's set-up options. */
  readonly options: Values;
  /** The time limits. */
  readonly clock: Clock;
  /**
   * The position when the match began (or was taken up again), as in the game's rules. With `isView`
   * it is no position, but what we may know of one.
   */
  readonly state: State;
  /** Whether parts of the match are hidden from us. */
  readonly isView: boolean;
  /** Whether several seats can be asked at the same time. */
  readonly isJoint: boolean;
  /** Whether it was taken up again after a lost connection or a new start. */
  readonly resumed: boolean;
  /** For whatever a bot wants to remember until the match is over. */
  memory: unknown = undefined;
  #acting: readonly number[] | null;
  #resigned = false;
  #nextSeq: number;
  readonly #send: (message: Message) => void;

  constructor(
    /** The server's message, with keys that this version does not know. */
    readonly message: Message,
    send: (message: Message) => void,
  ) {
    this.id = field(message, "match", "string");
    this.game = field(message, "game", "string");
    this.seat = field(message, "seat", "integer");
    this.players = readPlayers(message);
    this.options = field(message, "options", "map");
    this.clock = readClock(message);
    this.state = field(message, "state", "map") as State;
    this.isView = optional(message, "view", "boolean") ?? false;
    this.isJoint = optional(message, "joint", "boolean") ?? false;
    this.#acting = optional(message, "acting", "array") as number[] | null;
    this.resumed = message.type === "match_resume";
    this.#nextSeq = field(message, "seq", "integer") + 1;
    this.#send = send;
  }

  /**
   * The seats that are asked now, ascending, in matches with joint turns or hidden parts; null
   * elsewhere. The events of the match change it.
   */
  get acting(): readonly number[] | null {
    return this.#acting;
  }

  /** Takes the seats that an event says are asked next, if it does. */
  asks(acting: readonly number[] | null): void {
    this.#acting = acting ?? this.#acting;
  }

  /** Whether we have given it up. */
  get resigned(): boolean {
    return this.#resigned;
  }

  /** Gives this match up; what the bot answers afterwards is not sent. */
  resign(): void {
    this.#resigned = true;
    this.#send({ type: "resign", match: this.id });
  }

  /**
   * Counts an event of this match.
   *
   * @throws ConnectionLost if an event is missing; only connecting again can bring the match back
   */
  follow(message: Message): void {
    const seq = field(message, "seq", "integer");
    if (seq !== this.#nextSeq) {
      throw new ConnectionLost(
        `match ${this.id}: event ${this.#nextSeq} is missing, ${seq} came instead`,
      );
    }
    this.#nextSeq += 1;
  }
}
