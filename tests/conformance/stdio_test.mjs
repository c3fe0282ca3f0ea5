// SPDX-License-Identifier: Apache-2.0
// What a transcript cannot say of `tenon serve --stdio`: it needs a clock, a signal or a closed
// pipe. Ids such as M21 are those of the failures that each test keeps away.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { before, test } from "node:test";
import { call, cancel, initialize, initialized, list, ping, textOf } from "./requests.mjs";
import { Server, fixture, requireBuilt, serve, sleep, tenon } from "./server.mjs";

before(() => requireBuilt("echo", "probe"));

// Runs `use` with a server of that fixture after a handshake; the server must end with 0.
async function withServer(name, use, revision = "2025-11-25") {
  const server = new Server(serve(name));
  try {
    server.send(initialize(revision));
    assert.equal((await server.next()).result.protocolVersion, revision);
    server.send(initialized);
    await use(server);
    const exit = await server.close(10_000);
    assert.deepEqual(exit, { code: 0, signal: null }, server.stderr);
    assert.deepEqual(server.lines, [], "more was said than was asked");
  } finally {
    if (server.exit === null) {
      server.process.kill("SIGKILL");
    }
  }
}

const inTime = { timeout: 60_000 };

test("standard output holds messages alone, beside a broken plugin (M01)", inTime, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tenon-test-"));
  const broken = path.join(folder, "broken.so");
  writeFileSync(broken, "this is no library\n", { mode: 0o644 });
  const server = new Server([...serve("echo", "--log-level", "debug"), broken]);
  try {
    server.send(initialize());
    server.send(initialized);
    server.send(list(1));
    server.send(call(2, "echo", { text: "hi" }));
    const answers = await server.answers(["start", 1, 2]);
    assert.deepEqual(
      answers.get(1).result.tools.map((tool) => tool.name),
      ["echo"],
    );
    assert.equal(textOf(answers.get(2)), "hi");
    assert.equal((await server.close()).code, 0, server.stderr);
    assert.deepEqual(server.lines, []);
    assert.equal(server.unfinished, "");
    assert.match(server.stderr, /broken\.so/);
  } finally {
    server.process.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  }
});

test("a plugin that prints neither breaks nor delays the answers of others (M03)", inTime, () =>
  withServer("probe", async (server) => {
    server.write(
      [call(1, "noisy", { lines: 2000 }), call(2, "noarg")]
        .map((m) => `${JSON.stringify(m)}\n`)
        .join(""),
    );
    const quick = (await server.answers([2])).get(2);
    assert.equal(textOf(quick), "ok");
    assert.ok(quick.afterMs < 500, `answered after ${quick.afterMs} ms, expected less than 500`);
    assert.equal(textOf((await server.answers([1], 10_000)).get(1)), "ok");
    for (const noise of ["printf, line 1999", "by cout, line 1999", "by write", '"noise"']) {
      assert.ok(server.stderr.includes(noise), `${noise} is not on standard error`);
    }
  }),
);

test("a slow call blocks nothing (M21)", inTime, () =>
  withServer("probe", async (server) => {
    for (const request of [call(1, "sleep", { ms: 2000 }), ping(2), list(3), call(4, "noarg")]) {
      server.send(request);
    }
    const quick = await server.answers([2, 3, 4]);
    for (const [id, { afterMs }] of quick) {
      assert.ok(afterMs < 300, `id ${id} was answered after ${afterMs} ms, expected less than 300`);
    }
    assert.ok(!quick.has(1), "the slow call was answered first");
    const slow = (await server.answers([1])).get(1);
    assert.equal(slow.result.structuredContent.cancelled, false);
    assert.ok(slow.result.structuredContent.slept >= 2000);
  }),
);

test("a call of 3 s and one of 1 ms sent together: the short one answers first", inTime, () =>
  withServer("probe", async (server) => {
    const both = [call("long", "sleep", { ms: 3000 }), call("short", "sleep", { ms: 1 })];
    server.write(both.map((message) => `${JSON.stringify(message)}\n`).join(""));
    const start = Date.now();
    assert.equal((await server.next()).id, "short");
    assert.ok(Date.now() - start < 500);
    assert.equal((await server.next()).id, "long");
    assert.ok(Date.now() - start >= 2900);
  }),
);

test("cancelling frees what the call held, at once (M17)", inTime, () =>
  withServer("probe", async (server) => {
    const ids = Array.from({ length: 64 }, (_, i) => `slow-${i}`);
    for (const id of ids) {
      server.send(call(id, "sleep", { ms: 20_000 }));
    }
    await sleep(200);
    for (const id of ids) {
      server.send(cancel(id));
    }
    const quick = Array.from({ length: 64 }, (_, i) => `quick-${i}`);
    for (const id of quick) {
      server.send(call(id, "sleep", { ms: 1 }));
    }
    const answers = await server.answers(quick);
    for (const id of quick) {
      const { result, afterMs } = answers.get(id);
      assert.ok(!result.isError, JSON.stringify(result));
      assert.ok(afterMs < 1000, `${id} was answered after ${afterMs} ms, expected less than 1000`);
    }
    assert.ok(!ids.some((id) => answers.has(id)), "a cancelled call was answered");
  }),
);

test("cancelling and answering at the same moment breaks nothing", inTime, () =>
  withServer("probe", async (server) => {
    for (let i = 0; i < 300; ++i) {
      server.send(call(i, "sleep", { ms: 1 }));
      server.send(cancel(i));
    }
    server.send(call("last", "noarg"));
    const answers = await server.answers(["last"]);
    assert.equal(textOf(answers.get("last")), "ok");
    await sleep(100);
    server.lines.length = 0; // those that won the race
  }),
);

test("no input at all ends the process within 1 s (M23)", inTime, async () => {
  const start = Date.now();
  const server = new Server(serve("echo"), { stdio: ["ignore", "pipe", "pipe"] });
  assert.deepEqual(await server.ended(), { code: 0, signal: null }, server.stderr);
  assert.ok(Date.now() - start < 1000, `it took ${Date.now() - start} ms`);
  assert.deepEqual(server.lines, []);
});

test("what was asked before the end of input is answered (M23)", inTime, async () => {
  const server = new Server(serve("probe"));
  const asked = [initialize(), initialized, call(1, "noarg"), call(2, "sleep", { ms: 300 })];
  server.process.stdin.end(asked.map((message) => `${JSON.stringify(message)}\n`).join(""));
  const answers = await server.answers(["start", 1, 2]);
  assert.equal(textOf(answers.get(1)), "ok");
  assert.equal(answers.get(2).result.structuredContent.cancelled, false);
  assert.deepEqual(await server.ended(), { code: 0, signal: null }, server.stderr);
});

test("a last line without its end is a message", inTime, async () => {
  const server = new Server(serve("echo"));
  server.process.stdin.end(JSON.stringify(ping(1)));
  assert.deepEqual(await server.next(), { jsonrpc: "2.0", id: 1, result: {} });
  assert.equal((await server.ended()).code, 0, server.stderr);
});

test(
  "the end of input during a long call ends the process in bounded time (M23)",
  inTime,
  async () => {
    const server = new Server(serve("probe"));
    server.send(initialize());
    await server.next();
    server.send(call(1, "sleep", { ms: 60_000 }));
    await sleep(100);
    const exit = await server.close(20_000);
    assert.deepEqual(exit, { code: 0, signal: null }, server.stderr);
  },
);

test(
  "a client that closes its end before the answer ends the process in order (M25)",
  inTime,
  async () => {
    const server = new Server(serve("probe"));
    server.send(initialize());
    await server.next();
    server.process.stdout.destroy();
    server.send(call(1, "big", { bytes: 1 << 20 }));
    server.send(call(2, "big", { bytes: 1 << 20 }));
    await sleep(500);
    const exit = await server.close(10_000);
    assert.equal(exit.signal, null, `it was killed by a signal: ${server.stderr}`);
    assert.ok(server.stderr.length < 20_000, "it went on complaining");
  },
);

test("an id is free for use once its answer is out", inTime, () =>
  withServer("probe", async (server) => {
    for (let round = 0; round < 300; round += 1) {
      server.send(call(1, "structured", { x: round }));
      const answer = await server.next();
      assert.equal(answer.result?.isError ?? false, false, JSON.stringify(answer));
    }
  }),
);

test("half a character is answered by its id, with what is wrong (S14)", inTime, () =>
  withServer("echo", async (server) => {
    server.write(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` +
      `{"name":"echo","arguments":{"text":"\\ud83c"}}}\n`);
    const answer = await server.next();
    assert.equal(answer.id, 7);
    assert.equal(answer.error.code, -32602);
    assert.match(answer.error.message, /a lone surrogate/);
  }),
);

test("what is nested too deep is answered by its id", inTime, () =>
  withServer("probe", async (server) => {
    const nested = (depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    for (const depth of [127, 128, 5000]) { // and one for the arguments themselves
      server.write(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` +
        `{"name":"noarg","arguments":{"a":${nested(depth)}}}}\n`);
      const answer = await server.next();
      assert.equal(answer.id, 7);
      if (depth > 127) {
        assert.equal(answer.error.code, -32602);
        assert.match(answer.error.message, /the limit is 130 \(limits\.jsonDepth and 2 for/);
      } else {
        assert.ok(answer.result);
      }
    }
  }),
);

test("a batch has a limit, and a small one is answered whole", inTime, () =>
  withServer(
    "probe",
    async (server) => {
      server.write(`[${Array.from({ length: 101 }, (_, i) => JSON.stringify(ping(i))).join()}]\n`);
      const refusal = await server.next();
      assert.equal(refusal.error.code, -32600);
      assert.match(refusal.error.message, /101 messages; the limit is 100/);
      server.write(`[${JSON.stringify(ping(1))},${JSON.stringify(call(2, "noarg", {}))}]\n`);
      const ids = (await server.next()).map((answer) => answer.id);
      assert.deepEqual(ids.sort(), [1, 2]);
    },
    "2025-03-26",
  ),
);

test("a client that closes only its reading end is noticed", inTime, async () => {
  const server = new Server(serve("echo"));
  server.send(initialize());
  await server.next();
  server.process.stdout.destroy();
  server.send(ping(1));
  server.send(ping(2));
  const exit = await server.ended(5_000);
  assert.equal(exit.signal, null);
});

test("SIGTERM ends the process in order", inTime, async () => {
  const server = new Server(serve("probe"));
  server.send(initialize());
  await server.next();
  server.process.kill("SIGTERM");
  assert.deepEqual(await server.ended(3000), { code: 0, signal: null }, server.stderr);
});

test(
  "large results come whole, or the limit is named, and the server serves on (M07)",
  inTime,
  () =>
    withServer("probe", async (server) => {
      server.send(call(1, "big", { bytes: 1 << 20 }));
      assert.equal(textOf(await server.next()), "x".repeat(1 << 20));
      server.send(call(2, "big", { bytes: 20 << 20 }));
      server.send(ping(3));
      const big = (await server.answers([2, 3], 20_000)).get(2);
      if (big.result.isError) {
        assert.match(textOf(big), /20971520/, "the size is not named");
        assert.match(textOf(big), /PAYLOAD_TOO_LARGE/);
      } else {
        assert.equal(textOf(big).length, 20 << 20);
      }
    }),
);

test("a large argument comes back whole", inTime, () =>
  withServer("echo", async (server) => {
    const text = "0123456789abcdef".repeat(1 << 15);
    server.send(call(1, "echo", { text }));
    assert.equal(textOf(await server.next(10_000)), text);
  }),
);

test("bytes that are not UTF-8 are refused, and the server serves on", inTime, () =>
  withServer("echo", async (server) => {
    server.process.stdin.write(
      Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",'),
        Buffer.from('"arguments":{"text":"'),
        Buffer.from([0xff, 0xfe, 0x80]),
        Buffer.from('"}}}\n'),
      ]),
    );
    const { id, error } = await server.next();
    assert.deepEqual([id, error.code], [null, -32700]);
    server.send(ping(2));
    assert.equal((await server.next()).id, 2);
  }),
);

test("many requests in one write are answered once each", inTime, () =>
  withServer("echo", async (server) => {
    const ids = Array.from({ length: 2000 }, (_, i) => i);
    server.write(
      ids.map((id) => `${JSON.stringify(call(id, "echo", { text: `t${id}` }))}\n`).join(""),
    );
    const seen = new Set();
    for (const _ of ids) {
      const answer = await server.next();
      assert.ok(!seen.has(answer.id), `id ${answer.id} was answered twice`);
      seen.add(answer.id);
      assert.equal(textOf(answer), `t${answer.id}`);
    }
    assert.equal(seen.size, ids.length);
  }),
);

test("a revision lists only what it knows of a tool", inTime, async () => {
  for (const [revision, known] of [
    ["2025-11-25", true],
    ["2025-03-26", false],
  ]) {
    await withServer(
      "probe",
      async (server) => {
        server.send(list(1));
        const { tools } = (await server.next()).result;
        const tool = tools.find(({ name }) => name === "structured");
        assert.equal("outputSchema" in tool, known, `outputSchema in revision ${revision}`);
        const names = [
          "sleep",
          "progress",
          "later",
          "big",
          "noarg",
          "structured",
          "pair",
          "caller",
          "refuse",
          "throw",
          "throw_int",
          "noisy",
        ];
        assert.deepEqual(tools.map(({ name }) => name).toSorted(), names.toSorted());
      },
      revision,
    );
  }
});

const secret = "token=EXAMPLE-SECRET-9 in /srv/plugin";

test("what a plugin throws reaches the operator's log, not the MCP client", inTime, async () => {
  const server = new Server(serve("probe"));
  server.send(call(1, "throw", { what: secret }));
  const line = await server.nextLine();
  assert.ok(line.includes("Internal server error"), line);
  assert.ok(!/EXAMPLE-SECRET|srv|runtime_error/.test(line), line);
  assert.equal((await server.close()).code, 0);
  assert.ok(server.stderr.includes("/srv/plugin"), server.stderr);
});

test("what a plugin throws reaches the operator's log, not the agent", inTime, async () => {
  const server = new Server([tenon, "agent", "execute", "--isolation", "none", fixture("probe")]);
  server.process.stdin.end(
    JSON.stringify({
      runId: "run-1",
      format: "anthropic",
      messages: [],
      calls: [{ type: "tool_use", id: "toolu_1", name: "throw", input: { what: secret } }],
    }),
  );
  await server.ended();
  const said = [...server.lines, server.unfinished].join("\n");
  assert.ok(said.includes("Internal server error"), `${said}\n${server.stderr}`);
  assert.ok(!/EXAMPLE-SECRET|srv|runtime_error/.test(said), said);
  assert.ok(server.stderr.includes("/srv/plugin"), server.stderr);
});

test(
  "what a plugin throws is no part of the failure that the command line prints",
  inTime,
  async () => {
    const server = new Server(
      [tenon, "call", "--isolation", "none", fixture("probe"), "throw", "--what", secret],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    assert.equal((await server.ended()).code, 1, server.stderr);
    assert.deepEqual([...server.lines, server.unfinished], [""]);
    const failure = server.stderr.split("\n").find((line) => line.startsWith("{"));
    assert.deepEqual(JSON.parse(failure), {
      error: "INTERNAL_SERVER_ERROR",
      retryable: false,
      details: { message: "Internal server error" },
    });
    assert.ok(server.stderr.includes("/srv/plugin"), server.stderr);
  },
);
