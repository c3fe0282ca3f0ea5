// SPDX-License-Identifier: Apache-2.0
// Real clients, in each way that they can speak, against `tenon serve --stdio`.
import assert from "node:assert/strict";
import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as TransportV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { before, suite, test } from "node:test";
import { requireBuilt, sleep } from "../conformance/server.mjs";
import { Recording, checkWire } from "./recording.mjs";

before(() => requireBuilt("echo", "probe"));

const self = { name: "clients-test", version: "1.0.0" };
const legacy = "2025-11-25";
const modern = "2026-07-28";
// probes: a second process is started to find out what the server speaks.
const kinds = [
  { name: "SDK 2, legacy", revision: legacy, make: v2("legacy"), Transport: TransportV2 },
  {
    name: "SDK 2, pinned",
    revision: modern,
    make: v2({ pin: modern }),
    Transport: TransportV2,
    probes: true,
  },
  {
    name: "SDK 2, automatic",
    revision: modern,
    make: v2("auto"),
    Transport: TransportV2,
    probes: true,
  },
  { name: "SDK 1", revision: legacy, make: () => new ClientV1(self), Transport: TransportV1 },
];

function v2(mode) {
  return () => new ClientV2(self, { versionNegotiation: { mode } });
}

// Connects a client of that kind, runs `use`, closes, and checks what went over the wire and that
// the server ended by itself.
async function withClient(kind, plugin, use) {
  const recording = new Recording();
  try {
    const client = kind.make();
    await client.connect(new kind.Transport({ ...recording.command(plugin), stderr: "ignore" }));
    try {
      await use(client);
    } finally {
      await client.close();
    }
    const processes = recording.processes();
    assert.equal(processes.length, kind.probes ? 2 : 1);
    const session = processes.at(-1);
    assert.equal(session.exit, 0, "the server's exit after the client closed");
    const [opening] = processes.flatMap(({ sent }) => sent);
    const claim = opening.params._meta?.["io.modelcontextprotocol/protocolVersion"];
    assert.equal(claim ?? opening.params.protocolVersion, kind.revision);
    for (const one of processes) {
      checkWire(one, kind.revision);
    }
    return session;
  } finally {
    recording.remove();
  }
}

const failureOf = (result) => {
  assert.equal(result.isError, true);
  assert.equal(result.content.length, 1);
  return JSON.parse(result.content[0].text);
};

for (const kind of kinds) {
  suite(kind.name, { timeout: 60_000 }, () => {
    test("connects, and learns the server's name and what it serves", async () => {
      await withClient(kind, "echo", async (client) => {
        assert.equal(client.getServerVersion()?.name, "tenon");
        assert.ok(client.getServerCapabilities().tools);
      });
    });

    test("lists the tool with its description and schema", () =>
      withClient(kind, "echo", async (client) => {
        const { tools } = await client.listTools();
        assert.equal(tools.length, 1);
        const [{ name, description, inputSchema, annotations }] = tools;
        assert.equal(name, "echo");
        assert.equal(description, "Returns the text that it is given.");
        assert.deepEqual(inputSchema, {
          type: "object",
          properties: { text: { type: "string", description: "What to return." } },
          required: ["text"],
          additionalProperties: false,
        });
        assert.equal(annotations.readOnlyHint, true);
      }));

    test("calls a tool and gets its text", () =>
      withClient(kind, "echo", async (client) => {
        const text = 'hi "\\ \n é 😀';
        const result = await client.callTool({ name: "echo", arguments: { text } });
        assert.deepEqual(result.content, [{ type: "text", text }]);
        assert.ok(!result.isError);
      }));

    test("gets structured content that fits the output schema", () =>
      withClient(kind, "probe", async (client) => {
        await client.listTools(); // the client checks results against the schemas of the list
        const result = await client.callTool({ name: "structured", arguments: { x: 21 } });
        assert.deepEqual(result.structuredContent, { x: 21, doubled: 42 });
        assert.deepEqual(JSON.parse(result.content[0].text), { x: 21, doubled: 42 });
      }));

    test("is told of bad arguments in a result that names the path", () =>
      withClient(kind, "echo", async (client) => {
        const wrong = await client.callTool({ name: "echo", arguments: { text: 5 } });
        const failure = failureOf(wrong);
        assert.equal(failure.error, "VALIDATION_ERROR");
        assert.match(failure.details.message, /text/);
        const missing = await client.callTool({ name: "echo", arguments: {} });
        assert.match(failureOf(missing).details.message, /text/);
      }));

    test("gets a JSON-RPC error for an unknown tool", () =>
      withClient(kind, "echo", (client) =>
        assert.rejects(client.callTool({ name: "ehco", arguments: {} }), (error) => {
          assert.equal(error.code, -32602, error.message);
          assert.match(error.message, /ehco/);
          return true;
        }),
      ));

    test("sees progress while a call runs", () =>
      withClient(kind, "probe", async (client) => {
        const seen = [];
        const result = await progressive(
          kind,
          client,
          { name: "progress", arguments: { steps: 20 } },
          {
            onprogress: (report) => seen.push(report),
          },
        );
        assert.deepEqual(result.content, [{ type: "text", text: "ok" }]);
        assert.ok(seen.length >= 1, "no progress was seen");
        for (const [i, { progress, total, message }] of seen.entries()) {
          assert.ok(progress > (seen[i - 1]?.progress ?? 0), "progress did not grow");
          assert.equal(total, 20);
          assert.equal(message, `step ${progress}`);
        }
      }));

    test("cancels a call that runs, and goes on", async () => {
      const session = await withClient(kind, "probe", async (client) => {
        const stop = new AbortController();
        const start = Date.now();
        const call = { name: "sleep", arguments: { ms: 30_000 } };
        const running = progressive(kind, client, call, { signal: stop.signal });
        setTimeout(() => stop.abort("enough"), 200);
        await assert.rejects(running);
        assert.ok(Date.now() - start < 2000, "the client waited for the call");
        await sleep(300); // an answer to what was cancelled would be recorded
        const result = await client.callTool({ name: "noarg" });
        assert.deepEqual(result.content, [{ type: "text", text: "ok" }]);
      });
      assert.ok(session.sent.some(({ method }) => method === "notifications/cancelled"));
    });

    if (kind.revision === legacy) {
      test("pings", () =>
        withClient(kind, "echo", async (client) => {
          await client.ping();
        }));
    }
  });
}

// The two SDKs take the options of a request at different places.
function progressive(kind, client, call, options) {
  return kind.Transport === TransportV1
    ? client.callTool(call, undefined, options)
    : client.callTool(call, options);
}

for (const [mode, revision, era] of [
  ["auto", modern, "modern"],
  [{ pin: modern }, modern, "modern"],
  ["legacy", legacy, "legacy"],
]) {
  test(`a client in the mode ${JSON.stringify(mode)} ends up ${era}`, async () => {
    const kind = { revision, make: v2(mode), Transport: TransportV2, probes: era === "modern" };
    await withClient(kind, "echo", async (client) => {
      assert.equal(client.getProtocolEra(), era);
      assert.equal(client.getNegotiatedProtocolVersion(), revision);
    });
  });
}
