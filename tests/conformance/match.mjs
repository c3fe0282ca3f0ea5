// SPDX-License-Identifier: Apache-2.0
// Exact comparison of JSON with a pattern. Keys must be the same ones, numbers the same digits.
//
//   "$any"  "$string"  "$count"     any value; a string that is not empty; an integer from 0
//   "$match:REGEX"                  a string in which the regular expression is found
//   {"$json": PATTERN}              a string that is JSON; its keys stand in the pattern's order
//   {"key?": PATTERN}               the key may be absent
//   {"...": "$any"}                 other keys may be there

// A number that a double would change: kept as its digits.
export class Exact {
  constructor(digits) {
    this.digits = digits;
  }
  toJSON() {
    return JSON.rawJSON(this.digits);
  }
}

export function parseExact(text) {
  return JSON.parse(text, (_key, value, context) =>
    typeof value === "number" && String(value) !== context.source
      ? new Exact(context.source)
      : value,
  );
}

const show = (value) => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 400 ? `${text.slice(0, 400)}... (${text.length} characters)` : text;
};

// Every difference, one sentence each; none when seen fits the pattern.
export function differences(pattern, seen, path = "", ordered = false) {
  const wrong = (expected) => [`at ${path || "/"}: seen ${show(seen)}, expected ${expected}`];
  if (typeof pattern === "string" && pattern.startsWith("$")) {
    return fitsPlaceholder(pattern, seen) ? [] : wrong(pattern);
  }
  if (pattern instanceof Exact || seen instanceof Exact) {
    return pattern?.digits === seen?.digits ? [] : wrong(show(pattern));
  }
  if (Array.isArray(pattern)) {
    if (!Array.isArray(seen) || seen.length !== pattern.length) {
      return wrong(`an array of ${pattern.length} elements`);
    }
    return pattern.flatMap((item, i) => differences(item, seen[i], `${path}/${i}`, ordered));
  }
  if (pattern !== null && typeof pattern === "object") {
    return "$json" in pattern
      ? differencesInText(pattern.$json, seen, path, wrong)
      : differencesInObject(pattern, seen, path, ordered, wrong);
  }
  return Object.is(pattern, seen) ? [] : wrong(show(pattern));
}

function fitsPlaceholder(name, seen) {
  if (name === "$any") {
    return seen !== undefined;
  }
  if (name === "$string") {
    return typeof seen === "string" && seen !== "";
  }
  if (name === "$count") {
    return Number.isInteger(seen) && seen >= 0;
  }
  if (name.startsWith("$match:")) {
    return typeof seen === "string" && new RegExp(name.slice(7), "u").test(seen);
  }
  throw new Error(`${name}: there is no such placeholder; see match.mjs`);
}

function differencesInText(pattern, seen, path, wrong) {
  let value;
  try {
    value = parseExact(seen);
  } catch {
    return wrong("a string that is JSON");
  }
  return differences(pattern, value, `${path}(as JSON)`, true);
}

function differencesInObject(pattern, seen, path, ordered, wrong) {
  if (seen === null || typeof seen !== "object" || Array.isArray(seen)) {
    return wrong("an object");
  }
  const found = [];
  const known = [];
  for (const [written, value] of Object.entries(pattern)) {
    const optional = written.endsWith("?");
    const key = optional ? written.slice(0, -1) : written;
    if (key === "...") {
      continue;
    }
    known.push(key);
    if (Object.hasOwn(seen, key)) {
      found.push(...differences(value, seen[key], `${path}/${key}`, ordered));
    } else if (!optional) {
      found.push(`at ${path || "/"}: the key "${key}" is missing, seen ${show(seen)}`);
    }
  }
  for (const key of Object.keys(seen)) {
    if (!known.includes(key) && !("..." in pattern)) {
      found.push(`at ${path}/${key}: seen ${show(seen[key])}, expected no such key`);
    }
  }
  const order = Object.keys(seen).filter((key) => known.includes(key));
  const right = known.filter((key) => order.includes(key));
  if (ordered && order.join() !== right.join()) {
    found.push(`at ${path || "/"}: keys in the order ${order}, expected ${right}`);
  }
  return found;
}
