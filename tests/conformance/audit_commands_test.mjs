// SPDX-License-Identifier: Apache-2.0
// The audit of `call` and `agent execute`, which keep one where the manifest says so, and where
// `serve` keeps one without being told.
import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { before, test } from "node:test";
import { checkCommon, inPlace, pluginOf, rowsOf, runToEnd, stores } from "./audit.mjs";
import { call } from "./requests.mjs";
import { fixture, requireBuilt, tenon } from "./server.mjs";

before(() => requireBuilt("audited", "echo", "probe"));

const inTime = { timeout: 60_000 };
const bytes = (text) => Buffer.byteLength(text);

for (const store of stores) {
  test(`the command line keeps one row a call where the manifest says so (${store})`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file(store);
      const manifest = place.manifest({ [store]: file });
      const from = Date.now();
      const run = (...words) =>
        runToEnd(place, [tenon, "call", "--manifest", manifest, "--log-level", "off", ...words]);
      const good = await run("keep", "--text", "from a shell", "--ms", "1");
      assert.deepEqual([good.code, good.stdout], [0, '{"bytes":12}\n'], good.stderr);
      const bad = await run("throw", "--what", "the disk /srv/7 is gone");
      assert.equal(bad.code, 1);
      assert.equal(bad.stdout, "");
      assert.ok(!/srv/.test(bad.stderr), bad.stderr);
      const wrong = await run("keep", "--args", '{"text":5}');
      assert.equal(wrong.code, 8, wrong.stderr);

      const rows = rowsOf(file);
      const about = { from, to: Date.now() };
      assert.equal(rows.length, 3);
      const own = rows.map((row) => checkCommon(row, "cli", about));
      for (const row of own) {
        assert.match(row.traceId, /^[0-9a-f]{32}$/);
        delete row.traceId;
      }
      assert.deepEqual(own[0], {
        ...pluginOf("keep"),
        toolName: "keep",
        ok: true,
        outcome: "ok",
        statusCode: 200,
        payload: { text: "from a shell", ms: 1 },
        resultSize: 12,
        responseBytes: bytes(good.stdout),
      });
      assert.deepEqual(own[1], {
        ...pluginOf("throw"),
        toolName: "throw",
        ok: false,
        outcome: "internal",
        statusCode: 500,
        errorCode: "INTERNAL_SERVER_ERROR",
        errorMessage: "the disk /srv/7 is gone",
        payload: { what: "the disk /srv/7 is gone" },
        resultSize: 0,
        responseBytes: bytes(bad.stderr),
      });
      assert.equal(own[2].outcome, "invalid");
      assert.deepEqual(own[2].payload, { text: 5 });
    }),
  );

  test(`an agent's calls have a row each where the manifest says so (${store})`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file(store);
      const manifest = place.manifest({ [store]: file });
      const from = Date.now();
      const use = (id, name, input) => ({ type: "tool_use", id, name, input });
      const calls = [
        use("toolu_1", "keep", { text: "from an agent" }),
        use("toolu_2", "throw", { what: "the disk /srv/7 is gone" }),
        use("toolu_3", "keep", {}),
      ];
      const ran = await runToEnd(
        place,
        [tenon, "agent", "execute", "--manifest", manifest, "--log-level", "off"],
        JSON.stringify({ runId: "run-1", format: "anthropic", messages: [], calls }),
      );
      assert.equal(ran.code, 0, ran.stderr);
      assert.ok(!/srv/.test(ran.stdout), ran.stdout);
      const blocks = JSON.parse(ran.stdout).content;

      const order = ["ok", "internal", "invalid"]; // they run side by side
      const rows = rowsOf(file).toSorted(
        (a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome),
      );
      assert.equal(rows.length, 3);
      assert.deepEqual(rows.map(({ outcome }) => outcome), order);
      for (const [i, row] of rows.entries()) {
        const rest = checkCommon(row, "agent", { from, to: Date.now() });
        assert.equal(rest.toolName, calls[i].name);
        assert.deepEqual(rest.payload, calls[i].input);
        const block = blocks.find(({ tool_use_id: id }) => id === calls[i].id);
        assert.equal(rest.responseBytes, bytes(JSON.stringify(block)));
        assert.equal(rest.ok, i === 0);
      }
      assert.equal(rows[1].errorMessage, "the disk /srv/7 is gone");
    }),
  );
}

test("`audit: off` keeps nothing, and commands without the key keep nothing", inTime, () =>
  inPlace(async (place) => {
    const off = place.serve(place.manifest("off"));
    off.send(call(1, "keep", { text: "a" }));
    assert.equal((await off.next()).id, 1);
    assert.equal((await off.close()).code, 0);
    const bare = place.manifest(undefined);
    await runToEnd(place, [tenon, "call", "--manifest", bare, "keep", "--text", "a"]);
    await runToEnd(place, [tenon, "call", "--isolation", "none", fixture("echo"), "echo", "a"]);
    const calls = [{ type: "tool_use", id: "toolu_1", name: "keep", input: { text: "a" } }];
    const ran = await runToEnd(
      place,
      [tenon, "agent", "execute", "--manifest", bare],
      JSON.stringify({ format: "anthropic", calls }),
    );
    assert.equal(ran.code, 0, ran.stderr);
    assert.ok(!existsSync(place.env.XDG_STATE_HOME));
    assert.deepEqual(readdirSync(place.env.HOME), ["run"]);
  }),
);

for (const [what, folder, env] of [
  ["XDG_STATE_HOME", "state/tenon", {}],
  ["HOME", ".local/state/tenon", { XDG_STATE_HOME: undefined }],
  ["HOME, not a relative path,", ".local/state/tenon", { XDG_STATE_HOME: "state" }],
]) {
  test(`without a word of the manifest, serve keeps an audit below ${what}`, inTime, () =>
    inPlace(async (place) => {
      const server = place.serve(place.manifest(undefined), { env });
      server.send(call(1, "keep", { text: "a" }));
      assert.equal((await server.next()).id, 1);
      assert.equal((await server.close()).code, 0);
      const file = path.join(place.env.HOME, folder, "audit.db");
      assert.deepEqual(rowsOf(file).map(({ payload }) => payload), [{ text: "a" }]);
      assert.ok(server.stderr.includes(file), server.stderr);
      assert.equal(statSync(file).mode & 0o077, 0, "others can read it");
    }),
  );
}
