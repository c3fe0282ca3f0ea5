// SPDX-License-Identifier: Apache-2.0
// The transcript runner must see a wrong answer: it is played here against little wrong servers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { differences, parseExact } from "./match.mjs";
import { parseTranscript, play } from "./transcript.mjs";

// A server that answers every line with what `answer(request)` gives: lines, or nothing.
function fake(answer, atEnd = "") {
  const code = `
    const answer = ${answer};
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const out = answer(JSON.parse(line));
      if (out) process.stdout.write(out);
    }).on("close", () => { ${atEnd} });`;
  return [process.execPath, "-e", code];
}

const transcript = `
revision 2025-11-25
= a ping
> {"jsonrpc":"2.0","id":1,"method":"ping"}
< {"jsonrpc":"2.0","id":1,"result":{}}
`;

async function playAgainst(command, text = transcript) {
  const revision = "2025-11-25";
  await play(command, revision, parseTranscript(text, revision).cases[0].steps);
}

const right = '{"jsonrpc":"2.0","id":1,"result":{}}';

test("a right server passes", async () => {
  await playAgainst(fake(`() => '${right}\\n'`));
});

for (const [what, answer, said] of [
  ["another id", `() => '{"jsonrpc":"2.0","id":2,"result":{}}\\n'`, /id 2/],
  ["an id of another type", `() => '{"jsonrpc":"2.0","id":"1","result":{}}\\n'`, /id "1"/],
  ["a key too many", `() => '{"jsonrpc":"2.0","id":1,"result":{"x":1}}\\n'`, /no such key/],
  ["an error", `() => '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}\\n'`, /"result"/],
  ["an invalid message", `() => '{"id":1,"result":{}}\\n'`, /not valid by revision 2025-11-25/],
  ["a log line", `() => 'listening\\n${right}\\n'`, /not JSON/],
  ["CR LF", `() => '${right}\\r\\n'`, /a line end within a line/],
  ["the answer twice", `() => '${right}\\n${right}\\n'`, /expected nothing more/],
  ["half a line at the end", `() => '${right}\\n{'`, /expected nothing more/],
  ["no answer and an end", `() => process.exit(0)`, /no message came/],
]) {
  test(`a server that gives ${what} fails`, async () => {
    await assert.rejects(playAgainst(fake(answer)), said);
  });
}

test("a server that exits with an error fails", async () => {
  await assert.rejects(playAgainst(fake(`() => '${right}\\n'`, "process.exit(3)")), /"code":3/);
});

test("progress that does not grow fails", async () => {
  const told =
    `(r) => [5, 5].map((progress) => JSON.stringify({ jsonrpc: "2.0", ` +
    `method: "notifications/progress", params: { progressToken: "t", progress } }) + "\\n")` +
    `.join("") + '${right}\\n'`;
  const text = `revision 2025-11-25
= a call with progress
> {"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":"t"}}}
<* {"jsonrpc":"2.0","method":"notifications/progress","params":"$any"}
< {"jsonrpc":"2.0","id":1,"result":{}}
`;
  await assert.rejects(playAgainst(fake(told), text), /expected it to grow/);
});

test("something said during a silence fails", async () => {
  const text = transcript.replace("< ", "silence 300\n< ");
  await assert.rejects(playAgainst(fake(`() => '${right}\\n'`), text), /expected silence/);
});

test("a transcript that sends what is invalid without saying so fails", async () => {
  const text = transcript.replace('"method":"ping"', '"method":"pnig"');
  await assert.rejects(playAgainst(fake(`() => '${right}\\n'`), text), /the message is not valid/);
  const other = transcript.replace("> ", ">! ");
  await assert.rejects(playAgainst(fake(`() => '${right}\\n'`), other), /the message is valid/);
});

test("a group takes its messages in any order, and no other", async () => {
  const two = (order) =>
    fake(
      `(r) => r.id === 2 ? ${JSON.stringify(order)}.map((id) => '{"jsonrpc":"2.0","id":' + id + ` +
        `',"result":{}}\\n').join("") : ""`,
    );
  const text = `revision 2025-11-25
= two pings
> {"jsonrpc":"2.0","id":1,"method":"ping"}
> {"jsonrpc":"2.0","id":2,"method":"ping"}
(
< {"jsonrpc":"2.0","id":1,"result":{}}
< {"jsonrpc":"2.0","id":2,"result":{}}
)
`;
  await playAgainst(two([1, 2]), text);
  await playAgainst(two([2, 1]), text);
  await assert.rejects(playAgainst(two([2, 2]), text), /fits nothing that is expected/);
});

test("numbers are compared by their digits", () => {
  const big = parseExact("9007199254740993");
  assert.deepEqual(differences(big, parseExact("9007199254740993")), []);
  assert.equal(differences(big, parseExact("9007199254740992")).length, 1);
  assert.equal(differences(1, parseExact("1.0")).length, 1);
  assert.equal(JSON.stringify({ big }), '{"big":9007199254740993}');
});

test("JSON within a string is compared with the order of its keys", () => {
  const pattern = { $json: { error: "$string", details: { message: "$any", "...": "$any" } } };
  assert.deepEqual(differences(pattern, '{"error":"X","details":{"message":1,"a":2}}'), []);
  assert.equal(differences(pattern, '{"details":{"message":1},"error":"X"}').length, 1);
  assert.equal(differences(pattern, '{"error":"X","details":{"message":1},"more":1}').length, 1);
  assert.equal(differences(pattern, "hello").length, 1);
});
