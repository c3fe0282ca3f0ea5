// SPDX-License-Identifier: Apache-2.0
// What the audit has after its writers were killed, and after many of them wrote at once.
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { before, test } from "node:test";
import { archivesOf, inPlace, plugin, readLines, rowsOf, shakeHands, stores } from "./audit.mjs";
import { call } from "./requests.mjs";
import { requireBuilt, sleep } from "./server.mjs";

before(() => requireBuilt("audited"));

const inTime = { timeout: 120_000 };
const audited = [plugin("audited")];

// A process that gets a handful of calls and is killed at some moment behind its first answer.
// Gives the texts of the calls that were answered.
async function killedRound(place, manifest, name, wait) {
  const server = place.serve(manifest, { words: ["--log-level", "error"] });
  const size = (i) => (i % 2 ? 12_000 : 0); // what is large is not written at once
  const texts = Array.from({ length: 8 }, (_, i) => `${name}, call ${i}`.padEnd(size(i), " etc."));
  server.write(
    texts
      .map((text, i) => `${JSON.stringify(call(i, "keep", { text, ms: Math.floor(i / 2) }))}\n`)
      .join(""),
  );
  const first = await server.nextLine(20_000);
  assert.ok(first !== null, `no answer came: ${JSON.stringify(server.exit)} ${server.stderr}`);
  await sleep(wait);
  server.process.kill("SIGKILL");
  await server.exited;
  return [first, ...server.lines].map((line) => {
    const { id, result } = JSON.parse(line);
    assert.ok(result && !result.isError, line);
    return texts[id];
  });
}

// The rows of files whose writers were killed. A line may be torn, but never two into one.
function rowsAfterKills(file, store, t) {
  const files = [...archivesOf(file), file];
  if (store === "sqlite") {
    return files.flatMap(rowsOf);
  }
  const found = files.map((one) => readLines(readFileSync(one, "utf8")));
  assert.equal(found.at(-1).unfinished, "", "a clean end left a part of a line");
  const torn = found.flatMap(({ broken, unfinished }) => [...broken, unfinished]).filter(Boolean);
  for (const line of torn) {
    assert.equal(line.lastIndexOf('{"id":"'), 0, `no row torn by itself: ${line}`);
  }
  t.diagnostic(`${torn.length} torn lines`);
  return found.flatMap(({ rows }) => rows);
}

// Kills so many processes, two at a time, on one file, and looks for what they had answered.
function killAndLook(t, store, rounds, rotate = {}) {
  return inPlace(async (place) => {
    const file = place.file(store);
    const manifest = place.manifest({ [store]: file, delivery: "sync", ...rotate }, audited);
    const answered = [];
    const lane = async (name) => {
      for (let round = 0; round < rounds / 2; ++round) {
        // A sequence that is the same each time, and fills 0 to 4 ms evenly.
        const wait = ((round * 0.618034) % 1) * 4;
        answered.push(...(await killedRound(place, manifest, `${name} ${round}`, wait)));
      }
    };
    await Promise.all([lane("left"), lane("right")]);
    const last = place.serve(manifest);
    last.send(call(1, "keep", { text: "last" }));
    await last.next();
    assert.equal((await last.close()).code, 0, last.stderr);

    assert.ok(answered.length >= rounds, `${answered.length} answers in ${rounds} rounds`);
    assert.ok(answered.length < rounds * 8, "nobody was killed in the middle of calls");
    const files = archivesOf(file).length + 1;
    assert.equal(files > 1, "rotate" in rotate, `${files} files`);
    // Who is killed while rows are put aside may leave them in both files, under one id.
    const rows = [...new Map(rowsAfterKills(file, store, t).map((row) => [row.id, row])).values()];
    const times = new Map();
    for (const { payload, ok, outcome } of rows) {
      assert.deepEqual([ok, outcome], [true, "ok"]);
      times.set(payload.text, (times.get(payload.text) ?? 0) + 1);
    }
    const missing = answered.filter((text) => !times.has(text));
    assert.deepEqual(missing.slice(0, 20), [], `${missing.length} answered calls have no row`);
    const double = [...times].filter(([, n]) => n > 1);
    assert.deepEqual(double.slice(0, 20), [], `${double.length} calls have several rows`);
    const all = rounds * 8;
    t.diagnostic(`${answered.length} of ${all} calls answered, ${rows.length - 1} kept`);
  });
}

for (const store of stores) {
  test(`of what was answered before kill -9, sync loses nothing (${store})`, inTime, (t) =>
    killAndLook(t, store, 1000),
  );
  test(`nor while the file is put aside again and again (${store})`, inTime, (t) =>
    killAndLook(t, store, 150, { rotate: { size: "64KiB" } }),
  );

  const [processes, calls, inFlight] = [8, 500, 16];
  const manyRows = `${calls} large rows`;
  test(`${processes} processes write ${manyRows} each into one file (${store})`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file(store);
      const audit = { [store]: file, rotate: { size: "1GiB" } };
      const manifest = place.manifest(audit, audited);
      // Words of 8 KiB; data without spaces would be kept as its size alone.
      const textOf = (name, i) => `${name} call ${i} `.padEnd(8192, `${i % 10} word `);
      const one = async (name) => {
        const server = place.serve(manifest);
        await shakeHands(server, name);
        const send = (i) => server.send(call(i, "keep", { text: textOf(name, i), ms: 1 }));
        for (let i = 0; i < inFlight; ++i) {
          send(i);
        }
        for (let done = 0; done < calls; ++done) {
          const { id, result } = await server.next(20_000);
          assert.equal(result?.structuredContent.bytes, 8192, `${name}, call ${id}`);
          if (done + inFlight < calls) {
            send(done + inFlight);
          }
        }
        assert.equal((await server.close(20_000)).code, 0, server.stderr);
        assert.ok(!/[1-9]\d* (were|rows are) lost/.test(server.stderr), server.stderr);
      };
      const names = Array.from({ length: processes }, (_, i) => `process-${i}`);
      await Promise.all(names.map(one));

      const rows = rowsOf(file);
      assert.equal(rows.length, processes * calls);
      for (const name of names) {
        const own = rows.filter(({ clientName }) => clientName === name);
        const expected = Array.from({ length: calls }, (_, i) => textOf(name, i));
        assert.deepEqual(own.map(({ payload }) => payload.text).toSorted(), expected.toSorted());
        const ids = own.map(({ id }) => id);
        assert.deepEqual(ids, ids.toSorted(), `the ids of ${name} do not rise`);
      }
      assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
    }),
  );
}

for (const [what, torn, parses] of [
  ["a part of a row", '{"id":"torn","ts":1', false],
  ["a part of a large row", `{"id":"torn","toolName":"${"many words ".repeat(20_000)}`, false],
  ["half a character", Buffer.from('{"id":"torn","toolName":"\u00e9').subarray(0, -1), false],
  ["a row without its line end", '{"id":"torn","ts":1}', true],
]) {
  test(`${what} at the file's end stays alone on its line, and is reported once`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file("jsonl");
      const manifest = place.manifest({ jsonl: file }, audited);
      const before = '{"id":"whole","ts":0}\n';
      writeFileSync(file, before);
      appendFileSync(file, torn);
      const said = [];
      for (const text of ["first", "second"]) {
        const server = place.serve(manifest);
        server.send(call(1, "keep", { text }));
        await server.next();
        server.send(call(2, "keep", { text: `${text} again` }));
        await server.next();
        assert.equal((await server.close()).code, 0, server.stderr);
        said.push(server.stderr);
      }
      const bytes = readFileSync(file);
      const begun = Buffer.concat([Buffer.from(before), Buffer.from(torn), Buffer.from("\n")]);
      assert.ok(bytes.subarray(0, begun.length).equals(begun), "what was there is not as it was");
      const { rows, broken, unfinished } = readLines(bytes.subarray(begun.length).toString());
      assert.deepEqual([broken, unfinished], [[], ""]);
      assert.deepEqual(
        rows.map(({ payload }) => payload.text),
        ["first", "first again", "second", "second again"],
      );
      assert.equal(readLines(bytes.toString()).broken.length, parses ? 0 : 1);
      const size = Buffer.byteLength(torn);
      const notice = new RegExp(`${size} bytes of it at offset ${before.length}\\b`, "g");
      assert.equal(said[0].match(notice)?.length, 1, said[0]);
      assert.ok(!/middle of a row/.test(said[1]), said[1]);
    }),
  );
}
