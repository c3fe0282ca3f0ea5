// SPDX-License-Identifier: Apache-2.0
// Servers that keep an audit, and what is found in it.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { initialize, initialized } from "./requests.mjs";
import { Server, fixture, homesIn, sleep, tenon } from "./server.mjs";

// The two kinds of files, as the manifest names them.
export const stores = ["sqlite", "jsonl"];

// A fixture as the manifest has it; `more` are further keys.
export const plugin = (name, more = {}) => ({ path: fixture(name), isolation: "none", ...more });

// A folder of one test with its servers: they are killed, and it is deleted, when the test is over.
export class Place {
  #folder = mkdtempSync(path.join(tmpdir(), "tenon-audit-"));
  #servers = [];
  #manifests = 0;
  children = []; // other processes that must not outlive the test
  env = homesIn(path.join(this.#folder, "home"));

  path(...names) {
    return path.join(this.#folder, ...names);
  }
  // The file of a store.
  file(store) {
    return this.path(store === "sqlite" ? "audit.db" : "audit.jsonl");
  }
  // Writes a manifest; `audit` is the value of its key, or undefined for no such key. JSON is YAML,
  // but for sizes, which stand without quotes.
  manifest(audit, plugins = [plugin("audited"), plugin("probe")], more = {}) {
    const file = this.path(`tenon-${++this.#manifests}.yaml`);
    const key = audit === undefined ? {} : { audit };
    const json = JSON.stringify({ tenon: 1, ...more, ...key, plugins }, null, 1);
    writeFileSync(file, json.replace(/: "(\d+[KMG]iB)"/g, ": $1"));
    return file;
  }
  run(command, options = {}) {
    const server = new Server(command, { ...options, env: { ...this.env, ...options.env } });
    this.#servers.push(server);
    return server;
  }
  serve(manifest, { words = [], before = [], ...options } = {}) {
    const command = [...before, tenon, "serve", "--stdio", ...words, "--manifest", manifest];
    return this.run(command, options);
  }
  async remove() {
    for (const server of this.#servers.filter(({ exit }) => exit === null)) {
      server.process.kill("SIGKILL");
      await server.exited;
    }
    for (const child of this.children) {
      child.stdin?.end();
      child.kill("SIGKILL");
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

export async function inPlace(use) {
  const place = new Place();
  try {
    await use(place);
  } finally {
    await place.remove();
  }
}

export async function shakeHands(server, clientName = "test", revision = "2025-11-25") {
  const hello = initialize(revision);
  hello.params.clientInfo.name = clientName;
  server.send(hello);
  await server.next(10_000);
  server.send(initialized);
}

// Runs `command` to its end with that input: {code, stdout, stderr}.
export async function runToEnd(place, command, input = "") {
  const server = place.run(command);
  server.process.stdin.end(input);
  const { code } = await server.ended(20_000);
  return { code, stdout: server.lines.concat(server.unfinished).join("\n"), stderr: server.stderr };
}

const jsonColumns = ["errorDetail", "payload", "coerced", "dimensions"];

// A row of the database as the lines have it.
function plainRow({ seq: _, ...columns }) {
  const kept = Object.entries(columns).filter(([, value]) => value !== null);
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      jsonColumns.includes(name) ? JSON.parse(value) : name === "ok" ? value === 1 : value,
    ]),
  );
}

export function withDatabase(file, use, options = { readOnly: true }) {
  const database = new DatabaseSync(file, { timeout: 5000, ...options });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

// What JSON lines hold: the rows, the lines that are none, and what stands behind the last line.
export function readLines(text) {
  const lines = text.split("\n");
  const unfinished = lines.pop();
  const rows = [];
  const broken = [];
  for (const line of lines) {
    try {
      rows.push(JSON.parse(line));
    } catch {
      broken.push(line);
    }
  }
  return { rows, broken, unfinished };
}

// The rows of one file, in order. Whatever else is in it is an error.
export function rowsOf(file) {
  if (/\.db/.test(path.basename(file))) {
    const all = "SELECT * FROM calls ORDER BY seq";
    return withDatabase(file, (database) => database.prepare(all).all()).map(plainRow);
  }
  const { rows, broken, unfinished } = readLines(readFileSync(file, "utf8"));
  if (broken.length > 0 || unfinished !== "") {
    const seen = JSON.stringify([...broken, unfinished]).slice(0, 500);
    throw new Error(`${file} has lines that are no rows: ${seen}`);
  }
  return rows;
}

// How many rows there are, also while they are being written.
export function countOf(...files) {
  const counts = files.map((file) => {
    if (!/\.db/.test(path.basename(file))) {
      return readFileSync(file, "latin1").split("\n").length - 1;
    }
    const count = "SELECT count(*) AS n FROM calls";
    return withDatabase(file, (database) => database.prepare(count).get().n);
  });
  return counts.reduce((a, b) => a + b, 0);
}

// The files that were put aside, oldest first.
export function archivesOf(file) {
  const name = path.basename(file);
  const aside = readdirSync(path.dirname(file))
    .filter((one) => one.startsWith(`${name}.`) && /^\.\d{8}T\d{6}Z/.test(one.slice(name.length)));
  const mark = (one) => one.slice(name.length).split(".").slice(1);
  return aside
    .toSorted((a, b) => {
      const [[stampA, n = 0], [stampB, m = 0]] = [mark(a), mark(b)];
      return stampA === stampB ? n - m : stampA < stampB ? -1 : 1;
    })
    .map((one) => path.join(path.dirname(file), one));
}

// Every byte that a store wrote: of the file, of its log, of what was put aside.
export function bytesOf(file) {
  const name = path.basename(file);
  const files = readdirSync(path.dirname(file)).filter((one) => one.startsWith(name));
  return Buffer.concat(files.map((one) => readFileSync(path.join(path.dirname(file), one))));
}

// Waits until `isSo()`.
export async function until(what, isSo, ms = 10_000) {
  for (const end = Date.now() + ms; !isSo(); await sleep(10)) {
    if (Date.now() >= end) {
      throw new Error(`within ${ms} ms this was not seen: ${what}`);
    }
  }
}

// What stands in every row of a call, checked; gives the other keys. `about` is when the calls
// were made: {from, to}, in milliseconds.
export function checkCommon(row, source, about) {
  const { id, startedAt, durationMs, catalogDigest, spanId, ...rest } = row;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.match(startedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const began = Date.parse(startedAt);
  assert.ok(began >= about.from - 1 && began <= about.to + 1, `${startedAt} is not of this test`);
  assert.ok(durationMs > 0 && durationMs <= about.to - about.from + 1, `it took ${durationMs} ms`);
  assert.match(catalogDigest, /^[0-9a-f]{64}$/);
  assert.match(spanId, /^[0-9a-f]{16}$/);
  const path = `/${source}/${rest.toolName}`;
  const { source: from, kind, method, path: at, round, ...others } = rest;
  assert.deepEqual(
    { source: from, kind, method, path: at, round },
    { source, kind: "tool", method: "TOOL", path, round: 1 },
  );
  return others;
}

// The columns that name a tool's plugin.
export const pluginOf = (tool) =>
  ["keep", "fail", "leak", "mismatch"].includes(tool)
    ? { plugin: "audited", pluginVersion: "2.1.0" }
    : { plugin: "probe", pluginVersion: "1.0.0" };
