// SPDX-License-Identifier: Apache-2.0
// Stands between a client and its server: passes every byte on, and appends what passed to a
// file, so that a test sees what an SDK hides. node tap.mjs RECORD -- COMMAND [ARGUMENT...]
//
// RECORD gets JSON lines: {process, from: "client" | "server", line} and {process, exit}.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [record, , command, ...args] = process.argv.slice(2);
const write = (entry) =>
  appendFileSync(record, `${JSON.stringify({ process: process.pid, ...entry })}\n`);

function lines(from) {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      write({ from, line: rest.toString("utf8", 0, end) });
      rest = rest.subarray(end + 1);
    }
  };
}

const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.on("data", lines("client"));
process.stdin.pipe(server.stdin);
server.stdin.on("error", () => {}); // the server has ended; its exit is recorded below
server.stdout.on("data", lines("server"));
server.stdout.pipe(process.stdout);
process.stdout.on("error", () => {}); // the client has gone
process.on("SIGTERM", () => server.kill("SIGTERM"));
server.on("error", (error) => {
  write({ exit: error.message });
  process.exit(1);
});
server.on("close", (code, signal) => {
  write({ exit: signal ?? code });
  process.exit(code ?? 1);
});
