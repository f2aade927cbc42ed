/** Searches end in time, the opponents' time can be used, and the program's own signal ends the bot. */

import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";

import type { Bot, MatchOver, PackeisState, Step, Turn } from "polynya-client";

import { GOODBYE, MATCH_START, ScriptedServer } from "./scripted.js";

const STEP: Step = ["move", 12, 40];

async function searchUntilAborted(turn: Turn): Promise<Step[]> {
  if (!turn.signal.aborted) await once(turn.signal, "abort");
  return [STEP];
}

/** Takes the lines for the bot's author. */
function logger(): { lines: string[]; warn: (line: string) => void } {
  const lines: string[] = [];
  return { lines, warn: (line) => void lines.push(line) };
}

test("a search ends with its match, and the next match is played", async (t) => {
  const server = await ScriptedServer.open(t);
  const log = logger();
  const ended = server.run(searchUntilAborted, { logger: log });
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  peer.ask({ remaining_ms: 60_000 });
  peer.send({ type: "match_over", match: "m1", seq: 2, reason: "finished" });
  peer.send({ ...MATCH_START, match: "m2" });

  assert.deepEqual(await peer.receive(), { type: "ready", match: "m2" });
  peer.send(GOODBYE);
  await ended;
  assert.equal(log.lines[0], "no move for turn 1 of match m1: the match is over");
});

test("a search ends when its time is over", async (t) => {
  const server = await ScriptedServer.open(t);
  const log = logger();
  const ended = server.run(searchUntilAborted, { logger: log });
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  peer.ask({ remaining_ms: 20 });
  peer.ask({ seq: 2, turn: 2, remaining_ms: 20 });
  peer.send({ type: "match_over", match: "m1", seq: 3, reason: "finished" }, GOODBYE);
  await ended;

  assert.match(log.lines[0] ?? "", /^no move for turn 1 of match m1: /);
});

test("a bot thinks on the opponents' time until it is asked", async (t) => {
  const server = await ScriptedServer.open(t);
  const told: string[] = [];
  const bot: Bot = {
    turn: () => (told.push("turn"), [STEP]),
    async ponder(_match, signal) {
      told.push("ponder");
      if (!signal.aborted) await once(signal, "abort");
      told.push("enough");
    },
  };
  const ended = server.run(bot);
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  while (told.length === 0) await new Promise(setImmediate);
  peer.ask();
  assert.deepEqual((await peer.receive())?.["steps"], [STEP]);
  peer.send(GOODBYE);
  await ended;

  assert.deepEqual(told.slice(0, 3), ["ponder", "enough", "turn"]);
});

test("the program's own signal says goodbye", async (t) => {
  const server = await ScriptedServer.open(t);
  const stop = new AbortController();
  const before = process.listenerCount("SIGINT");
  const ended = server.run(() => [STEP], { signal: stop.signal });
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  assert.equal(process.listenerCount("SIGINT"), before);
  stop.abort();

  assert.deepEqual(await peer.receive(), { type: "goodbye", reason: "the bot was interrupted" });
  await ended;
});

test("a bot without a rating before the match has null there", async (t) => {
  const server = await ScriptedServer.open(t);
  let result: MatchOver | undefined;
  const ended = server.run({
    turn: () => [STEP],
    matchOver: (_match, over) => void (result = over),
  });
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  const ratings = [{ name: "ada", before: null, after: 1500 }];
  peer.send(
    { type: "match_over", match: "m1", seq: 1, reason: "finished", ratings, news: 1 },
    GOODBYE,
  );
  await ended;

  assert.deepEqual(result?.ratings.get("ada"), { before: null, after: 1500 });
  assert.equal(result?.message["news"], 1);
});

test("hooks tell of connections", async (t) => {
  const server = await ScriptedServer.open(t);
  const told: unknown[] = [];
  const ended = server.run({
    turn: () => [STEP],
    connected: (name) => void told.push(name),
    disconnected: (reason) => void told.push(reason),
  });
  const peer = await server.accept();
  await peer.welcome();
  peer.send(GOODBYE);
  await ended;

  assert.deepEqual(told, ["ada", "finished"]);
});

test("an exception of the hook connected says goodbye", async (t) => {
  const server = await ScriptedServer.open(t);
  const ended = server.run({
    turn: () => [STEP],
    connected: () => Promise.reject(new RangeError("not this server")),
  });
  const peer = await server.accept();
  await peer.welcome();

  const goodbye = { type: "goodbye", reason: "the bot ended by RangeError" };
  assert.deepEqual(await peer.receive(), goodbye);
  await assert.rejects(ended, { name: "RangeError", message: "not this server" });
});

test("the environment says games and concurrency", async (t) => {
  const server = await ScriptedServer.open(t);
  process.env["POLYNYA_GAMES"] = "packeis, , icecult,";
  process.env["POLYNYA_CONCURRENCY"] = "3";
  const ended = server.run(() => [STEP], { games: "arktia" });
  const peer = await server.accept();
  const hello = await peer.welcome();
  peer.send(GOODBYE);
  await ended;

  assert.deepEqual([hello?.["games"], hello?.["concurrency"]], [["packeis", "icecult"], 3]);
});

test("positions have the types of their game", async (t) => {
  const server = await ScriptedServer.open(t);
  const fish: number[] = [];
  const ended = server.run((turn: Turn<PackeisState>) => {
    fish.push(...turn.state.fish);
    return [["move", 12, 40]] as const;
  });
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  peer.ask({ state: { fish: [1, 2] } });
  await peer.receive();
  peer.send(GOODBYE);
  await ended;

  assert.deepEqual(fish, [1, 2]);
});
