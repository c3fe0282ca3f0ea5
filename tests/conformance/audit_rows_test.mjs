// SPDX-License-Identifier: Apache-2.0
// One row for each call over MCP, with what is true of it.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  checkCommon, inPlace, plugin, pluginOf, rowsOf, shakeHands, stores,
} from "./audit.mjs";
import { call, cancel } from "./requests.mjs";
import { requireBuilt, sleep } from "./server.mjs";

before(() => requireBuilt("audited", "probe"));

const inTime = { timeout: 60_000 };
const bytes = (text) => Buffer.byteLength(text);
const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentSpanId = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${parentSpanId}-01`;

// Each call: what is sent, what the row must say beyond that. Times are in milliseconds.
const refusal = "The thing is held by somebody else.";
const mcpCalls = [
  {
    what: "ok",
    send: { tool: "keep", args: { text: "é and more" } },
    row: { ok: true, outcome: "ok", statusCode: 200, resultSize: bytes('{"bytes":11}') },
  },
  {
    what: "mended",
    send: { tool: "keep", args: { text: "a", ms: "1" } },
    row: {
      ok: true,
      outcome: "ok",
      statusCode: 200,
      resultSize: bytes('{"bytes":1}'),
      coerced: ["/ms"],
    },
  },
  {
    what: "a text and a picture",
    send: { tool: "pair", args: {} },
    row: {
      ok: true,
      outcome: "ok",
      statusCode: 200,
      resultSize: bytes("a grey pixel") + 67 + bytes("image/png"), // 67: the picture
    },
  },
  {
    what: "invalid",
    send: { tool: "keep", args: { txet: "a" } },
    row: { ok: false, outcome: "invalid", statusCode: 400, errorCode: "VALIDATION_ERROR" },
    message: /^The arguments are not valid: .*txet/,
    detail: (detail) => assert.ok(detail.issues.length >= 2, JSON.stringify(detail)),
  },
  {
    what: "failed",
    send: { tool: "refuse", args: {} },
    row: {
      ok: false,
      outcome: "failed",
      statusCode: 409,
      errorCode: "CONFLICT",
      errorMessage: refusal,
      errorDetail: { heldBy: "another call" },
    },
  },
  {
    what: "failed with a code of the plugin's own",
    send: { tool: "refuse", args: { code: "DOOR_SHUT" } },
    row: {
      ok: false,
      outcome: "failed",
      statusCode: 500,
      errorCode: "DOOR_SHUT",
      errorMessage: refusal,
      errorDetail: { heldBy: "another call" },
    },
  },
  {
    what: "internal",
    send: { tool: "throw", args: { what: "the disk /srv/7 is gone" } },
    row: {
      ok: false,
      outcome: "internal",
      statusCode: 500,
      errorCode: "INTERNAL_SERVER_ERROR",
      errorMessage: "the disk /srv/7 is gone",
    },
    scrubbed: /srv|gone|runtime_error/,
  },
  {
    what: "internal without words",
    send: { tool: "throw_int", args: {} },
    row: { ok: false, outcome: "internal", statusCode: 500, errorCode: "INTERNAL_SERVER_ERROR" },
    message: /./,
  },
  {
    what: "mismatch",
    send: { tool: "mismatch", args: {} },
    row: { ok: false, outcome: "mismatch", statusCode: 500, errorCode: "INTERNAL_SERVER_ERROR" },
    message: /\/count: expected an integer, found a string/,
  },
  {
    what: "timeout",
    send: { tool: "sleep", args: { ms: 20_000 } },
    row: { ok: false, outcome: "timeout", statusCode: 408, errorCode: "TIMEOUT" },
    message: /./,
    least: 1000,
  },
];

function checkRow(row, expected, common) {
  const { message, row: own } = expected;
  if (message) {
    assert.match(row.errorMessage, message);
    delete row.errorMessage;
  }
  if (expected.detail) {
    expected.detail(row.errorDetail);
    delete row.errorDetail;
  }
  assert.deepEqual(row, { resultSize: 0, ...common, ...own });
}

for (const store of stores) {
  test(`each outcome of a call over MCP is one row that says it (${store})`, inTime, () =>
    inPlace(async (place) => {
      const from = Date.now();
      const plugins = [plugin("audited"), plugin("probe", { timeout: "1s" })];
      const server = place.serve(place.manifest({ [store]: place.file(store) }, plugins));
      await shakeHands(server, "rows-test");
      const answers = [];
      for (const [id, { send }] of mcpCalls.entries()) {
        const request = call(id, send.tool, send.args);
        request.params._meta = { traceparent };
        server.send(request);
        answers.push(await server.nextLine(10_000));
      }
      server.send(call("none", "nothing_of_this_name"));
      assert.equal((await server.next()).id, "none"); // no tool, no row
      assert.equal((await server.close()).code, 0, server.stderr);
      assert.deepEqual(server.lines, []);
      const about = { from, to: Date.now() };

      const rows = rowsOf(place.file(store));
      assert.equal(rows.length, mcpCalls.length, "rows");
      const client = { clientName: "rows-test", protocolVersion: "2025-11-25" };
      const digests = new Map();
      for (const [i, expected] of mcpCalls.entries()) {
        const { tool, args } = expected.send;
        try {
          assert.ok(rows[i].durationMs >= (expected.least ?? 0), `${rows[i].durationMs} ms`);
          digests.set(rows[i].catalogDigest, rows[i].plugin);
          assert.ok(!expected.scrubbed?.test(answers[i]), `the client reads: ${answers[i]}`);
          const rest = checkCommon(rows[i], "mcp", about);
          checkRow(rest, expected, {
            ...client,
            ...pluginOf(tool),
            toolName: tool,
            payload: args,
            responseBytes: bytes(answers[i]),
            traceId,
            parentSpanId,
          });
        } catch (error) {
          error.message = `${expected.what}: ${error.message}`;
          throw error;
        }
      }
      assert.equal(digests.size, 2, "a digest for each plugin's catalog");

      assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
      assert.equal(new Set(rows.map(({ spanId }) => spanId)).size, rows.length);
      assert.deepEqual(rows.map(({ id }) => id), rows.map(({ id }) => id).toSorted());
    }),
  );

  test(`a cancelled call has a row, and no answer in it (${store})`, inTime, () =>
    inPlace(async (place) => {
      const from = Date.now();
      const server = place.serve(place.manifest({ [store]: place.file(store) }));
      await shakeHands(server, "rows-test");
      server.send(call("slow", "keep", { text: "c", ms: 20_000 }));
      await sleep(50);
      server.send(cancel("slow"));
      assert.equal((await server.close()).code, 0, server.stderr);
      assert.deepEqual(server.lines, [], "who cancels gets no answer");
      const rows = rowsOf(place.file(store));
      assert.equal(rows.length, 1);
      const row = checkCommon(rows[0], "mcp", { from, to: Date.now() });
      assert.match(row.traceId, /^[0-9a-f]{32}$/);
      assert.match(row.errorMessage, /./);
      delete row.traceId;
      delete row.errorMessage;
      assert.deepEqual(row, {
        clientName: "rows-test",
        protocolVersion: "2025-11-25",
        ...pluginOf("keep"),
        toolName: "keep",
        ok: false,
        outcome: "cancelled",
        statusCode: 499,
        errorCode: "CANCELLED",
        payload: { text: "c", ms: 20_000 },
        resultSize: 0,
        responseBytes: 0,
      });
    }),
  );

  test(`calls that are too many have rows like all others (${store})`, inTime, () =>
    inPlace(async (place) => {
      const plugins = [plugin("audited", { concurrency: 1 })];
      const server = place.serve(place.manifest({ [store]: place.file(store) }, plugins));
      await shakeHands(server);
      const ids = Array.from({ length: 1030 }, (_, i) => i); // one runs, 1024 wait, 5 are too many
      for (const id of ids) {
        server.send(call(id, "keep", { text: `call ${id}`, ms: 60_000 }));
      }
      const refused = [];
      while (refused.length < 5) {
        refused.push(await server.next());
      }
      for (const id of ids) {
        server.send(cancel(id));
      }
      assert.equal((await server.close(20_000)).code, 0, server.stderr);
      assert.deepEqual(server.lines, []);

      const rows = rowsOf(place.file(store));
      assert.equal(rows.length, ids.length);
      const overloaded = rows.filter(({ outcome }) => outcome === "overloaded");
      assert.deepEqual(
        overloaded.map(({ payload }) => payload.text),
        refused.map(({ id }) => `call ${id}`),
      );
      for (const [i, row] of overloaded.entries()) {
        assert.equal(row.statusCode, 503);
        assert.equal(row.errorCode, "OVERLOADED");
        assert.equal(row.responseBytes, bytes(JSON.stringify(refused[i])));
      }
      const cancelled = rows.filter(({ outcome }) => outcome === "cancelled");
      assert.equal(cancelled.length, 1025);
      assert.equal(new Set(rows.map(({ payload }) => payload.text)).size, ids.length);
    }),
  );

  test(`a client is named in its own calls alone, 64 at a time (${store})`, inTime, () =>
    inPlace(async (place) => {
      const plugins = [plugin("audited", { concurrency: 64 })];
      const server = place.serve(place.manifest({ [store]: place.file(store) }, plugins));
      const rounds = 4;
      const answered = new Map();
      for (let round = 0; round < rounds; ++round) {
        const ids = Array.from({ length: 64 }, (_, i) => round * 64 + i);
        for (const id of ids) {
          const name = `client ${id}`;
          const request = call(id, "keep", { text: name, ms: 60 });
          request.params._meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name, version: "1.0.0" },
            "io.modelcontextprotocol/clientCapabilities": {},
            traceparent: `00-${id.toString(16).padStart(32, "f")}-${parentSpanId}-01`,
          };
          server.send(request);
        }
        for (const [id, { afterMs: _, ...answer }] of await server.answers(ids, 20_000)) {
          answered.set(`client ${id}`, bytes(JSON.stringify(answer)));
        }
      }
      assert.equal((await server.close()).code, 0, server.stderr);
      const rows = rowsOf(place.file(store));
      assert.equal(rows.length, rounds * 64);
      for (const row of rows) {
        assert.equal(row.clientName, row.payload.text);
        assert.equal(row.protocolVersion, "2026-07-28");
        assert.equal(row.responseBytes, answered.get(row.clientName));
        const id = Number(row.clientName.slice("client ".length));
        assert.equal(row.traceId, id.toString(16).padStart(32, "f"));
      }
      assert.equal(new Set(rows.map(({ clientName }) => clientName)).size, rounds * 64);
    }),
  );

  test(`each call of a batch has its own row with its own bytes (${store})`, inTime, () =>
    inPlace(async (place) => {
      const server = place.serve(place.manifest({ [store]: place.file(store) }));
      await shakeHands(server, "batch", "2025-03-26");
      const texts = ["a", "two words", "\u00e9".repeat(100)];
      server.send(texts.map((text, i) => call(i, "keep", { text })));
      const answers = await server.next();
      assert.equal((await server.close()).code, 0, server.stderr);
      const rows = rowsOf(place.file(store));
      assert.equal(rows.length, texts.length);
      for (const { id, ...answer } of answers) {
        const row = rows.find(({ payload }) => payload.text === texts[id]);
        assert.equal(row.protocolVersion, "2025-03-26");
        const { jsonrpc, ...rest } = answer;
        assert.equal(row.responseBytes, bytes(JSON.stringify({ jsonrpc, id, ...rest })));
      }
    }),
  );
}
