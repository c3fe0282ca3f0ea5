// SPDX-License-Identifier: Apache-2.0
// The load generator must see a server that answers wrongly: here are some.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const build = path.resolve(process.env.TENON_BUILD ?? path.join(here, "../../build/release"));
const load = path.join(build, "bin/bench_load");

// A server in which `answer(request, n)` gives the line for the n-th request, or nothing.
function server(answer, after = "") {
  const code = `
    const right = (r, text = r.params.arguments.text) => JSON.stringify(
      { jsonrpc: "2.0", id: r.id, result: { content: [{ type: "text", text }] } });
    const answer = ${answer};
    let n = 0;
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const out = answer(JSON.parse(line), ++n, right);
      if (out) process.stdout.write(out + "\\n");
    }).on("close", () => { ${after} });`;
  return [process.execPath, "-e", code];
}

function run(command, ...options) {
  const args = ["--count", "50", "--warm-up", "5", "--depth", "4", "--timeout-s", "5"];
  const ran = spawnSync(load, [...args, ...options, "--", ...command], { encoding: "utf8" });
  assert.equal(ran.error, undefined, `cannot run ${load}: build the target bench_load first`);
  return { code: ran.status, said: ran.stderr, json: ran.stdout };
}

test("a server that answers rightly, in any order, is measured", () => {
  const swapped = `(r, n, right) => {
    if (n === 20) return void (globalThis.held = right(r));
    return n === 21 ? right(r) + "\\n" + held : right(r); }`;
  const seen = run(server(swapped), "--json");
  assert.equal(seen.said, "");
  assert.equal(seen.code, 0);
  const report = JSON.parse(seen.json);
  assert.equal(report.count, 50);
  assert.ok(report.perSecond > 0 && report.p99Us >= report.p50Us && report.peakRssKib > 0);
});

for (const [what, answer, said] of [
  [
    "another's text",
    `(r, n, right) => right(r, n === 20 ? "x" : undefined)`,
    /request 20 is wrong/,
  ],
  ["another's id", `(r, n, right) => right(n === 20 ? { ...r, id: 9 } : r)`, /no open request/],
  ["an answer twice", `(r, n, right) => right(r) + (n === 20 ? "\\n" + right(r) : "")`, /no open/],
  ["an id as a string", `(r, n, right) => right({ ...r, id: String(r.id) })`, /no open request/],
  [
    "an isError result",
    `(r, n, right) => right(r).replace('{"content', '{"isError":true,"content')`,
    /request 1 is wrong/,
  ],
  [
    "a JSON-RPC error",
    `(r) => JSON.stringify({ jsonrpc: "2.0", id: r.id, error: { code: -1 } })`,
    /request 1 is wrong/,
  ],
  ["something that is not JSON", `(r, n, right) => n === 20 ? "hello" : right(r)`, /no open/],
  ["the request itself", `(r) => JSON.stringify(r)`, /request 1 is wrong/],
  ["an end too soon", `(r, n, right) => n === 20 ? process.exit(0) : right(r)`, /19 answers/],
]) {
  test(`a server that gives ${what} is a failure`, () => {
    const seen = run(server(answer));
    assert.equal(seen.code, 1, `exit code; it said: ${seen.said}`);
    assert.match(seen.said, said);
  });
}

test("a server that never answers is a failure in time", () => {
  const seen = run(server(`(r, n, right) => n === 20 ? "" : right(r)`), "--timeout-s", "1");
  assert.equal(seen.code, 1);
  assert.match(seen.said, /did not answer within 1 s/);
});

test("a server that exits with an error is a failure", () => {
  const seen = run(server(`(r, n, right) => right(r)`, "process.exit(3)"));
  assert.equal(seen.code, 1);
  assert.match(seen.said, /exit code 3/);
});
