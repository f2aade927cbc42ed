/** How the SDK connects, introduces itself, comes back and leaves, on real sockets. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import * as tls from "node:tls";
import { fileURLToPath } from "node:url";

import type { Step } from "polynya-client";

import { ConnectionLost, ServerError, ServerLeft } from "../src/errors.js";
import { Retries } from "../src/retries.js";
import { GOODBYE, MATCH_START, ScriptedServer } from "./scripted.js";

const STEP: Step = ["move", 12, 40];
const playStep = () => [STEP];
const SECRET = { token: "secret" };

function quiet(t: test.TestContext): void {
  t.mock.method(console, "warn", () => undefined);
}

function temporaryFolder(t: test.TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "polynya-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("hello introduces the bot", async (t) => {
  const server = await ScriptedServer.open(t);
  const ended = server.run(playStep, {
    games: "packeis,", wants: ["state"], concurrency: 3, ...SECRET,
  }); // prettier-ignore
  const peer = await server.accept();
  const hello = await peer.welcome();
  peer.send(GOODBYE);
  await ended;

  assert.deepEqual(hello, {
    type: "hello",
    protocol: 1,
    name: "ada",
    token: "secret",
    games: ["packeis"],
    concurrency: 3,
    wants: ["state"],
    software: {
      name: "polynya-client",
      language: `JavaScript (Node ${process.versions.node})`,
    },
    max_frame: 1024 * 1024,
  });
});

test("the environment wins over options", async (t) => {
  const server = await ScriptedServer.open(t);
  process.env["POLYNYA_HOST"] = "127.0.0.1";
  process.env["POLYNYA_PORT"] = String(server.port);
  process.env["POLYNYA_NAME"] = "hosted";
  process.env["POLYNYA_TOKEN"] = "of the host";
  void server.run(playStep, { host: "nowhere.invalid", port: 1, ...SECRET });
  const peer = await server.accept();
  const hello = await peer.welcome();
  peer.send(GOODBYE);

  assert.deepEqual([hello?.["name"], hello?.["token"]], ["hosted", "of the host"]);
});

for (const port of [undefined, 0, 65536, 1.5]) {
  test(`${port} is no port`, async (t) => {
    const server = await ScriptedServer.open(t);
    const ended = server.run(playStep, { port: port as number });
    await assert.rejects(ended, { name: "BadSettings", message: /port/ });
  });
}

test("a lost connection is taken up again, and the turn is asked for anew", async (t) => {
  quiet(t);
  const server = await ScriptedServer.open(t);
  const turns: [boolean, number][] = [];
  void server.run((turn) => {
    turns.push([turn.match.resumed, turn.number]);
    return [STEP];
  }, SECRET);
  const lost = await server.accept();
  await lost.welcome();
  await lost.beginMatch();
  lost.socket.destroy();

  const peer = await server.accept();
  const hello = await peer.welcome({ matches: ["m1"] });
  peer.send({ ...MATCH_START, type: "match_resume", seq: 4, remaining_ms: [null, null] });
  peer.ask({ seq: 5, turn: 3 });
  assert.equal((await peer.receive())?.["turn"], 3);
  peer.send(GOODBYE);

  assert.equal(hello?.["token"], "secret");
  assert.deepEqual(turns, [[true, 3]]);
});

test("a move that was thought out while the connection was lost is not sent", async (t) => {
  quiet(t);
  const server = await ScriptedServer.open(t);
  const asked = new AbortController();
  void server.run(async (turn) => {
    if (turn.number > 1) return [["second"]];
    asked.abort();
    await once(turn.signal, "abort");
    return [["first"]];
  }, SECRET);
  const lost = await server.accept();
  await lost.welcome();
  await lost.beginMatch();
  lost.ask({ turn: 1 });
  await once(asked.signal, "abort");
  lost.socket.destroy();

  const peer = await server.accept();
  await peer.welcome({ matches: ["m1"] });
  peer.send({ ...MATCH_START, type: "match_resume", seq: 2, remaining_ms: [null, null] });
  peer.ask({ seq: 3, turn: 3 });
  assert.deepEqual((await peer.receive())?.["steps"], [["second"]]);
  peer.send(GOODBYE);
});

test("the token of a registration brings the bot back", async (t) => {
  quiet(t);
  const server = await ScriptedServer.open(t);
  void server.run(playStep);
  const first = await server.accept();
  const hello = await first.welcome(SECRET);
  first.socket.destroy();
  const second = await server.accept();
  const again = await second.welcome();
  second.send(GOODBYE);

  assert.deepEqual([hello?.["token"], again?.["token"]], [undefined, "secret"]);
});

test("a missing event makes the bot connect again", async (t) => {
  quiet(t);
  const server = await ScriptedServer.open(t);
  void server.run(playStep, SECRET);
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  peer.ask({ seq: 2 });
  assert.equal(await peer.receive(), undefined);

  const again = await server.accept();
  assert.equal((await again.welcome())?.["type"], "hello");
  again.send(GOODBYE);
});

test("a silent server is given up after three heartbeats", async (t) => {
  const server = await ScriptedServer.open(t);
  const ended = server.run(playStep, { reconnectSeconds: 0 });
  const peer = await server.accept();
  await peer.welcome({ heartbeat_ms: 10 });

  await assert.rejects(ended, { name: "GaveUp", message: /silent for three heartbeats/ });
});

test("a bot whose welcome was lost has the same registration", async (t) => {
  quiet(t);
  const server = await ScriptedServer.open(t);
  void server.run(playStep, { games: "packeis" });
  const lost = await server.accept();
  const first = await lost.receive();
  lost.socket.destroy();
  const peer = await server.accept();
  const second = await peer.welcome();
  peer.send(GOODBYE);

  assert.equal(first?.["registration"], second?.["registration"]);
  assert.match(String(first?.["registration"]), /^[0-9a-f]{32}$/);
  assert.deepEqual(first?.["games"], ["packeis"]);
});

test("a replaced bot does not come back", async (t) => {
  const server = await ScriptedServer.open(t);
  const ended = server.run(playStep, SECRET);
  const peer = await server.accept();
  await peer.welcome();
  peer.send({ type: "goodbye", reason: "replaced" });

  await assert.rejects(ended, { name: "Replaced" });
});

test("bytes that are no frame end the bot, with a goodbye", async (t) => {
  const server = await ScriptedServer.open(t);
  const ended = server.run(playStep, SECRET);
  const peer = await server.accept();
  await peer.welcome();
  peer.socket.write(Buffer.from("ffffffff", "hex"));

  assert.equal((await peer.receive())?.["type"], "goodbye");
  await assert.rejects(ended, { name: "BadFrame", code: "too_large" });
});

test("pauses double up to five seconds, and are shortened by chance", () => {
  const retries = new Retries(Infinity);
  for (const longest of [100, 200, 400, 800, 1600, 3200, 5000, 5000]) {
    const pause = retries.after(new ConnectionLost("lost"));
    assert.ok(longest / 2 <= pause && pause <= longest, `${pause} of ${longest} ms`);
  }
});

test("a lost session begins the pauses anew, one that the server ended does not", () => {
  const ends: [Error, number][] = [
    [new ConnectionLost("lost"), 100],
    [new ServerLeft("left"), 5_000],
  ];
  for (const [trouble, longest] of ends) {
    const retries = new Retries(Infinity);
    for (let attempt = 0; attempt < 8; attempt++) retries.after(new ConnectionLost("lost"));
    retries.welcome();
    const pause = retries.after(trouble);
    assert.ok(longest / 2 <= pause && pause <= longest, `${pause} of ${longest} ms`);
  }
});

test("where the server wants nobody now the first pause is longer", () => {
  assert.ok(new Retries(Infinity).after(new ServerError("server_full", "no room")) >= 1_250);
});

test("every message is logged on request, without the token", async (t) => {
  const server = await ScriptedServer.open(t);
  const log = join(temporaryFolder(t), "frames.jsonl");
  const ended = server.run(playStep, { log, wants: [], ...SECRET });
  const peer = await server.accept();
  await peer.welcome(SECRET);
  peer.send({ type: "ping", nonce: 2n ** 64n - 1n }, GOODBYE);
  await ended;

  const lines = readFileSync(log, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line)); // prettier-ignore
  const said = lines.map(({ bot, direction, message }) => [bot, direction, message.type]);
  assert.deepEqual(said, [
    ["ada", "sent", "hello"],
    ["ada", "received", "welcome"],
    ["ada", "received", "ping"],
    ["ada", "sent", "pong"],
    ["ada", "received", "goodbye"],
  ]);
  assert.deepEqual([lines[0].message.token, lines[1].message.token], Array(2).fill("(left out)"));
});

/** A key and a certificate for 127.0.0.1 that signs itself; the file of the certificate. */
function certificate(folder: string): { key: Buffer; cert: Buffer; file: string } {
  const [key, file] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=local";
  const files = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", file];
  execFileSync("openssl", [...request.split(" "), ...files], { stdio: "ignore" });
  return { key: readFileSync(key), cert: readFileSync(file), file };
}

test("a certificate of unknown authority is refused", async (t) => {
  const server = await ScriptedServer.open(t, tls.createServer(certificate(temporaryFolder(t))));
  const ended = server.run(playStep, { tls: true, reconnectSeconds: 0 });

  await assert.rejects(ended, { name: "GaveUp", message: /self-signed certificate/ });
});

test("a certificate is good if a file names its authority", async (t) => {
  const identity = certificate(temporaryFolder(t));
  const server = await ScriptedServer.open(t, tls.createServer(identity));
  const ended = server.run(playStep, { tls: { caFile: identity.file } });
  const peer = await server.accept();
  await peer.welcome();
  peer.send(GOODBYE);

  assert.equal(await ended, undefined);
});

test("Ctrl-C says goodbye", async (t) => {
  const server = await ScriptedServer.open(t);
  const program = fileURLToPath(new URL("../examples/random.js", import.meta.url));
  const env = { ...process.env, POLYNYA_PORT: String(server.port), POLYNYA_NAME: "ada" };
  const bot = spawn(process.execPath, [program], { env, stdio: "inherit" });
  const peer = await server.accept();
  await peer.welcome();
  await peer.beginMatch();
  bot.kill("SIGINT");

  assert.deepEqual(await peer.receive(), { type: "goodbye", reason: "the bot was interrupted" });
  assert.deepEqual(await once(bot, "exit"), [0, null]);
});

/** A bot of its own process, which nobody catches errors of; how it ended, and what it said. */
async function ended(env: Record<string, string>, meanwhile = async () => {}) {
  const program = fileURLToPath(new URL("../examples/random.js", import.meta.url));
  const { POLYNYA_PORT: _, ...inherited } = process.env;
  const bot = spawn(process.execPath, [program], { env: { ...inherited, ...env } });
  let said = "";
  bot.stderr.on("data", (text: Buffer) => (said += text.toString()));
  await meanwhile();
  const [code] = (await once(bot, "close")) as [number];
  return { code, said };
}

test("missing settings that nobody catches are a sentence", async () => {
  assert.deepEqual(await ended({}), {
    code: 1,
    said: "polynya: no port: set POLYNYA_PORT, or call run(bot, { port })\n",
  });
});

test("a refusal that nobody catches is a sentence", async (t) => {
  const server = await ScriptedServer.open(t);
  const refuse = async () => {
    const peer = await server.accept();
    await peer.receive();
    peer.send({ type: "error", code: "name_taken", message: "ada\x1b is taken", fatal: true });
  };

  assert.deepEqual(await ended({ POLYNYA_PORT: String(server.port) }, refuse), {
    code: 1,
    said: "polynya: name_taken: ada\\u{1b} is taken\n",
  });
});

test("a port where something else answers is a sentence", async (t) => {
  const server = await ScriptedServer.open(t);
  const answer = async () => {
    const peer = await server.accept();
    await peer.receive();
    peer.socket.write("HTTP/1.1 400 Bad Request\r\n\r\n");
  };
  const { code, said } = await ended({ POLYNYA_PORT: String(server.port) }, answer);

  assert.equal(code, 1);
  assert.match(said, /^polynya: what answers there is no Polynya server.*\n$/);
});

test("a server that hangs up instead of a welcome may ask for TLS", async (t) => {
  const server = await ScriptedServer.open(t);
  const hangUp = async () => {
    const peer = await server.accept();
    await peer.receive();
    peer.socket.end();
  };

  assert.deepEqual(
    await ended({ POLYNYA_PORT: String(server.port), POLYNYA_RECONNECT: "0" }, hangUp),
    {
      code: 75,
      said:
        "polynya: the server closed the connection without a goodbye, before any welcome; " +
        "is the port right, and does it ask for TLS (POLYNYA_TLS=1)?; gave up after 0 s\n",
    },
  );
});
