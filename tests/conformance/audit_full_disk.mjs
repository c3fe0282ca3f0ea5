// SPDX-License-Identifier: Apache-2.0
// What audit_disk_test.mjs runs in a mount namespace of its own, so that the small disk is gone
// when this process is, however it ends: node audit_full_disk.mjs STORE SIZE
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { archivesOf, countOf, inPlace, plugin, rowsOf, shakeHands, until } from "./audit.mjs";
import { assertEach, callAll, someTexts, textsOf, times, within } from "./audit_calls.mjs";
import { sleep } from "./server.mjs";

const digestOf = (file) => createHash("sha256").update(readFileSync(file)).digest("hex");

// Writes until nothing more fits.
function fill(file) {
  const fd = openSync(file, "w");
  for (let size = 65536; size >= 1; ) {
    try {
      writeSync(fd, Buffer.alloc(size));
    } catch (error) {
      assert.equal(error.code, "ENOSPC");
      size = Math.floor(size / 2);
    }
  }
  closeSync(fd);
}

async function onFullDisk(place, store, disk) {
  const file = path.join(disk, path.basename(place.file(store)));
  const audit = { [store]: file, rotate: { size: "64KiB" } };
  const server = place.serve(place.manifest(audit, [plugin("audited")]));
  await shakeHands(server);
  const early = someTexts("early", 60, 2000);
  for (let i = 0; i < early.length; i += 5) {
    await callAll(server, early.slice(i, i + 5));
    await sleep(5);
  }
  const files = () => [...archivesOf(file), file];
  const allTexts = () => files().flatMap((one) => textsOf(rowsOf(one)));
  await until("the first rows", () => countOf(...files()) >= early.length);
  assert.ok(archivesOf(file).length > 0, "nothing was put aside");
  const before = archivesOf(file).map((one) => [one, digestOf(one)]);

  fill(`${disk}/filler`);
  const late = someTexts("late", 60, 2000);
  for (let i = 0; i < late.length; i += 5) {
    assert.ok((await callAll(server, late.slice(i, i + 5))) < 2000);
    await sleep(20);
  }
  await until("the fault", () => /cannot write/.test(server.stderr));
  const kept = allTexts(); // readable, and no part of a row
  assertEach(kept, within([...early, ...late], kept));
  assert.ok(kept.length >= early.length && kept.length < 120, `${kept.length} rows`);
  assert.deepEqual(before.map(([one]) => [one, digestOf(one)]), before, "old files changed");

  rmSync(`${disk}/filler`);
  await until("all rows", () => countOf(...files()) >= early.length + late.length);
  await callAll(server, ["last"]);
  assert.deepEqual(await server.close(), { code: 0, signal: null }, server.stderr);
  assertEach(allTexts(), [...early, ...late, "last"]);
  assert.deepEqual(before.map(([one]) => [one, digestOf(one)]), before, "old files changed");
  // A database that is full empties its log, and then has room for a few rows more.
  const faults = times(server.stderr, "cannot write");
  assert.ok(store === "jsonl" ? faults === 1 : faults >= 1 && faults < 5, server.stderr);
  assert.equal(times(server.stderr, "can be written again"), faults, server.stderr);
}

const [store, size] = process.argv.slice(2);
await inPlace(async (place) => {
  const disk = place.path("disk");
  mkdirSync(disk);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", disk]);
  try {
    await onFullDisk(place, store, disk);
  } finally {
    execFileSync("umount", ["--lazy", disk]);
  }
});
