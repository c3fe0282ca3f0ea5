// SPDX-License-Identifier: Apache-2.0
// What the schema benchmark runs on, and ajv's side of it.
//
//   node schema_bench_ajv.mjs pairs FILE     writes a line {"schema":...,"arguments":...} for each
//                                            tool of tests/data/tools
//   node schema_bench_ajv.mjs measure FILE   times ajv on them; prints one JSON object
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(new URL("../clients/package.json", import.meta.url));
const rounds = 7;
const roundNs = 60e6; // at least so long is measured at a time

const made = new Map();
function compiled(schema) {
  const from = String(schema.$schema).includes("draft-07") ? "ajv" : "ajv/dist/2020.js";
  if (!made.has(from)) {
    const Ajv = require(from).default;
    made.set(from, new Ajv({ strict: false, logger: false, validateFormats: false }));
  }
  const ajv = made.get(from);
  try {
    return ajv.compile(schema);
  } finally {
    ajv.removeSchema(); // the next one may have the same $id
  }
}

// The types of the Berkeley leaderboard are Python's.
const typeOf = { dict: "object", float: "number", tuple: "array", any: undefined };
function translated(schema) {
  if (Array.isArray(schema)) {
    return schema.map(translated);
  }
  if (schema === null || typeof schema !== "object") {
    return schema;
  }
  return Object.fromEntries(Object.entries(schema)
    .map(([key, value]) => key === "type" && value in typeOf ? [key, typeOf[value]]
      : ["enum", "default", "const"].includes(key) ? [key, value] : [key, translated(value)])
    .filter(([, value]) => value !== undefined));
}

let state = 1;
function chance(p) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32 < p;
}
const pick = (list) => list[Math.floor((chance(0.5), state / 2 ** 32) * list.length)];
const vocabulary = ("the report for Monday morning shows that most orders from Berlin and São " +
  "Paulo were delivered in time 42 https://example.com/a/b?c=d src/main.cpp user@example.com")
  .split(" ");

function text(schema) {
  let out = pick(vocabulary);
  for (let words = Math.floor((chance(0.5), state / 2 ** 32) * 8); words > 0; --words) {
    out += ` ${pick(vocabulary)}`;
  }
  return out.padEnd(schema.minLength ?? 0, "x").slice(0, schema.maxLength ?? 1000);
}

// A value of the kind that a model sends, `left` levels deep where the schema has no end. Whether
// it is valid, ajv says.
function valueOf(schema, root, left = 6) {
  if (typeof schema.$ref === "string" && schema.$ref.startsWith("#/")) {
    return valueOf(schema.$ref.slice(2).split("/").reduce((at, key) => at[key], root), root, left);
  }
  if ("const" in schema) {
    return schema.const;
  }
  if (schema.enum) {
    return pick(schema.enum);
  }
  if (schema.default !== undefined && schema.default !== null && chance(0.5)) {
    return schema.default;
  }
  if (schema.examples?.length > 0) {
    return pick(schema.examples);
  }
  const choice = schema.anyOf ?? schema.oneOf;
  if (choice) {
    return valueOf(pick(choice.length > 1 ? choice.filter((one) => one.type !== "null") : choice),
      root, left);
  }
  switch ([schema.type].flat()[0]) {
    case "integer": return Math.ceil(schema.minimum ?? 0) + pick([1, 5, 10, 20]);
    case "number": return (schema.minimum ?? 0) + pick([0.5, 1, 2.25, 10]);
    case "boolean": return chance(0.5);
    case "null": return null;
    case "array": return Array.from(
      { length: Math.max(schema.minItems ?? 0, left > 0 ? pick([1, 2, 3]) : 0) },
      () => valueOf(schema.items ?? {}, root, left - 1));
    case "object": return objectOf(schema, root, left - 1);
    default: return schema.properties ? objectOf(schema, root, left - 1) : text(schema);
  }
}

function objectOf(schema, root, left) {
  const required = new Set(schema.required);
  return Object.fromEntries(Object.entries(schema.properties ?? {})
    .filter(([key]) => required.has(key) || chance(0.5))
    .map(([key, one]) => [key, valueOf(one, root, left)]));
}

function writePairs(file) {
  const lines = [];
  const left = [];
  for (const name of ["livemcpbench.jsonl", "bfcl.jsonl"]) {
    const from = new URL(`../data/tools/${name}`, import.meta.url);
    for (const line of readFileSync(from, "utf8").split("\n").filter(Boolean)) {
      const tool = JSON.parse(line);
      const schema = translated(tool.inputSchema);
      let validate = () => false; // of a schema that is none
      try {
        validate = compiled(schema);
      } catch {}
      const tried = Array.from({ length: 5 }, () => valueOf(schema, schema));
      const value = tried.find((one) => validate(one));
      if (value === undefined) {
        left.push(tool.name);
      } else {
        lines.push(JSON.stringify({ schema, arguments: value }));
      }
    }
  }
  if (left.length > lines.length / 50) {
    throw new Error(`no valid arguments found for ${left.length} tools: ${left.join(", ")}`);
  }
  writeFileSync(file, `${lines.join("\n")}\n`);
  console.log(`${lines.length} tools; none of the arguments guessed for ${left.length} more were ` +
    `valid: ${left.join(", ")}`);
}

// Nanoseconds of one call of work, the median of the rounds.
function timeOf(work, calls) {
  const once = () => {
    const start = process.hrtime.bigint();
    work();
    return Number(process.hrtime.bigint() - start);
  };
  for (let spent = 0; spent < 5 * roundNs;) { // until the optimiser has done its work
    spent += once();
  }
  const seen = Array.from({ length: rounds }, () => {
    let spent = 0;
    let times = 0;
    for (; spent < roundNs; ++times) {
      spent += once();
    }
    return spent / times / calls;
  });
  return seen.sort((a, b) => a - b)[(rounds - 1) / 2];
}

function measure(file) {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const pairs = lines.map((line) => JSON.parse(line));
  const start = process.hrtime.bigint();
  const validators = pairs.map(({ schema }) => {
    return compiled(schema);
  });
  const compileUs = Number(process.hrtime.bigint() - start) / 1e3 / pairs.length;
  const values = pairs.map((pair) => pair.arguments);
  const texts = values.map((value) => JSON.stringify(value));
  let valid = 0;
  const validateNs = timeOf(() => {
    for (let i = 0; i < values.length; ++i) {
      valid += validators[i](values[i]) ? 1 : 0;
    }
  }, values.length);
  const parseNs = timeOf(() => {
    for (const one of texts) {
      valid += JSON.parse(one) === undefined ? 1 : 0;
    }
  }, values.length);
  const bothNs = timeOf(() => {
    for (let i = 0; i < values.length; ++i) {
      valid += validators[i](JSON.parse(texts[i])) ? 1 : 0;
    }
  }, values.length);
  if (!pairs.every((pair, i) => validators[i](pair.arguments)) || valid === 0) {
    throw new Error("ajv refuses arguments that it took before");
  }
  const times = Object.entries({ validateNs, parseNs, bothNs, compileUs });
  console.log(JSON.stringify(Object.fromEntries(times.map(([key, n]) => [key, Math.round(n)]))));
}

const [what, file] = process.argv.slice(2);
if (what === "pairs" && file) {
  writePairs(file);
} else if (what === "measure" && file) {
  measure(file);
} else {
  console.error("usage: schema_bench_ajv.mjs pairs|measure FILE");
  process.exit(2);
}
