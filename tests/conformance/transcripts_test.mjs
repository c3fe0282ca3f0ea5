// SPDX-License-Identifier: Apache-2.0
// Plays every transcript of transcripts/ against tenon.
import { readFileSync, readdirSync } from "node:fs";
import { before, suite, test } from "node:test";
import { requireBuilt, serve } from "./server.mjs";
import { parseTranscript, play, revisionsOf } from "./transcript.mjs";

const folder = new URL("transcripts/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".txt"));

for (const name of files.sort()) {
  const text = readFileSync(new URL(name, folder), "utf8");
  for (const revision of revisionsOf(text)) {
    const { plugin, cases } = parseTranscript(text, revision);
    suite(`${name}, revision ${revision}`, () => {
      before(() => requireBuilt(plugin));
      for (const { name: sentence, steps } of cases) {
        test(sentence, { timeout: 30_000 }, () => play(serve(plugin), revision, steps));
      }
    });
  }
}
