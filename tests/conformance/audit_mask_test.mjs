// SPDX-License-Identifier: Apache-2.0
// What must not be written down is nowhere: not in the audit, not in the log at its most talkative,
// not in what the client reads. Ids such as A03 are those of the failures that each keeps away.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { bytesOf, inPlace, plugin, rowsOf, runToEnd, shakeHands, stores } from "./audit.mjs";
import { call } from "./requests.mjs";
import { requireBuilt, tenon } from "./server.mjs";

before(() => requireBuilt("audited", "echo", "probe"));

const inTime = { timeout: 60_000 };
const debug = { words: ["--log-level", "debug"] };
const token = "EXAMPLE-SECRET-1";

// Makes these calls ({name, args, clientName}) of a server, to its end: {stdout, stderr}.
async function serveCalls(place, manifest, calls, clientName) {
  const server = place.serve(manifest, debug);
  await shakeHands(server, clientName);
  const lines = [];
  for (const [id, [name, args]] of calls.entries()) {
    server.send(call(id, name, args));
    lines.push(await server.nextLine(10_000));
  }
  assert.deepEqual(await server.close(), { code: 0, signal: null }, server.stderr);
  return { stdout: lines.join("\n"), answers: lines.map((line) => JSON.parse(line)),
    stderr: server.stderr };
}

// None of the secrets is in any of the outputs; they may be cut, escaped or in another case.
function assertNowhere(secrets, outputs) {
  for (const [where, output] of Object.entries(outputs)) {
    const text = output.toString("latin1").toLowerCase();
    for (const secret of secrets) {
      const part = secret.slice(0, 12).toLowerCase();
      const at = text.indexOf(part);
      assert.equal(at, -1, `${secret} is in ${where}: ${text.slice(at - 100, at + 100)}`);
    }
  }
}

for (const store of stores) {
  test(`a secret of the manifest is nowhere, whatever the plugin does with it (A01, ${store})`,
    inTime, () =>
      inPlace(async (place) => {
        const file = place.file(store);
        const manifest = place.manifest({ [store]: file }, [
          plugin("audited", { config: { token } }),
          plugin("probe"),
        ]);
        const { answers, stderr } = await serveCalls(place, manifest, [
          ["leak", {}],
          ["keep", { text: `it is ${token}, as you know` }],
          ["keep", { text: "x", ms: token }],
          ["throw", { what: `so ${token} is known to another plugin` }],
        ]);
        const outcomes = rowsOf(file).map(({ outcome }) => outcome);
        assert.deepEqual(outcomes, ["internal", "ok", "invalid", "internal"]);
        assert.equal(rowsOf(file)[0].errorMessage, "the service does not take ***");
        assert.equal(rowsOf(file)[1].payload.text, "it is ***, as you know");
        assert.equal(rowsOf(file)[3].errorMessage, "so *** is known to another plugin");
        assert.match(stderr, /the service does not take \*\*\*/);
        // The third answer repeats what its own caller sent.
        const others = JSON.stringify([answers[0], answers[1], answers[3]]);
        assertNowhere([token], { audit: bytesOf(file), stderr, answers: others });
      }),
  );

  for (const [what, broken] of [
    ["throws it while it starts", plugin("audited", { config: { token, broken: true } })],
    ["has no such config", plugin("echo", { config: { token } })],
    ["wants another type", plugin("audited", { config: { token, broken: token } })],
    ["is no plugin", { path: "/dev/null", isolation: "none", config: { token } }],
  ]) {
    test(`a secret is nowhere when its plugin ${what} (A01, ${store})`, inTime, () =>
      inPlace(async (place) => {
        const file = place.file(store);
        const audit = { [store]: file };
        const manifest = place.manifest(audit, [broken, plugin("probe")]);
        const { stdout, stderr } = await serveCalls(place, manifest, [["noarg", {}]]);
        assert.match(stderr, /the plugin is left out/);
        assert.equal(rowsOf(file).length, 1);
        assertNowhere([token], { audit: bytesOf(file), stderr, stdout });
        const alone = place.manifest(audit, [{ ...broken, required: true }]);
        for (const level of ["debug", "info", "warning", "error", "off"]) {
          const words = ["serve", "--stdio", "--log-level", level, "--manifest", alone];
          const ran = await runToEnd(place, [tenon, ...words]);
          assert.equal(ran.code, 12);
          assert.match(ran.stderr, /^tenon: /m);
          assertNowhere([token], { stderr: ran.stderr, stdout: ran.stdout });
        }
      }),
    );
  }

  test(`what looks like a secret is masked in a failing call's row and log (A03, ${store})`,
    inTime, () =>
      inPlace(async (place) => {
        const file = place.file(store);
        const manifest = place.manifest({ [store]: file, mask: ["badge"] });
        const request = {
          url: "https://u:p4ssw0rd-1@host.invalid/x?token=T0ken-2&page=3",
          password: "hunter2-3",
          nested: { api_key: "Key-4", list: [{ deeper: { client_secret: "Secret-5" } }] },
          badge: "Badge-6",
          people: [{ name: "Ada", Badge: 71234567 }],
          maxTokens: 4096,
        };
        const { stdout, stderr, answers } = await serveCalls(place, manifest, [
          ["fail", { request }],
          ["fail", { request, code: "CONFLICT" }],
          ["throw", { what: "PASSWORD=hunter2-3 badge=Badge-6 at https://u:p4ssw0rd-1@host/" }],
        ]);
        const rows = rowsOf(file);
        assert.equal(rows.length, 3);
        const masked = {
          url: "https://***@host.invalid/x?token=***&page=3",
          password: "***",
          nested: { api_key: "***", list: [{ deeper: { client_secret: "***" } }] },
          badge: "***",
          people: [{ name: "Ada", Badge: "***" }],
          maxTokens: 4096,
        };
        for (const row of rows.slice(0, 2)) {
          assert.deepEqual(row.payload.request, masked);
          const sent = row.errorMessage.slice("cannot send ".length); // a text, where numbers were
          assert.deepEqual(JSON.parse(sent.replace(":***}", ':"***"}')), masked);
        }
        assert.deepEqual(rows[1].errorDetail, { sent: masked });
        assert.equal(rows[2].errorMessage, "PASSWORD=*** badge=*** at https://***@host/");
        assert.match(stderr, /cannot send/);
        const secrets = ["p4ssw0rd-1", "T0ken-2", "hunter2-3", "Key-4", "Secret-5", "Badge-6",
          "71234567"];
        assertNowhere(secrets, { audit: bytesOf(file), stderr });
        // What a refusal says is the plugin's answer to its caller; of a fault nothing is said.
        assert.ok(!/hunter2|Badge/.test(JSON.stringify([answers[0], answers[2]])), stdout);
      }),
  );

  test(`tokens and session ids in arguments are masked (A05, ${store})`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file(store);
      const bearer = "sk_live_0123456789abcdef0123456789abcdef";
      const session = "sess_0123456789abcdef0123456789abcdef";
      const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJlLW9mLWl0";
      const request = {
        headers: { Authorization: `Bearer ${bearer}`, "Mcp-Session-Id": session, Cookie: session },
        curl: `curl -H 'Authorization: Bearer ${bearer}' -H 'Mcp-Session-Id: ${session}' host`,
        note: `use bearer ${jwt} please`,
        sessionId: session,
      };
      const manifest = place.manifest({ [store]: file });
      const { stderr, answers } = await serveCalls(place, manifest, [
        ["fail", { request }],
        ["fail", { request, code: "CONFLICT" }],
        ["throw", { what: `none of ${JSON.stringify({ sessionId: session })}, ${request.curl}` }],
        ["keep", { text: request.curl }],
      ]);
      assert.equal(rowsOf(file).length, 4);
      assert.equal(rowsOf(file)[0].payload.request.note, "use bearer *** please");
      assertNowhere([bearer, session, jwt], {
        audit: bytesOf(file),
        stderr,
        answers: JSON.stringify([answers[0], answers[2], answers[3]]),
      });
    }),
  );

  test(`no separator, control or bidirectional sign is written raw (A15, ${store})`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file(store);
      const tricks = ["\u0000", "\u0007", "\u001b[31m", "\r", "\n", "\u007f", "\u0085", "\u009b",
        "\u2028", "\u2029", "\u202a", "\u202e", "\u2066", "\u2069", "\u200e", "\u061c"];
      const nasty = `a${tricks.map((one, i) => `${one}${i}`).join("")}z`;
      const manifest = place.manifest({ [store]: file });
      const { stderr } = await serveCalls(
        place,
        manifest,
        [
          ["fail", { request: { [nasty]: nasty } }],
          ["fail", { request: { text: nasty }, code: "CONFLICT" }],
          ["throw", { what: nasty.slice(3) }], // NUL would end it
          ["keep", { [nasty]: 1 }],
          [nasty, {}],
        ],
        `client ${nasty}`,
      );
      const rows = rowsOf(file);
      assert.deepEqual(
        rows.map(({ outcome }) => outcome),
        ["internal", "failed", "internal", "invalid"],
      );
      const raw = // all but the line feed
        /[\0-\t\v-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
      const texts = store === "jsonl"
        ? bytesOf(file).toString().split("\n") // a line feed more in a row, and the row breaks
        : rows.flatMap((row) => Object.values(row).filter((value) => typeof value === "string"));
      for (const text of [...texts, ...stderr.split("\n")]) {
        const found = raw.exec(text);
        assert.equal(found, null, `U+${found?.[0].charCodeAt(0).toString(16)} in ${text}`);
      }
      for (const line of stderr.trimEnd().split("\n")) {
        assert.match(line, /^\d{4}-\d\d-\d\dT\S+ (debug|info|warning|error) tenon: /);
      }
      for (const { clientName } of rows) {
        assert.match(clientName, /^client a\\u00000\\u00071\\u001b\[31m2\\u000d3.*z$/);
      }
      assert.ok(rows[0].errorMessage.includes("\\u202e"));
      assert.match(rows[2].errorMessage, /^\\u00071\\u001b\[31m2\\u000d3\\u000a4\\u007f5/);
    }),
  );

  test(`what is long is cut, with a notice of it (A15, ${store})`, inTime, () =>
    inPlace(async (place) => {
      const file = place.file(store);
      const long = "many words ".repeat(4_000);
      const { stderr } = await serveCalls(
        place,
        place.manifest({ [store]: file }),
        [
          ["keep", { text: long }],
          ["throw", { what: long }],
          ["fail", { request: { data: "Qk1a".repeat(5000) } }],
          ["fail", { request: Array.from({ length: 40 }).reduce((inner) => [inner], "deep") }],
        ],
        long,
      );
      const rows = rowsOf(file);
      assert.equal(rows.length, 4);
      for (const row of rows) {
        assert.ok(JSON.stringify(row).length < 25_000, "a row is bounded");
        assert.ok(row.clientName.length < 400, "a name is short");
        assert.match(row.clientName, /^many words .*44000 bytes/);
      }
      assert.match(rows[0].payload.text, /^many words .*\[cut, 44000 bytes\]$/);
      assert.match(rows[1].errorMessage, /^many words .*\[cut, 44000 bytes\]$/);
      assert.match(JSON.stringify(rows[2].payload), /"data":"\[base64, 15000 bytes\]"/);
      assert.match(JSON.stringify(rows[3].payload), /\[cut, more than 20 deep\]/);
      const longest = Math.max(...stderr.split("\n").map((line) => line.length));
      assert.ok(longest < 20_000, `a line of ${longest} characters on stderr`);
    }),
  );
}
