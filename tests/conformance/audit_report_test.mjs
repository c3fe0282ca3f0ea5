// SPDX-License-Identifier: Apache-2.0
// `tenon audit`: what it prints of both stores, and what it says to words that it does not know;
// `tenon metrics` beside a running serve.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { inPlace, plugin, shakeHands, stores } from "./audit.mjs";
import { callAll, someTexts } from "./audit_calls.mjs";
import { tenon } from "./server.mjs";

const inTime = { timeout: 60_000 };

function run(place, ...words) {
  return spawnSync(tenon, words, { encoding: "utf8", timeout: 20_000, env: {
    ...process.env, ...place.env,
  } });
}

for (const store of stores) {
  test(`audit prints rows and counts, in whatever order its words stand (${store})`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file(store);
      const manifest = place.manifest({ [store]: file }, [plugin("audited")]);
      const server = place.serve(manifest);
      await shakeHands(server, "claude\u202e");
      await callAll(server, someTexts("one", 30));
      server.send({ jsonrpc: "2.0", id: "bad", method: "tools/call",
        params: { name: "keep", arguments: { text: 5, token: "T0K" } } });
      await server.next(10_000);
      const figures = run(place, "metrics");
      assert.equal(figures.status, 0, figures.stderr);
      const calls = (labels, count) =>
        new RegExp(`^tenon_calls_total\\{[^}]*${labels}[^}]*\\} ${count}$`, "m");
      assert.match(figures.stdout, calls('tool="keep"[^}]*code="OK"', 30));
      assert.match(figures.stdout, calls('code="VALIDATION_ERROR"', 1));
      assert.deepEqual(await server.close(), { code: 0, signal: null }, server.stderr);

      const all = run(place, "audit", "--json", file);
      assert.equal(all.status, 0, all.stderr);
      const rows = all.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
      assert.equal(rows.length, 31);
      assert.equal(rows.filter(({ ok }) => ok).length, 30);
      assert.ok(!all.stdout.includes("T0K"));

      const tail = run(place, "audit", "tail", "--manifest", manifest);
      assert.equal(tail.stdout.trimEnd().split("\n").length, 20, tail.stderr);
      assert.match(tail.stdout, /invalid .* keep .*VALIDATION_ERROR/);
      assert.ok(!tail.stdout.includes("\u202e"));

      const failed = run(place, "audit", file, "--failed", "--json", "--since", "1h");
      assert.equal(JSON.parse(failed.stdout).outcome, "invalid");
      const counts = JSON.parse(run(place, "audit", "--counts", "--json", file).stdout);
      const [keep] = counts.tools;
      assert.deepEqual([keep.tool, keep.calls, keep.failed], ["keep", 31, 1]);
      assert.match(run(place, "audit", file, "--counts").stdout, /^keep\s+31\s+1\s/m);
      const none = run(place, "audit", "--tool", "nothing", file);
      assert.deepEqual([none.status, none.stdout], [0, ""]);
      assert.match(none.stderr, /no such rows/);
    }),
  );
}

test("audit refuses what it cannot read, and says what to do", inTime, () =>
  inPlace(async (place) => {
    const cases = [
      [["audit", place.path("none.db")], 12, /there is no such file/],
      [["audit", place.path("a"), place.path("b")], 2, /is left over/],
      [["audit", "--since", "soon", place.path("a")], 2, /--since: it is soon/],
      [["audit", "--limit", "0", place.path("a")], 2, /--limit: it is 0/],
      [["audit", "--counts", "--follow", place.path("a")], 2, /both given/],
      [["audit", place.path("a"), "--manifest", "m.yaml"], 2, /both given/],
      [["metrics"], 12, /no tenon serve .* is running/],
    ];
    for (const [words, code, said] of cases) {
      const done = run(place, ...words);
      assert.equal(done.status, code, `${words}: ${done.stderr}`);
      assert.match(done.stderr, said);
      assert.equal(done.stdout, "");
    }
  }),
);
