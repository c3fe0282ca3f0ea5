// SPDX-License-Identifier: Apache-2.0
// The habits of the tree as functions of (path, text): each gives the problems that it sees.

// Who may include whom: a folder of host/ and what it may name besides itself.
export const edges = {
  support: [],
  json: ["support"],
  schema: ["json", "support"],
  catalog: ["schema", "json", "support"],
  plugin: ["catalog", "schema", "json", "support", "tenon"],
  manifest: ["catalog", "schema", "json", "support"],
  policy: ["catalog", "schema", "json", "support"],
  runner: ["catalog", "policy", "schema", "json", "support"],
  transport: ["json", "support"],
  "frontends/mcp": ["runner", "transport", "catalog", "schema", "json", "support"],
  "frontends/agent": ["runner", "transport", "catalog", "schema", "json", "support"],
  "frontends/cli": ["runner", "transport", "catalog", "schema", "json", "support"],
  app: [
    "support", "json", "schema", "catalog", "plugin", "manifest", "policy", "runner", "transport",
    "frontends/mcp", "frontends/agent", "frontends/cli",
  ],
};

// A third-party header, and the only files that may name it.
export const fences = [
  [/^boost\/dll/, /^host\/plugin\//],
  [/^boost\/beast/, /^host\/transport\//],
  [/^boost\/asio/, /^(host|tests\/unit)\/(transport|runner)\//],
  [/^yaml-cpp\//, /^host\/manifest\/yaml\.cpp$/],
  [/^spdlog\//, /^host\/support\/log\.cpp$/],
  [/^re2\//, /^(host\/schema|plugins\/everyday)\//],
  [/^pcre2\.h/, /^host\/schema\//],
  [/^CLI\//, /^host\/app\/main\.cpp$/],
  [/^sqlite3\.h/, /^host\/runner\/audit\//],
  [/^nlohmann\//, /^(tests|plugins|examples)\//],
  [/^tenon\//, /^(sdk|plugins|tests|examples|host\/plugin)\//],
];

// Files and functions that are longer than the habit, and why they read better whole.
export const longFiles = {
  "sdk/include/tenon/abi.h": "the specification: one page to read from top to bottom",
  "sdk/include/tenon/json.hpp": "a reader and a writer that authors take along as one header",
  "sdk/include/tenon/fields.hpp": "one idea: a struct's fields named once",
  "sdk/include/tenon/context.hpp": "what a handler holds of one call",
  "sdk/include/tenon/plugin.hpp": "what an author writes against, in one place",
};

const isCode = (path) => /\.(h|hpp|c|cpp)$/.test(path);
const folderOf = (path) => {
  const inside = path.replace(/^host\//, "");
  const frontend = /^frontends\/[^/]+/.exec(inside);
  return frontend ? frontend[0] : inside.split("/")[0];
};

export function includesOf(text) {
  return [...text.matchAll(/^#include [<"]([^>"]+)[>"]/gm)].map((match) => match[1]);
}

export function checkEdges(path, text) {
  if (!path.startsWith("host/") || !isCode(path) || path === "host/tenon.h") return [];
  const from = folderOf(path);
  const problems = [];
  for (const include of includesOf(text)) {
    const to = folderOf(include);
    const known = to in edges || to === "tenon";
    if (known && to !== from && !(edges[from] ?? []).includes(to)) {
      problems.push(`${path}: includes ${include}; host/${from} may include ` +
        `${(edges[from] ?? []).join(", ") || "nothing of host/"}`);
    }
  }
  return problems;
}

export function checkFences(path, text) {
  if (!isCode(path)) return [];
  const problems = [];
  for (const include of includesOf(text)) {
    for (const [header, allowed] of fences) {
      if (header.test(include) && !allowed.test(path)) {
        problems.push(`${path}: includes <${include}>, which only ${allowed} may`);
      }
    }
  }
  return problems;
}

export function checkShape(path, text) {
  const problems = [];
  const lines = text.split("\n");
  const markup = /\.(md|jsonl?|yaml)$|\/transcripts\/.*\.txt$/.test(path);
  if (!markup && !/SPDX-License-Identifier: Apache-2.0/.test(lines.slice(0, 2).join())) {
    problems.push(`${path}: does not begin with its SPDX line`);
  }
  if (isCode(path) || /\.(mjs|sh|txt|cmake)$/.test(path)) {
    lines.forEach((line, i) => {
      if ([...line].length > 100) {
        problems.push(`${path}:${i + 1}: ${[...line].length} columns; expected at most 100`);
      }
      if (line.includes("\t")) problems.push(`${path}:${i + 1}: a tab; expected spaces`);
      if (/[ \t]$/.test(line)) problems.push(`${path}:${i + 1}: white space at the end`);
    });
  }
  if (!text.endsWith("\n") || text.endsWith("\n\n")) {
    problems.push(`${path}: expected one line feed at its end`);
  }
  return problems;
}

export function checkLength(path, text) {
  if (!isCode(path) || path.startsWith("tests/")) return [];
  const lines = text.split("\n").length - 1;
  const most = /\.(h|hpp)$/.test(path) ? 220 : 420;
  if (lines > most && !(path in longFiles)) {
    return [`${path}: ${lines} lines; expected at most ${most}, or a reason in longFiles`];
  }
  if (lines <= most && path in longFiles) {
    return [`${path}: ${lines} lines; its entry in longFiles is not needed`];
  }
  return [];
}

// By the layout that clang-format gives: a body opens at the end of a line and closes at the
// column where its line began.
export function checkFunctions(path, text) {
  if (!isCode(path) || path.startsWith("tests/unit/")) return []; // tests are tables
  const problems = [];
  const lines = text.split("\n");
  for (let i = 0; i < lines.length; ++i) {
    if (!/\).*\{$/.test(lines[i]) || /^\s*(\/\/|\*|#)/.test(lines[i])) continue;
    let start = i; // of the statement that ends here
    while (start > 0 && !/[;{}:]$|^\s*$|^\s*(\/\/|#)/.test(lines[start - 1])) --start;
    const notOne = /^ *\}? ?(if|for|while|switch|else|do|catch|namespace|class|struct|enum)\b/;
    if (notOne.test(lines[start])) continue;
    const indent = /^ */.exec(lines[start])[0];
    const end = lines.findIndex((line, k) => k > i && line.startsWith(`${indent}}`));
    if (end - i > 71) {
      problems.push(`${path}:${i + 1}: a function of ${end - i - 1} lines; expected at most 70`);
    }
  }
  return problems;
}

// Who catches exceptions: what strangers throw into a call goes through runner/throw_site.h alone.
const catchers = {
  "host/runner/throw_site.h": "guarded()",
  "host/runner/throw_site.cpp": "thrownBy()",
  "host/runner/scheduler.cpp": "a thread that cannot be started",
  "host/runner/audit/delivery_thread.cpp": "a thread that cannot be started",
  "host/manifest/yaml.cpp": "yaml-cpp's own",
  "host/transport/control.cpp": "what answers a control socket; a thread that cannot be started",
  "host/app/main.cpp": "CLI11's own; a bug of ours, said on stderr",
};
export function checkCatches(path, text) {
  const catches = /\bcatch \(/.test(text);
  if (!path.startsWith("host/") || !isCode(path) || catches === path in catchers) return [];
  return [catches
    ? `${path}: catches; expected guarded() of runner/throw_site.h, or a reason in catchers`
    : `${path}: its entry in catchers is not needed`];
}

// Words that have no place in what ships.
export function checkWords(path, text) {
  const problems = [];
  text.split("\n").forEach((line, i) => {
    if (/\b(TODO|FIXME|XXX|HACK)\b/.test(line) && !path.startsWith("tests/tidy/")) {
      problems.push(`${path}:${i + 1}: a note of unfinished work; finish it or file it`);
    }
  });
  return problems;
}

export const rules = [
  checkEdges, checkFences, checkShape, checkLength, checkFunctions, checkCatches,
  checkWords,
];
