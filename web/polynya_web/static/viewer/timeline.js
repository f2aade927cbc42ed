/** The frames of a match in their order: which turn is where, and the address of each frame. */

/**
 * @typedef {Object} Frame a position, as the API gives it; `index` is its place.
 * @typedef {Object} Turn a turn with its times, as the API gives it.
 */

/** A turn whose steps are concealed has none here. */
function withSteps(turn) {
  return turn.steps === null ? { ...turn, steps: [] } : turn;
}

/** All that is known of a match so far; grows while it is in play. */
export class Timeline {
  /** @param {{match: Object, frames: Frame[], turns: Turn[], forfeits: Object[]}} replay */
  constructor({ match, frames, turns, forfeits }) {
    this.match = match;
    this.frames = [...frames];
    this.turns = turns.map(withSteps);
    this.forfeits = [...forfeits];
  }

  /** The index of the last frame. */
  get last() {
    return this.frames.length - 1;
  }

  addTurn(turn, frames) {
    this.turns.push(withSteps(turn));
    this.frames.push(...frames);
  }

  addForfeit(forfeit, frame) {
    this.forfeits.push(forfeit);
    this.frames.push(frame);
  }

  /** The turn that a frame belongs to, null for the initial position and for forfeits. */
  turnAt(index) {
    return this.turns.find((turn) => turn.first_frame <= index && index <= turn.last_frame) ?? null;
  }

  /**
   * The steps of a frame's turn before the frame's own one, and the position before each; of a
   * forfeit, which has none, those of the turn before it.
   */
  earlierSteps(index) {
    const turn = this.turnAt(index) ?? this.lastTurnBefore(index);
    if (turn === null) return [];
    const count = Math.min(index, turn.last_frame + 1) - turn.first_frame;
    return [...Array(count).keys()].map((number) => ({
      step: turn.steps[number] ?? null,
      before: this.frames[turn.first_frame + number - 1].state,
    }));
  }

  /** The forfeit that a frame shows, or null. */
  forfeitAt(index) {
    return this.forfeits.find(({ frame }) => frame === index) ?? null;
  }

  /** The last turn that is over in a frame, or null. */
  lastTurnBefore(index) {
    return this.turns.findLast((turn) => turn.last_frame <= index) ?? null;
  }

  /** Each seat's budget in a frame, ms; null without one. */
  remainingAt(index) {
    const initial = this.match.clock.initial_ms ?? null;
    return this.lastTurnBefore(index)?.remaining_ms ?? this.match.seats.map(() => initial);
  }

  /** What the turn after a frame may take: the limit of a turn, or the budget; null without. */
  limitOf(seat, index) {
    const limits = [this.match.clock.move_ms, this.remainingAt(index)[seat]];
    const given = limits.filter((limit) => typeof limit === "number");
    return given.length > 0 ? Math.min(...given) : null;
  }

  /** The last turn, up to a frame, with remarks of a seat's bot; null without. */
  remarkAt(index, seat) {
    const said = this.turns.findLast(
      (turn) => turn.seat === seat && turn.first_frame <= index && turn.info !== null,
    );
    return said ?? null;
  }

  /** Whether any bot has remarked anything. */
  get hasRemarks() {
    return this.turns.some(({ info }) => info !== null);
  }

  /** Whether some turn has several steps. */
  get hasSteps() {
    return this.turns.some((turn) => turn.first_frame < turn.last_frame);
  }

  /** The last frame of the turn under way, or of the next one. */
  afterNextTurn(index) {
    const next = this.frames.findIndex((frame) => frame.index > index && frame.turn_over);
    return next < 0 ? this.last : next;
  }

  /** The last frame of the turn before. */
  beforeThisTurn(index) {
    const first = this.turnAt(index)?.first_frame ?? index;
    return Math.max(0, first - 1);
  }

  /** The part of an address that names a frame: `turn=12`, or `turn=12.2` after its second step. */
  anchorOf(index) {
    const { turn, step_index: stepIndex, turn_over: over } = this.frames[index];
    return over || stepIndex === null ? `turn=${turn}` : `turn=${turn}.${stepIndex + 1}`;
  }

  /**
   * The frame that such a part of an address names: the last one for a turn that is not there, null
   * for another anchor.
   */
  frameOf(anchor) {
    const found = /^#?turn=(\d{1,9})(?:\.(\d{1,9}))?$/.exec(anchor);
    if (found === null) return null;
    const [turn, step] = [Number(found[1]), found[2] === undefined ? null : Number(found[2]) - 1];
    const frames = this.frames.filter((frame) => frame.turn === turn);
    const wanted = frames.find((frame) => step !== null && frame.step_index === step);
    return (wanted ?? frames.at(-1) ?? this.frames.at(-1)).index;
  }
}
