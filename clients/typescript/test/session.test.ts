/** What the SDK does with a server's messages, seen from the other end of a real socket. */

import assert from "node:assert/strict";
import test from "node:test";

import type { Bot, Step, Turn } from "polynya-client";

import { GOODBYE, MATCH_START, ScriptedServer } from "./scripted.js";

const STEP: Step = ["move", 12, 40];
const playStep = () => [STEP];

/** Catches what is printed for the bot's author. */
function warnings(t: test.TestContext): string[] {
  const lines: string[] = [];
  t.mock.method(console, "warn", (line: string) => {
    if (!line.includes("goodbye")) lines.push(line);
  });
  return lines;
}

test("a move answers the turn, with remarks", async (t) => {
  const server = await ScriptedServer.open(t);
  void server.run((turn) => {
    turn.info["score"] = 2.5;
    return [STEP];
  });
  const peer = await server.accept();
  await peer.welcome();
  assert.deepEqual(await peer.beginMatch(), { type: "ready", match: "m1" });
  peer.ask({ turn: 7 });

  const info = { score: 2.5 };
  const move = { type: "move", match: "m1", turn: 7, steps: [STEP], info };
  assert.deepEqual(await peer.receive(), move);
  peer.send(GOODBYE);
});

test("a turn says what the server said", async (t) => {
  const server = await ScriptedServer.open(t);
  const turns: Turn[] = [];
  const ended = server.run((turn) => [turns.push(turn), STEP].slice(1) as Step[]);
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  peer.ask({ turn: 7, state: { fish: [1] }, legal: [STEP] });
  await peer.receive();
  peer.send(GOODBYE);
  await ended;

  const [turn] = turns as [Turn];
  assert.deepEqual(
    [turn.game, turn.seat, turn.number, turn.remainingMs, turn.state, turn.legal],
    ["packeis", 1, 7, 5000, { fish: [1] }, [STEP]],
  );
  assert.deepEqual(
    turn.players.map(({ name, rating }) => [name, rating]),
    [["bob", 1510.5], ["ada", null]],
  ); // prettier-ignore
  assert.ok(turn.remaining <= 5000);
});

test("legalAfter asks the server, and pings are answered meanwhile", async (t) => {
  const server = await ScriptedServer.open(t);
  void server.run(async (turn) => [STEP, ...(await turn.legalAfter([STEP])).steps]);
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  peer.ask();

  const question = { type: "steps", match: "m1", turn: 1, steps: [STEP] };
  assert.deepEqual(await peer.receive(), question);
  peer.send({ type: "ping", nonce: 5 });
  assert.deepEqual(await peer.receive(), { type: "pong", nonce: 5 });
  peer.send({ type: "legal", match: "m1", turn: 1, legal: [["end"]], turn_over: false });
  assert.deepEqual((await peer.receive())?.["steps"], [STEP, ["end"]]);
  peer.send(GOODBYE);
});

test("a turn that is over while the bot asks gets no move, and the events keep order", async (t) => {
  warnings(t);
  const server = await ScriptedServer.open(t);
  const seen: unknown[] = [];
  const bot: Bot = {
    matchStart: (match) => void seen.push(`start ${match.id}`),
    turn: async (turn) => {
      seen.push(`turn ${turn.number}`);
      return (await turn.legalAfter([STEP])).steps;
    },
    moved: (_, moved) => void seen.push(moved),
    forfeited: (_, forfeited) => void seen.push(forfeited),
    matchOver: (_, over) => void seen.push(over),
  };
  const ended = server.run(bot);
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  const remaining_ms = [null, 10];
  const played = { turn: 1, seat: 0, steps: [STEP], elapsed_ms: 3, remaining_ms };
  peer.send({ type: "moved", match: "m1", seq: 1, ...played });
  peer.ask({ seq: 2, turn: 2 });
  await peer.receive();
  const forfeited = { seat: 0, reason: "resigned", detail: "bob resigned" };
  const over = { ranking: [2, 1], scores: [0, 1], reason: "forfeit", replay: "m1" };
  peer.send({ type: "forfeited", match: "m1", seq: 3, ...forfeited });
  peer.send({ type: "match_over", match: "m1", seq: 4, ...over }, GOODBYE);
  await ended;

  const facts = seen.map((each) => {
    if (typeof each !== "object") return each;
    const { message, ...known } = each as { message: unknown };
    assert.ok(message);
    return known;
  });
  const open = { concealed: false, acting: null, seen: [] };
  assert.deepEqual(facts, [
    "start m1",
    { turn: 1, seat: 0, steps: [STEP], elapsedMs: 3, remainingMs: [null, 10], ...open },
    "turn 2",
    { ...forfeited, turn: null, acting: null, seen: [] },
    { ...over, detail: null, ratings: new Map(), deal: null },
  ]);
  assert.equal(await peer.receive(), undefined);
});

test("a joint turn tells what the seat may know", async (t) => {
  const server = await ScriptedServer.open(t);
  const seen: unknown[] = [];
  const ended = server.run({
    turn: playStep,
    matchStart: ({ isView, isJoint, acting, state }) =>
      void seen.push(["start", isView, isJoint, acting, state]),
    moved: (match, { seat, concealed, steps, acting, seen: learnt }) =>
      void seen.push(["moved", seat, concealed, steps, acting, learnt, match.acting]),
    forfeited: (match, { turn, acting, seen: learnt }) =>
      void seen.push(["forfeited", turn, acting, learnt, match.acting]),
    matchOver: (_, { deal }) => void seen.push(["over", deal]),
  });
  const peer = await server.accept();
  await peer.welcome();
  const hidden = { state: { hand: 5 }, acting: [0, 1, 2], joint: true, view: true };
  await peer.beginMatch(hidden);
  peer.ask();
  await peer.receive();
  const played = {
    type: "moved", match: "m1", turn: 1, elapsed_ms: 3, remaining_ms: [null, null, null],
  }; // prettier-ignore
  const last = { acting: [0, 1], seen: [{ lost: 7 }] };
  peer.send({ ...played, seq: 2, seat: 0, steps: null });
  peer.send({ ...played, seq: 3, seat: 1, steps: [STEP], ...last });
  peer.ask({ seq: 4, turn: 2 });
  assert.equal((await peer.receive())?.["turn"], 2);
  const left = { turn: 2, seat: 0, reason: "resigned", detail: "bob resigned", acting: [] };
  peer.send({ type: "forfeited", match: "m1", seq: 5, ...left, seen: [{ won: true }] });
  peer.send({ type: "match_over", match: "m1", seq: 6, reason: "forfeit", deal: "0a1b" }, GOODBYE);
  await ended;

  assert.deepEqual(seen, [
    ["start", true, true, [0, 1, 2], { hand: 5 }],
    ["moved", 0, true, [], null, [], [0, 1, 2]],
    ["moved", 1, false, [STEP], [0, 1], [{ lost: 7 }], [0, 1]],
    ["forfeited", 2, [], [{ won: true }], []],
    ["over", "0a1b"],
  ]);
});

test("matches do not wait for each other", async (t) => {
  const server = await ScriptedServer.open(t);
  const answers = new Map<string, (steps: Step[]) => void>();
  const choose = (turn: Turn) =>
    new Promise<Step[]>((resolve) => answers.set(turn.match.id, resolve));
  void server.run(choose, { concurrency: 2 });
  const peer = await server.accept();
  assert.equal((await peer.welcome())?.["concurrency"], 2);
  for (const match of ["m1", "m2"]) {
    await peer.beginMatch({ match });
    peer.ask({ match });
  }
  peer.send({ type: "ping", nonce: "both are asked" });
  await peer.receive();

  answers.get("m2")?.([STEP]);
  assert.equal((await peer.receive())?.["match"], "m2");
  answers.get("m1")?.([STEP]);
  assert.equal((await peer.receive())?.["match"], "m1");
  peer.send(GOODBYE);
});

test("the move for a turn that another one has replaced is not sent", async (t) => {
  const lines = warnings(t);
  const server = await ScriptedServer.open(t);
  const answers: ((steps: Step[]) => void)[] = [];
  void server.run(() => new Promise<Step[]>((resolve) => answers.push(resolve)));
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  for (const [seq, turn] of [
    [1, 1],
    [2, 3],
  ]) {
    peer.ask({ seq, turn });
    peer.send({ type: "ping", nonce: 0 });
    await peer.receive(); // the bot was asked: a turn that is replaced before that is passed over
  }
  answers[0]?.([STEP]);
  peer.send({ type: "ping", nonce: 1 });
  assert.deepEqual(await peer.receive(), { type: "pong", nonce: 1 });
  answers[1]?.([STEP]);

  assert.equal((await peer.receive())?.["turn"], 3);
  assert.deepEqual(lines, [
    "polynya: no move for turn 1 of match m1: another turn is being asked for",
  ]);
  peer.send(GOODBYE);
});

test("unknown types, keys and matches are ignored", async (t) => {
  const server = await ScriptedServer.open(t);
  void server.run(playStep);
  const peer = await server.accept();
  await peer.welcome({ novelty: 1 });
  peer.send({ type: "weather", ice: "thin" });
  peer.send({ type: "turn", match: "other", seq: 9, turn: 1, remaining_ms: 1 });
  await peer.beginMatch({ colour: "white" });
  peer.ask({ hurry: true });

  assert.equal((await peer.receive())?.["type"], "move");
  peer.send(GOODBYE);
});

test("resigning sends no move", async (t) => {
  const server = await ScriptedServer.open(t);
  void server.run((turn) => {
    turn.resign();
    return [];
  });
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  peer.ask();
  assert.deepEqual(await peer.receive(), { type: "resign", match: "m1" });
  peer.send({ type: "ping", nonce: 1 });

  assert.deepEqual(await peer.receive(), { type: "pong", nonce: 1 });
  peer.send(GOODBYE);
});

test("an error that is not fatal is logged without control characters", async (t) => {
  const lines = warnings(t);
  const server = await ScriptedServer.open(t);
  const ended = server.run(playStep);
  const peer = await server.accept();
  await peer.welcome();
  peer.send({ type: "error", code: "late", message: "too \x1b[31mlate", fatal: false }, GOODBYE);
  await ended;

  assert.deepEqual(lines, ["polynya: the server says late: too \\u{1b}[31mlate"]);
});

test("a fatal error leaves run with its code", async (t) => {
  const server = await ScriptedServer.open(t);
  const ended = server.run(playStep, { token: "secret" });
  const peer = await server.accept();
  await peer.receive();
  peer.send({ type: "error", code: "name_taken", message: "choose another", fatal: true });

  const expected = {
    name: "ServerError",
    code: "name_taken",
    message: "name_taken: choose another",
  };
  await assert.rejects(ended, expected);
});

test("an exception in the bot says goodbye and leaves run", async (t) => {
  const server = await ScriptedServer.open(t);
  const ended = server.run(() => {
    throw new RangeError("a bug of the author's");
  });
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  peer.ask();

  const goodbye = { type: "goodbye", reason: "the bot ended by RangeError" };
  assert.deepEqual(await peer.receive(), goodbye);
  assert.equal(await peer.receive(), undefined);
  await assert.rejects(ended, { name: "RangeError", message: "a bug of the author's" });
});

test("an exception in the last hook leaves run, although the server has said goodbye", async (t) => {
  const server = await ScriptedServer.open(t);
  const matchOver = async () => {
    throw new RangeError("a bug of the author's");
  };
  const ended = server.run({ turn: playStep, matchOver });
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  peer.send({ type: "match_over", match: "m1", seq: 1, reason: "aborted" }, GOODBYE);

  await assert.rejects(ended, { name: "RangeError" });
});

test("a forgotten return is explained", async (t) => {
  const server = await ScriptedServer.open(t);
  const ended = server.run((() => undefined) as never);
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  peer.ask();

  await assert.rejects(ended, { name: "BadTurn", message: /the bot gave undefined as its turn/ });
});

test("a state that was not asked for is explained", async (t) => {
  const server = await ScriptedServer.open(t);
  const ended = server.run((turn) => turn.state["steps"] as Step[], { wants: [] });
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  peer.ask();

  await assert.rejects(ended, { name: "NotWanted", message: /wants: \["state"\]/ });
});

test("a message without its keys ends the connection", async (t) => {
  const server = await ScriptedServer.open(t);
  const ended = server.run(playStep);
  const peer = await server.accept();
  await peer.welcome();
  peer.send({ ...MATCH_START, seat: null });

  await assert.rejects(ended, { name: "BadMessage", message: /no integer under "seat"/ });
});
