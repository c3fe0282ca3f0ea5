// SPDX-License-Identifier: Apache-2.0
// What tap.mjs recorded: read, and checked against the revision's schema.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { schemaOf } from "../conformance/mcp_schema.mjs";
import { homes, serve } from "../conformance/server.mjs";

const tap = fileURLToPath(new URL("tap.mjs", import.meta.url));

export class Recording {
  #folder = mkdtempSync(path.join(tmpdir(), "tenon-clients-"));
  #file = path.join(this.#folder, "wire.jsonl");

  // How a client starts tenon with that fixture plugin, recorded.
  command(plugin) {
    const args = [tap, this.#file, "--", ...serve(plugin)];
    return { command: process.execPath, args, env: homes };
  }

  // By process, in the order of their start: {sent, received, exit}. An automatic client starts a
  // second process to find out what the server speaks.
  processes() {
    const found = new Map();
    for (const line of readFileSync(this.#file, "utf8").trimEnd().split("\n")) {
      const entry = JSON.parse(line);
      const one = found.get(entry.process) ?? { sent: [], received: [], exit: undefined };
      found.set(entry.process, one);
      if ("exit" in entry) {
        one.exit = entry.exit;
      } else {
        one[entry.from === "client" ? "sent" : "received"].push(JSON.parse(entry.line));
      }
    }
    return [...found.values()];
  }

  remove() {
    rmSync(this.#folder, { recursive: true });
  }
}

// Every message of the server is valid by the revision, and every request has one answer, unless
// it was cancelled.
export function checkWire({ sent, received }, revision) {
  const schema = schemaOf(revision);
  const methods = new Map(sent.filter((m) => "id" in m).map((m) => [m.id, m.method]));
  for (const message of received) {
    const faults = schema.faultsOfReceived(message, (id) => methods.get(id));
    assert.deepEqual(faults, [], `not valid by ${revision}: ${JSON.stringify(message)}`);
  }
  const cancelled = sent
    .filter((message) => message.method === "notifications/cancelled")
    .map((message) => message.params.requestId);
  const answered = received.filter((m) => !("method" in m)).map((m) => m.id);
  for (const id of methods.keys()) {
    const times = answered.filter((one) => one === id).length;
    const expected = cancelled.includes(id) ? 0 : 1;
    assert.equal(times, expected, `${methods.get(id)} with id ${id} was answered ${times} times`);
  }
}
