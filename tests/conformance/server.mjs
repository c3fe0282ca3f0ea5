// SPDX-License-Identifier: Apache-2.0
// A server process whose standard input and output are pipes of ours.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const build = path.resolve(process.env.TENON_BUILD ?? path.join(root, "build/release"));
export const tenon = path.join(build, "bin/tenon");
export const fixture = (name) => path.join(build, "tests/fixtures", `${name}.so`);

// `serve` keeps an audit and a socket unless told otherwise: in these folders of this test process,
// never in those of whoever runs it. Servers that others start (an SDK) need them as well.
export function homesIn(folder) {
  const homes = {
    HOME: folder,
    XDG_STATE_HOME: path.join(folder, "state"),
    XDG_RUNTIME_DIR: path.join(folder, "run"),
  };
  mkdirSync(homes.XDG_RUNTIME_DIR, { recursive: true, mode: 0o700 });
  return homes;
}
const home = mkdtempSync(path.join(tmpdir(), "tenon-home-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
export const homes = homesIn(home);

// The command that serves a fixture plugin over stdio.
export function serve(name, ...options) {
  return [tenon, "serve", "--stdio", "--isolation", "none", ...options, fixture(name)];
}

export function requireBuilt(...names) {
  for (const file of [tenon, ...names.map(fixture)]) {
    if (!existsSync(file)) {
      throw new Error(`${file} is missing: build it first, or set TENON_BUILD to the build folder`);
    }
  }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Server {
  stderr = "";
  lines = []; // not yet taken
  exit = null; // {code, signal} once it ended
  #rest = Buffer.alloc(0);
  #wake = [];

  constructor(command, options = {}) {
    this.process = spawn(command[0], command.slice(1), {
      stdio: [options.stdin ?? "pipe", "pipe", "pipe"],
      ...options,
      env: { ...process.env, ...homes, ...options.env },
    });
    this.exited = new Promise((resolve) => {
      this.process.on("error", (error) => {
        this.stderr += `cannot start ${command[0]}: ${error.message}\n`;
        resolve((this.exit = { code: null, signal: null }));
        this.#changed();
      });
      this.process.on("close", (code, signal) => {
        resolve((this.exit = { code, signal }));
        this.#changed();
      });
    });
    this.process.stdin?.on("error", () => {}); // it may have ended: the test sees that by itself
    this.process.stderr.on("data", (chunk) => (this.stderr += chunk));
    this.process.stdout.on("data", (chunk) => this.#take(chunk));
  }

  send(message) {
    this.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  }
  write(text) {
    this.process.stdin.write(text);
  }

  // The next line without its end; null when none comes in time or the output has ended.
  async nextLine(ms = 5000) {
    const end = Date.now() + ms;
    while (this.lines.length === 0) {
      const left = end - Date.now();
      if (left <= 0 || this.exit !== null) {
        return null;
      }
      await this.#change(left);
    }
    return this.lines.shift();
  }
  async next(ms = 5000) {
    const line = await this.nextLine(ms);
    if (line === null) {
      throw new Error(
        this.exit === null
          ? `no message came within ${ms} ms; standard error says: ${this.stderr.slice(-1000)}`
          : `the server ended with ${JSON.stringify(this.exit)} before a message came; ` +
              `standard error says: ${this.stderr.slice(-1000)}`,
      );
    }
    return JSON.parse(line);
  }

  // Takes messages until the answers to all those ids have come; gives them by id, with the
  // time in milliseconds that each took.
  async answers(ids, ms = 5000) {
    const found = new Map();
    const start = Date.now();
    while (!ids.every((id) => found.has(id))) {
      const message = await this.next(Math.max(1, ms - (Date.now() - start)));
      if (!("method" in message)) {
        found.set(message.id, { ...message, afterMs: Date.now() - start });
      }
    }
    return found;
  }

  // What it ended with, {code, signal}; it is killed when it does not end in time.
  async ended(ms = 5000) {
    const timer = setTimeout(() => this.process.kill("SIGKILL"), ms);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }
  async close(ms = 5000) {
    this.process.stdin?.end();
    return this.ended(ms);
  }

  #take(chunk) {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let end = this.#rest.indexOf(10); end >= 0; end = this.#rest.indexOf(10)) {
      this.lines.push(this.#rest.toString("utf8", 0, end));
      this.#rest = this.#rest.subarray(end + 1);
    }
    this.#changed();
  }
  // Bytes after the last end of line.
  get unfinished() {
    return this.#rest.toString("utf8");
  }
  #changed() {
    for (const wake of this.#wake.splice(0)) {
      wake();
    }
  }
  #change(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
