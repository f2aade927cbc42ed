/** What a frame holds. */

/** A message: what it holds under `type` names it. Integers of 64 bits are bigints. */
export type Message = {
  /** The protocol's word for what the message is. */
  readonly type: string;
  readonly [key: string]: unknown;
};
