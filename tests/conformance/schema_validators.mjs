// SPDX-License-Identifier: Apache-2.0
// The three that judge a value by a schema, each from JSON text to true or false: Tenon through its
// driver, ajv, and the oracle; and the search for the least text on which two of them differ.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Num } from "./schema_generator.mjs";
import { Oracle, parse } from "./schema_oracle.mjs";

const require = createRequire(new URL("../clients/package.json", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const build = path.resolve(process.env.TENON_BUILD ?? path.join(root, "build/release"));
export const driver = path.join(build, "bin/tenon_schema_driver");

// Tenon's answers to documents {schema, instances, formats}, whose schema and instances are texts:
// {valid: [true...], issues} or {error} each.
export function tenon(documents) {
  if (!existsSync(driver)) {
    throw new Error(`${driver} is missing: build it first, or set TENON_BUILD to the build folder`);
  }
  const input = documents.map(({ schema, instances, formats }) =>
    `{"schema":${schema},"instances":[${instances.join(",")}],"formats":"${formats}"}\n`).join("");
  const ran = spawnSync(driver, { input, encoding: "utf8", maxBuffer: 2 ** 30, timeout: 300_000 });
  const lines = ran.stdout.split("\n").slice(0, -1);
  if (ran.status !== 0 || lines.length !== documents.length) {
    const at = documents[lines.length];
    throw new Error(`the driver ended (exit code ${ran.status}, signal ${ran.signal}) at ` +
      `${JSON.stringify(at)}\n${ran.stderr}`);
  }
  return lines.map((line) => JSON.parse(line));
}

// ajv keeps all that it ever compiled, so it is made anew now and then.
const compilesMax = 400;
const made = new Map();
function ajvFor(draft7, formats) {
  const key = `${draft7} ${formats}`;
  let kept = made.get(key);
  if (kept === undefined || ++kept.compiles > compilesMax) {
    const Ajv = require(draft7 ? "ajv" : "ajv/dist/2020.js").default;
    const ajv = new Ajv({ strict: false, logger: false, validateFormats: formats === "assert" });
    require("ajv-formats").default(ajv);
    kept = { ajv, compiles: 0 };
    made.set(key, kept);
  }
  return kept.ajv;
}
const formats = ajvFor(false, "assert").formats;

// A function from an instance's text to a verdict, or to the words with which ajv fails on it;
// throws when ajv refuses the schema.
export function ajv({ schema, formats }, draft7) {
  const compiler = ajvFor(draft7, formats);
  try {
    const validate = compiler.compile(JSON.parse(schema));
    return (instance) => {
      try {
        return validate(JSON.parse(instance));
      } catch (error) {
        return `fails: ${error.message}`;
      }
    };
  } finally {
    compiler.removeSchema(); // the next one may use the same $id
  }
}

// ajv's own, but for what schema_differences.mjs says of them.
function formatCheck(name, text) {
  const known = formats[name];
  const check = known?.validate ?? known;
  if (name === "hostname" && text.endsWith(".")) {
    return false;
  }
  const asked = name === "email" ? text.replace(/@([^.]+)$/, "@$1.example") : text;
  return check === undefined || (check instanceof RegExp ? check.test(asked) : check(asked));
}

export function oracle({ schema, formats }, draft7) {
  const format = formats === "assert" ? formatCheck : () => true;
  const made = new Oracle(parse(schema), { draft7, format });
  return (instance) => made.isValid(parse(instance));
}

// JSON whose numbers keep their text.
const parseTexts = (text) => JSON.parse(text, (_key, value, context) =>
  typeof value === "number" ? new Num(context.source) : value);

const isComposite = (value) =>
  value !== null && typeof value === "object" && !(value instanceof Num);
const remade = (like, entries) =>
  Array.isArray(like) ? entries.map(([, one]) => one) : Object.fromEntries(entries);

// A simpler value that `keeps` still takes: parts are left out, stand for the whole, or are made
// simpler themselves. Strings stay: in a schema they are names.
function simpler(value, keeps) {
  if (value instanceof Num) {
    return ["0", "1", "2"].map((text) => new Num(text))
      .find((one) => one.text.length < value.text.length && keeps(one)) ?? value;
  }
  if (!isComposite(value)) {
    return value;
  }
  if (keeps(true)) {
    return true;
  }
  let entries = Object.entries(value);
  for (let i = 0; i < entries.length;) {
    const fewer = entries.toSpliced(i, 1);
    if (keeps(remade(value, fewer))) {
      entries = fewer;
    } else {
      ++i;
    }
  }
  const part = entries.flatMap(([, one]) => [one].flat())
    .find((one) => isComposite(one) && keeps(one));
  if (part !== undefined) {
    return simpler(part, keeps);
  }
  for (let i = 0; i < entries.length; ++i) {
    const put = (one) => entries.with(i, [entries[i][0], one]);
    entries = put(simpler(entries[i][1], (one) => keeps(remade(value, put(one)))));
  }
  return remade(value, entries);
}

// The simplest {schema, instance, formats} found that is still odd, in so many steps.
export function minimal(start, isOddAtAll, stepsMax = 2000) {
  let best = start;
  let steps = 0;
  const isOdd = (one) => ++steps <= stepsMax && isOddAtAll(one);
  for (let before; before !== best;) {
    before = best;
    for (const part of ["schema", "instance"]) {
      const keeps = (one) => isOdd({ ...best, [part]: JSON.stringify(one) });
      const text = JSON.stringify(simpler(parseTexts(best[part]), keeps));
      best = text === best[part] ? best : { ...best, [part]: text };
    }
  }
  return best;
}
