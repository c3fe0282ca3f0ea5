// SPDX-License-Identifier: Apache-2.0
// Many calls of the tool `keep`, each with a text of its own, and which of them have their row.
import assert from "node:assert/strict";
import { call } from "./requests.mjs";

export const textsOf = (rows) => rows.map(({ payload }) => payload.text);
export const times = (text, pattern) => text.split(pattern).length - 1;

// Each of the expected texts is there once, and no other; calls run side by side, so in any order.
export function assertEach(seen, expected, what = "rows") {
  const left = new Map(expected.map((text) => [text, 1]));
  const surplus = seen.filter((text) => {
    const open = left.get(text) ?? 0;
    left.set(text, open - 1);
    return open < 1;
  });
  const missing = [...left].filter(([, open]) => open > 0).map(([text]) => text);
  const few = (texts) => texts.slice(0, 10).map((text) => text.slice(0, 40));
  assert.deepEqual(
    { missing: few(missing), surplus: few(surplus) },
    { missing: [], surplus: [] },
    `${what}: ${missing.length} are missing, ${surplus.length} too many`,
  );
}
// Those of the texts that stand among these.
export function within(texts, these) {
  const known = new Set(these);
  return texts.filter((text) => known.has(text));
}

// Sends calls with these texts at once; gives how long the slowest answer took.
export async function callAll(server, texts, ms = 10_000) {
  texts.forEach((text) => server.send(call(text, "keep", { text })));
  const answers = [...(await server.answers(texts, ms)).values()];
  assert.deepEqual(answers.filter(({ result }) => !result || result.isError), []);
  return Math.max(...answers.map(({ afterMs }) => afterMs));
}

export const someTexts = (name, count, size = 0) =>
  Array.from({ length: count }, (_, i) => `${name} ${i}`.padEnd(size, " and so on"));
