// SPDX-License-Identifier: Apache-2.0
// The audit where nothing more can be written: a full disk, a full device, a limit of file size.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { countOf, inPlace, plugin, rowsOf, shakeHands, stores, until } from "./audit.mjs";
import { assertEach, callAll, someTexts, textsOf, times, within } from "./audit_calls.mjs";
import { requireBuilt, sleep } from "./server.mjs";

before(() => requireBuilt("audited"));

const inTime = { timeout: 60_000 };
const audited = [plugin("audited")];
const script = fileURLToPath(new URL("audit_full_disk.mjs", import.meta.url));

for (const store of stores) {
  test(`past the limit of file size calls go on, and no row is lost (${store})`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file(store);
      const limit = 256 * 1024;
      const server = place.serve(place.manifest({ [store]: file }, audited), {
        before: ["prlimit", `--fsize=${limit}:unlimited`],
      });
      await shakeHands(server);
      const texts = someTexts("call", 100, 8000); // 800 kB
      for (let i = 0; i < texts.length; i += 10) {
        assert.ok((await callAll(server, texts.slice(i, i + 10))) < 2000);
        await sleep(5);
      }
      await until("the fault", () => /cannot write/.test(server.stderr));
      const kept = textsOf(rowsOf(file));
      assertEach(kept, within(texts, kept), "what fitted");
      assert.ok(kept.length > 10 && kept.length < texts.length, `${kept.length} rows fitted`);
      execFileSync("prlimit", ["--pid", `${server.process.pid}`, "--fsize=unlimited:unlimited"]);
      await until("all rows", () => countOf(file) >= texts.length);
      assert.equal((await server.close()).code, 0, server.stderr);
      assertEach(textsOf(rowsOf(file)), texts);
      // A database may find room once more, when its log is taken over: then it says both again.
      const faults = times(server.stderr, "cannot write");
      assert.ok(store === "jsonl" ? faults === 1 : faults >= 1 && faults < 5, server.stderr);
      assert.equal(times(server.stderr, "can be written again"), faults, server.stderr);
    }),
  );
}

for (const [store, size] of [["jsonl", "1m"], ["sqlite", "1m"], ["sqlite", "8m"]]) {
  test(
    `a full disk of ${size} stops no call, spoils no file, then has all rows (${store})`,
    { ...inTime, skip: process.getuid() !== 0 && "only root can mount a small disk" },
    () => {
      const words = ["--mount", process.execPath, "--no-warnings", script, store, size];
      const ran = spawnSync("unshare", words, { encoding: "utf8", timeout: 50_000 });
      assert.equal(ran.status, 0, `${ran.error ?? ran.signal ?? ""}\n${ran.stderr}`);
    },
  );
}

for (const delivery of ["async", "sync"]) {
  test(`a device that is always full stops no call, and is named once (${delivery})`, inTime, () =>
    inPlace(async (place) => {
      const server = place.serve(place.manifest({ jsonl: "/dev/full", delivery }, audited));
      await shakeHands(server);
      for (let i = 0; i < 30; ++i) {
        assert.ok((await callAll(server, someTexts(`round ${i}`, 5))) < 2000);
        await sleep(50);
      }
      assert.equal(times(server.stderr, "No space left"), 1, server.stderr);
      assert.equal(times(server.stderr, "/dev/full: cannot write"), 1, server.stderr);
      assert.deepEqual(await server.close(15_000), { code: 0, signal: null }, server.stderr);
      assert.match(server.stderr, /150 rows are lost/);
      assert.deepEqual(server.lines, []);
    }),
  );
}
