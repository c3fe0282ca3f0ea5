// SPDX-License-Identifier: Apache-2.0
// What an audit cannot be kept in: named by the manifest it is refused, else served without one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { before, test } from "node:test";
import { inPlace, plugin, rowsOf, runToEnd, stores, withDatabase } from "./audit.mjs";
import { call, textOf } from "./requests.mjs";
import { requireBuilt, tenon } from "./server.mjs";

before(() => requireBuilt("echo"));

const inTime = { timeout: 60_000 };
const echo = [plugin("echo")];

// Root may read and write whatever it likes, unless it gives that up.
const bound = process.getuid() === 0
  ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
  : [];

function makeForeignDatabase(file) {
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE accounts(name TEXT); INSERT INTO accounts VALUES('ada')");
  database.close();
}

// What stands at the path, and what the refusal says of it.
const places = [
  {
    what: "a path in a folder that is missing",
    name: "no/such/file",
    says: /the folder \S+\/no\/such does not exist; make it first/,
  },
  {
    what: "a folder",
    make: (file) => mkdirSync(file),
    says: { jsonl: /it is a directory; name a file in it/, sqlite: /it is no regular file; name/ },
  },
  {
    what: "a pipe",
    make: (file) => execFileSync("mkfifo", [file]),
    says: /expected a regular file|it is no regular file; name one/,
  },
  {
    what: "a file that may not be read",
    make: (file) => writeFileSync(file, '{"id":"a"}\n', { mode: 0 }),
    says: /Permission denied; expected a file that can be written/,
  },
  {
    what: "a file that may not be written",
    make: (file, store) => {
      if (store === "sqlite") {
        makeForeignDatabase(file); // its kind is seen first
      } else {
        writeFileSync(file, "");
      }
      chmodSync(file, 0o400);
    },
    says: { jsonl: /Permission denied; expected a file that can be written/, sqlite: /expected/ },
  },
  {
    what: "a folder that may not be written to",
    name: "closed/file",
    make: (file) => mkdirSync(path.dirname(file), { mode: 0o500 }),
    says: /Permission denied; expected a file that can be written/,
  },
  {
    what: "a text",
    stores: ["sqlite"],
    make: (file) => writeFileSync(file, "this is no database, but it is somebody's\n"),
    says: /it is no SQLite database; expected one that Tenon made, or a path where there is no/,
  },
  {
    what: "a database of another program",
    make: makeForeignDatabase,
    says: { sqlite: /it is a database of another program; expected one that Tenon made/,
      jsonl: /database/ },
  },
  {
    what: "a device that keeps nothing",
    at: "/dev/full",
    stores: ["sqlite"],
    says: /it is no regular file; name one, or a path where there is no file yet/,
  },
];

const contentOf = (file) => {
  const seen = statSync(file, { throwIfNoEntry: false });
  return seen?.isFile() ? readFileSync(file, "hex") : `${seen?.mode}`;
};

for (const { what, name = "file", at, make, says, stores: only = stores } of places) {
  for (const store of only) {
    test(`an audit in ${what} is refused with what to do (${store})`, inTime, () =>
      inPlace(async (place) => {
        const file = at ?? place.path(name);
        make?.(file, store);
        const before = contentOf(file);
        const manifest = place.manifest({ [store]: file }, echo);
        const input = `${JSON.stringify(call(1, "echo", { text: "hi" }))}\n`;
        const words = [["serve", "--stdio", "--manifest", manifest],
          ["call", "--manifest", manifest, "echo", "--text", "hi"]];
        for (const command of words) {
          const ran = await runToEnd(place, [...bound, tenon, ...command], input);
          assert.deepEqual([ran.code, ran.stdout], [12, ""], `${command[0]}: ${ran.stderr}`);
          assert.match(ran.stderr, says[store] ?? says);
          assert.ok(ran.stderr.includes(file), `the path is not named: ${ran.stderr}`);
          assert.match(ran.stderr, /expected a file that can be written, or audit: off in the m/);
          assert.equal(ran.stderr.trimEnd().split("\n").length, 1, ran.stderr);
        }
        assert.equal(contentOf(file), before, "what stood there was changed");
      }),
    );
  }
}

test("a database and lines at one path do not spoil each other", inTime, () =>
  inPlace(async (place) => {
    const file = place.path("audit.db");
    const input = `${JSON.stringify(call(1, "echo", { text: "hi" }))}\n`;
    const serving = (audit) =>
      [tenon, "serve", "--stdio", "--manifest", place.manifest(audit, echo)];
    assert.equal((await runToEnd(place, serving({ sqlite: file }), input)).code, 0);
    const asLines = await runToEnd(place, serving({ jsonl: file }), input);
    assert.equal(asLines.code, 12, `lines are written into a database: ${asLines.stderr}`);
    assert.equal(rowsOf(file).length, 1);
    const checked = withDatabase(file, (one) => one.prepare("PRAGMA integrity_check").all());
    assert.deepEqual(checked.map((row) => row.integrity_check), ["ok"]);
  }),
);

for (const [what, make, env] of [
  ["is below a file", (home) => writeFileSync(path.join(home, "state"), ""), {}],
  ["may not be made", (home) => chmodSync(home, 0o500), {}],
  ["is taken by a folder", (home) =>
    mkdirSync(path.join(home, "state/tenon/audit.db"), { recursive: true }), {}],
  ["has no name", () => {}, { XDG_STATE_HOME: undefined, HOME: undefined }],
]) {
  test(`where the file that nobody named ${what}, serve warns and goes on`, inTime, () =>
    inPlace(async (place) => {
      make(place.env.HOME);
      const server = place.serve(place.manifest(undefined, echo), { env, before: bound });
      for (const id of [1, 2]) {
        server.send(call(id, "echo", { text: `text ${id}` }));
        assert.equal(textOf(await server.next()), `text ${id}`);
      }
      assert.deepEqual(await server.close(), { code: 0, signal: null }, server.stderr);
      assert.equal(server.stderr.match(/warning tenon: no audit is kept: /g)?.length, 1);
      assert.deepEqual(server.lines, []);
      chmodSync(place.env.HOME, 0o700);
      const left = readdirSync(place.env.HOME, { recursive: true });
      assert.deepEqual(left.filter((one) => !/^(run|state)/.test(one)), []);
    }),
  );
}
