/** Several servers of one contest: how the list is read, and which of them is tried next. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import * as net from "node:net";
import test from "node:test";

import { readAddresses } from "../src/addresses.js";
import { GOODBYE, ScriptedServer } from "./scripted.js";

interface List {
  text: string;
  port: number | null;
  addresses: [string, number][];
}

const LISTS = new URL("../../../../clients/addresses.json", import.meta.url);
const { read, refused } = JSON.parse(readFileSync(LISTS, "utf8")) as {
  read: List[];
  refused: List[];
};

test("lists of servers are read as in every language", () => {
  for (const { text, port, addresses } of read) {
    const expected = addresses.map(([host, number]) => ({ host, port: number }));
    assert.deepEqual(readAddresses(text, port), expected);
  }
});

for (const { text, port } of refused) {
  test(`"${text}" is no list of servers`, () => {
    assert.throws(() => readAddresses(text, port), { name: "BadSettings" });
  });
}

test("a server that is not there or wants nobody is followed by the next", async (t) => {
  t.mock.method(console, "warn", () => undefined);
  const closed = net.createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as net.AddressInfo;
  closed.close();
  const first = await ScriptedServer.open(t);
  const second = await ScriptedServer.open(t);
  const host = `127.0.0.1:${port}, 127.0.0.1:${first.port},127.0.0.1`;
  const ended = second.run(() => [["move", 12, 40]], { host, token: "secret" });
  const peer = await first.accept();
  await peer.welcome();
  peer.send({ type: "goodbye", reason: "shutting_down" });
  const next = await second.accept();
  const hello = await next.welcome();
  next.send(GOODBYE);
  await ended;
  assert.equal(hello?.["token"], "secret");
});
