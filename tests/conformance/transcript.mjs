// SPDX-License-Identifier: Apache-2.0
// Reads transcripts and plays them against a server; README.md has the format.
import { schemaOf } from "./mcp_schema.mjs";
import { Exact, differences, parseExact } from "./match.mjs";
import { Server, sleep } from "./server.mjs";

const kinds = {
  ">": "send", // valid by the schema
  ">!": "sendWrong", // not valid by the schema, on purpose
  ">~": "sendRaw", // a JSON string whose content is sent as it is
  "<": "expect",
  "<*": "expectSome", // once or more, until something else comes
  "(": "open",
  ")": "close",
  silence: "silence",
  revision: "revision",
};

function parseStep(line, number, names) {
  const [word] = line.split(/\s/, 1);
  const kind = kinds[word];
  if (kind === undefined) {
    throw new Error(`line ${number}: seen "${line}", expected a step: ${Object.keys(kinds)}`);
  }
  const rest = line.slice(word.length).trim();
  if (kind === "open" || kind === "close") {
    return { kind, number };
  }
  if (kind === "revision" || kind === "silence") {
    return { kind, number, value: kind === "silence" ? Number(rest) : rest };
  }
  try {
    return { kind, number, value: named(parseExact(rest), names) };
  } catch (error) {
    throw new Error(`line ${number}: ${error.message}: ${rest}`);
  }
}

// Puts what `let` named in the place of "@name".
function named(value, names) {
  if (typeof value === "string" && value.startsWith("@")) {
    if (!names.has(value)) {
      throw new Error(`${value} has no "let"`);
    }
    return names.get(value);
  }
  if (value === null || typeof value !== "object" || value instanceof Exact) {
    return value;
  }
  return Array.isArray(value)
    ? value.map((one) => named(one, names))
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, named(one, names)]));
}

// Lines, with those that begin with a space joined to the one before.
function logicalLines(text) {
  const lines = [];
  text.split("\n").forEach((line, i) => {
    if (line.startsWith(" ")) {
      lines.at(-1).text += line.slice(1);
    } else if (line !== "" && !line.startsWith("#")) {
      lines.push({ text: line, number: i + 1 });
    }
  });
  return lines;
}

// The revisions that a transcript is played in.
export function revisionsOf(text) {
  return /^revision (.+)$/m.exec(text)[1].split(" ");
}

// {plugin, cases: [{name, steps}]}. What stands before the first case is played in each.
export function parseTranscript(text, revision) {
  const file = { plugin: undefined, cases: [] };
  const prelude = [];
  const names = new Map([["@revision", revision]]);
  let begun = false; // the line "revision" that lists them was seen
  for (const { text: line, number } of logicalLines(text)) {
    const [, word, rest] = /^(\S+)\s*(.*)$/s.exec(line);
    if (word === "plugin") {
      file.plugin = rest;
    } else if (word === "revision" && !begun) {
      begun = true;
    } else if (word === "let") {
      const [, name, value] = /^(\S+)\s+(.*)$/s.exec(rest);
      names.set(`@${name}`, named(parseExact(value), names));
    } else if (word === "=") {
      file.cases.push({ name: rest, steps: [...prelude] });
    } else {
      (file.cases.at(-1)?.steps ?? prelude).push(parseStep(line, number, names));
    }
  }
  return file;
}

// An id as a key that keeps its type and digits.
const keyOf = (id) => (id instanceof Exact ? id.digits : JSON.stringify(id));

// The answers to a batch may come in any order.
const byId = (message) =>
  Array.isArray(message)
    ? message.toSorted((a, b) => (String(keyOf(a.id)) < String(keyOf(b.id)) ? -1 : 1))
    : message;

class Player {
  constructor(command, revision) {
    this.server = new Server(command);
    this.revision = revision;
    this.asked = new Map(); // id -> {method, revision}
    this.progress = new Map(); // token -> the last report
    this.group = null; // the patterns of a group that is open
    this.raw = ""; // what was sent as it is and has no end of line yet
  }

  async play(steps) {
    try {
      for (const step of steps) {
        await this.#step(step);
      }
      await this.#finish();
    } finally {
      if (this.server.exit === null) {
        this.server.process.kill("SIGKILL");
      }
    }
  }

  async #step({ kind, value, number }) {
    const fail = (said) => {
      throw new Error(`transcript line ${number}: ${said}`);
    };
    switch (kind) {
      case "revision":
        this.revision = value;
        break;
      case "send":
      case "sendWrong":
        this.#send(value, kind === "sendWrong", fail);
        break;
      case "sendRaw":
        this.#sendRaw(value);
        break;
      case "silence":
        await sleep(value);
        this.#nothingWaits(fail);
        break;
      case "open":
        this.group = [];
        break;
      case "close":
        await this.#takeGroup(fail);
        break;
      case "expectSome":
        await this.#takeSome(value, fail);
        break;
      default:
        if (this.group !== null) {
          this.group.push(value);
        } else {
          const seen = await this.#receive(fail);
          const found = differences(byId(value), byId(seen));
          if (found.length > 0) {
            fail(found.join("\n"));
          }
        }
    }
  }

  #send(message, wrong, fail) {
    const faults = schemaOf(this.revision).faultsOfSent(JSON.parse(JSON.stringify(message)));
    if (wrong && faults.length === 0) {
      fail("the message is valid, though the transcript says that it is not: use >");
    }
    if (!wrong && faults.length > 0) {
      fail(`the message is not valid: ${faults.join("; ")}`);
    }
    this.#remember(message);
    this.server.send(JSON.stringify(message));
  }

  // The requests in it are remembered like any other, once their line is whole.
  #sendRaw(text) {
    const lines = (this.raw + text).split("\n");
    this.raw = lines.pop();
    for (const line of lines) {
      try {
        this.#remember(parseExact(line));
      } catch {
        // Not JSON: the server is to say so.
      }
    }
    this.server.write(text);
  }

  #remember(message) {
    for (const one of Array.isArray(message) ? message : [message]) {
      if (one !== null && typeof one === "object" && "id" in one) {
        this.asked.set(keyOf(one.id), { method: one.method, revision: this.revision });
      }
    }
  }

  // The next message, already known to be valid.
  async #receive(fail, ms) {
    const line = await this.server.nextLine(ms);
    if (line === null) {
      const { exit, stderr } = this.server;
      fail(`no message came (${exit ? JSON.stringify(exit) : "the server runs"}): ${stderr}`);
    }
    return this.#read(line, fail);
  }

  #read(line, fail) {
    let message;
    try {
      message = parseExact(line);
    } catch {
      fail(`a line that is not JSON was seen: ${JSON.stringify(line)}`);
    }
    if (/[\r\n]/.test(line)) {
      fail(`a line end within a line was seen: ${JSON.stringify(line)}`);
    }
    const first = Array.isArray(message) ? message[0] : message;
    const revision = this.asked.get(keyOf(first?.id))?.revision ?? this.revision;
    // The schema sees plain numbers: it asks for their kind, the pattern for their digits.
    const plain = JSON.parse(line);
    const methodOf = (id) => this.asked.get(keyOf(id === plain.id ? message.id : id))?.method;
    const faults = schemaOf(revision).faultsOfReceived(plain, methodOf);
    if (faults.length > 0) {
      fail(`not valid by revision ${revision}: ${faults.join("; ")}: ${line}`);
    }
    this.#checkProgress(message, fail);
    return message;
  }

  // What a pattern cannot say: the progress of a token grows from report to report.
  #checkProgress({ method, params }, fail) {
    if (method !== "notifications/progress") {
      return;
    }
    const token = keyOf(params.progressToken);
    const before = this.progress.get(token) ?? -Infinity;
    if (params.progress <= before) {
      fail(`progress ${params.progress} was seen after ${before}; expected it to grow`);
    }
    this.progress.set(token, params.progress);
  }

  async #takeGroup(fail) {
    const open = this.group;
    this.group = null;
    while (open.length > 0) {
      const seen = await this.#receive(fail);
      const at = open.findIndex((pattern) => differences(pattern, seen).length === 0);
      if (at < 0) {
        const near = open.find((one) => differences(one.id, seen?.id).length === 0) ?? open[0];
        fail(`fits nothing that is expected here: ${differences(near, seen).join("\n")}`);
      }
      open.splice(at, 1);
    }
  }

  // Once or more; what comes after and does not fit is left for the next step.
  async #takeSome(pattern, fail) {
    const first = differences(pattern, await this.#receive(fail));
    if (first.length > 0) {
      fail(first.join("\n"));
    }
    for (;;) {
      const line = await this.server.nextLine();
      if (line === null) {
        return;
      }
      if (differences(pattern, this.#read(line, fail)).length > 0) {
        this.server.lines.unshift(line);
        return;
      }
    }
  }

  #nothingWaits(fail) {
    const { lines, unfinished, exit } = this.server;
    if (lines.length > 0 || unfinished !== "" || exit !== null) {
      fail(`seen ${[...lines, unfinished].join("\n")} ${JSON.stringify(exit)}, expected silence`);
    }
  }

  async #finish() {
    const fail = (said) => {
      throw new Error(`after the last step: ${said}`);
    };
    const exit = await this.server.close();
    const { lines, unfinished, stderr } = this.server;
    if (lines.length > 0 || unfinished !== "") {
      fail(`seen ${[...lines, unfinished].join("\n")}, expected nothing more`);
    }
    if (exit.code !== 0) {
      fail(`the server ended with ${JSON.stringify(exit)}, expected exit code 0: ${stderr}`);
    }
  }
}

// Plays one case against a new process; throws at the first thing that is not as written.
export async function play(command, revision, steps) {
  await new Player(command, revision).play(steps);
}
