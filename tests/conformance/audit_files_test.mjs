// SPDX-License-Identifier: Apache-2.0
// The audit's file in the hands of others: moved, deleted, locked; and ends in order.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { once } from "node:events";
import { before, test } from "node:test";
import {
  archivesOf, countOf, inPlace, plugin, readLines, rowsOf, shakeHands, stores, until,
} from "./audit.mjs";
import { assertEach, callAll, someTexts, textsOf, times, within } from "./audit_calls.mjs";
import { call } from "./requests.mjs";
import { requireBuilt, sleep } from "./server.mjs";

before(() => requireBuilt("audited"));

const inTime = { timeout: 60_000 };
const audited = [plugin("audited")];

// Calls without end, four at a time, each with a text of its own.
function startLoop(server) {
  const sent = [];
  let stopping = false;
  const send = () => {
    const text = `call ${sent.length}`;
    sent.push(text);
    server.send(call(text, "keep", { text, ms: 1 }));
  };
  const over = (async () => {
    for (let open = 0; open < 4; ++open) {
      send();
    }
    for (let open = 4; open > 0; ) {
      const { id, result } = await server.next(10_000);
      assert.ok(result && !result.isError, `${id}: ${JSON.stringify(result)}`);
      if (stopping) {
        --open;
      } else {
        send();
      }
    }
  })();
  over.catch(() => {}); // stop() says it
  return {
    sent,
    stop() {
      stopping = true;
      return over;
    },
  };
}

// What takes the lock that writers of this store take, says so, and holds it until its input ends.
function holdingCode(store) {
  return store === "sqlite"
    ? `const { DatabaseSync } = require("node:sqlite");
       process.removeAllListeners("warning");
       const database = new DatabaseSync(process.argv[1], { timeout: 1000 });
       database.exec("BEGIN EXCLUSIVE");
       console.log("held");
       process.stdin.on("end", () => { database.exec("ROLLBACK"); database.close(); }).resume();`
    : `const { spawnSync } = require("node:child_process");
       const hold = ["-x", process.argv[1], "-c", "echo held; cat"];
       process.exitCode = spawnSync("flock", hold, { stdio: "inherit" }).status;`;
}

for (const store of stores) {
  test(`SIGHUP puts the file aside while calls run, and loses none (${store})`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file(store);
      const server = place.serve(place.manifest({ [store]: file }, audited));
      await shakeHands(server);
      const loop = startLoop(server);
      for (let hangUps = 1; hangUps <= 3; ++hangUps) {
        const before = loop.sent.length;
        await until("calls", () => loop.sent.length > before + 50 && countOf(file) > 0);
        server.process.kill("SIGHUP");
        await until(`${hangUps} files put aside`, () => archivesOf(file).length >= hangUps);
      }
      await until("rows in the last file", () => countOf(file) > 0);
      await loop.stop();
      assert.deepEqual(await server.close(), { code: 0, signal: null }, server.stderr);
      const files = [...archivesOf(file), file];
      assert.equal(files.length, 4, "a file each time");
      const perFile = files.map((one) => textsOf(rowsOf(one)));
      assert.ok(perFile.every((texts) => texts.length > 0), "each file has rows");
      assertEach(perFile.flat(), loop.sent);
      const ids = files.flatMap((one) => rowsOf(one).map(({ id }) => id));
      assert.deepEqual(ids, ids.toSorted(), "the files are in order");
    }),
  );

  test(`a file that is moved and hung up, then deleted, is followed (${store})`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file(store);
      const moved = place.path(store === "sqlite" ? "moved.db" : "moved.1");
      const server = place.serve(place.manifest({ [store]: file }, audited));
      await shakeHands(server);
      const loop = startLoop(server);
      await until("rows", () => countOf(file) > 50);
      renameSync(file, moved);
      server.process.kill("SIGHUP");
      await until("a new file with rows", () => existsSync(file) && countOf(file) > 50);
      await loop.stop();
      await until("all rows", () => countOf(file, moved) >= loop.sent.length);
      const both = [...textsOf(rowsOf(moved)), ...textsOf(rowsOf(file))];
      assertEach(both, loop.sent);
      assert.deepEqual(archivesOf(file), [], "it is put aside twice");

      const said = server.stderr.length;
      const again = startLoop(server);
      const count = countOf(file);
      await until("more rows", () => countOf(file) > count + 50);
      const ghost = openSync(file, "r");
      for (const one of store === "sqlite" ? [file, `${file}-wal`, `${file}-shm`] : [file]) {
        rmSync(one);
      }
      const atDeletion = again.sent.length;
      await until("a new file with rows", () => existsSync(file) && countOf(file) > 50);
      await again.stop();
      assert.deepEqual(await server.close(), { code: 0, signal: null }, server.stderr);
      const after = textsOf(rowsOf(file));
      assertEach(after, within(again.sent, after), "the new file");
      const behind = again.sent.slice(atDeletion);
      assertEach(within(after, behind), behind, "calls behind the deletion");
      if (store === "jsonl") { // what was deleted can still be read here
        const deleted = readLines(readFileSync(ghost, "utf8"));
        assert.deepEqual([deleted.broken, deleted.unfinished], [[], ""]);
        const all = new Set([...textsOf(deleted.rows), ...after]);
        assertEach([...within(again.sent, all)], again.sent, "the old file and the new one");
      }
      closeSync(ghost);
      const notices = times(server.stderr.slice(said), /warning.*deleted; a new one/);
      assert.equal(notices, 1, server.stderr);
    }),
  );

  test(`several processes put one file aside by its size, and lose none (${store})`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file(store);
      const manifest = place.manifest({ [store]: file, rotate: { size: "128KiB" } }, audited);
      const sent = [];
      await Promise.all(
        ["a", "b", "c"].map(async (name) => {
          const server = place.serve(manifest);
          await shakeHands(server, name);
          for (let round = 0; round < 60; ++round) {
            const texts = someTexts(`${name} ${round}`, 5, 1000);
            sent.push(...texts);
            assert.ok((await callAll(server, texts)) < 2000);
            if (round % 20 === 10) {
              server.process.kill("SIGHUP");
            }
          }
          assert.deepEqual(await server.close(), { code: 0, signal: null }, server.stderr);
          const faults = /[1-9]\d* (were|rows are) lost|grows on|cannot be put aside/;
          assert.ok(!faults.test(server.stderr), server.stderr);
        }),
      );
      const files = [...archivesOf(file), file];
      assert.ok(files.length > 5, `${files.length} files`);
      assertEach(files.flatMap((one) => textsOf(rowsOf(one))), sent);
    }),
  );

  for (const delivery of ["async", "sync"]) {
    test(`while others lock the file calls are answered (${store}, ${delivery})`, inTime, () =>
      inPlace(async (place) => {
        const file = place.file(store);
        const server = place.serve(place.manifest({ [store]: file, delivery }, audited));
        await shakeHands(server);
        await callAll(server, ["before"]);
        await until("its row", () => countOf(file) === 1);
        const holder = spawn(process.execPath, ["-e", holdingCode(store), file], {
          stdio: ["pipe", "pipe", "inherit"],
        });
        place.children.push(holder);
        const ended = once(holder, "close");
        await once(holder.stdout, "data"); // it has the lock
        const started = Date.now();
        const texts = [];
        let slowest = 0;
        while (Date.now() - started < 1500) {
          const one = someTexts(`held ${texts.length}`, 4);
          slowest = Math.max(slowest, await callAll(server, one));
          texts.push(...one);
          await sleep(20);
        }
        // A lock is waited for, with sync, for the second that a call may wait for its row.
        const most = delivery === "sync" ? 1500 : 1000;
        assert.ok(slowest < most, `a call took ${slowest} ms`);
        assert.ok(texts.length >= 8, `${texts.length} calls were answered`);
        assert.deepEqual(textsOf(rowsOf(file)), ["before"], "the lock did not hold");
        holder.stdin.end();
        assert.deepEqual(await ended, [0, null]);
        await until("all rows", () => countOf(file) === texts.length + 1);
        await callAll(server, ["after"]);
        assert.equal((await server.close()).code, 0, server.stderr);
        assertEach(textsOf(rowsOf(file)), ["before", ...texts, "after"]);
        assert.equal(times(server.stderr, "cannot write"), 1, server.stderr);
        assert.equal(times(server.stderr, "can be written again"), 1, server.stderr);
      }),
    );
  }

  test(`a clean end and SIGTERM leave all rows of async delivery (${store})`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file(store);
      const manifest = place.manifest({ [store]: file, delivery: "async" }, audited);
      const closed = someTexts("closed", 300);
      const first = place.serve(manifest);
      first.process.stdin.end(
        closed.map((text) => `${JSON.stringify(call(text, "keep", { text }))}\n`).join(""),
      );
      await first.answers(closed);
      assert.deepEqual(await first.ended(), { code: 0, signal: null }, first.stderr);
      assertEach(textsOf(rowsOf(file)), closed);

      const ended = someTexts("ended", 300);
      const second = place.serve(manifest);
      await callAll(second, ended);
      second.process.kill("SIGTERM");
      assert.deepEqual(await second.ended(), { code: 0, signal: null }, second.stderr);
      assertEach(textsOf(rowsOf(file)), [...closed, ...ended]);

      const third = place.serve(manifest);
      await shakeHands(third);
      third.send(call("open", "keep", { text: "open", ms: 300 }));
      await sleep(50);
      third.process.kill("SIGTERM");
      assert.equal((await third.next()).id, "open");
      assert.deepEqual(await third.ended(), { code: 0, signal: null }, third.stderr);
      assert.equal(rowsOf(file).length, 601);
      assert.deepEqual([rowsOf(file).at(-1).payload.text, rowsOf(file).at(-1).ok], ["open", true]);
    }),
  );
}
