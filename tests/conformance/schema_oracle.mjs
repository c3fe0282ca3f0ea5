// SPDX-License-Identifier: Apache-2.0
// JSON Schema by the letter of the specification, as plainly as can be: the third voice when two
// validators disagree. Slow, exact in numbers, and only as strict about schemas as it has to be.

// A number by its digits: value = digits * 10 ** exponent.
export class Decimal {
  constructor(digits, exponent) {
    this.digits = digits;
    this.exponent = exponent;
  }
  static of(text) {
    const [, sign, whole, , part = "", power = "0"] =
      /^(-?)(\d+)(\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text);
    return new Decimal(BigInt(sign + whole + part), Number(power) - part.length);
  }
  at(exponent) {
    return this.digits * 10n ** BigInt(this.exponent - exponent);
  }
  compare(other) {
    const least = Math.min(this.exponent, other.exponent);
    const [a, b] = [this.at(least), other.at(least)];
    return a < b ? -1 : a > b ? 1 : 0;
  }
  isMultipleOf(other) {
    const least = Math.min(this.exponent, other.exponent);
    return this.at(least) % other.at(least) === 0n;
  }
  times(whole) {
    return new Decimal(this.digits * BigInt(whole), this.exponent);
  }
  plus(other) {
    const least = Math.min(this.exponent, other.exponent);
    return new Decimal(this.at(least) + other.at(least), least);
  }
  get isInteger() {
    return this.exponent >= 0 || this.digits % 10n ** BigInt(-this.exponent) === 0n;
  }
  toString() {
    if (this.exponent >= 0) {
      return this.exponent > 30 ? `${this.digits}e${this.exponent}` : String(this.at(0));
    }
    const text = String(this.digits).replace("-", "").padStart(1 - this.exponent, "0");
    const point = text.length + this.exponent;
    return `${this.digits < 0n ? "-" : ""}${text.slice(0, point)}.${text.slice(point)}`;
  }
}

// JSON in which every number is a Decimal.
export function parse(text) {
  return JSON.parse(text, (_key, value, context) =>
    typeof value === "number" ? Decimal.of(context.source) : value,
  );
}

const has = (object, key) => Object.hasOwn(object, key);
const isObject = (value) =>
  value !== null && typeof value === "object" && !Array.isArray(value) &&
  !(value instanceof Decimal);

function typesOf(value) {
  if (value instanceof Decimal) {
    return value.isInteger ? ["number", "integer"] : ["number"];
  }
  return [value === null ? "null" : Array.isArray(value) ? "array" : typeof value];
}

export function equal(a, b) {
  if (a instanceof Decimal || b instanceof Decimal) {
    return a instanceof Decimal && b instanceof Decimal && a.compare(b) === 0;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length &&
      a.every((item, i) => equal(item, b[i]));
  }
  if (!isObject(a) || !isObject(b)) {
    return a === b;
  }
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => has(b, key) && equal(a[key], b[key]));
}

const start = "https://start.example/";
function upsert(map, key) {
  if (!map.has(key)) {
    map.set(key, new Map());
  }
  return map.get(key);
}

// One schema document, with the places that its references lead to.
export class Oracle {
  constructor(schema, { draft7 = false, format = () => true } = {}) {
    this.draft7 = draft7;
    this.format = format;
    this.places = new Map(); // absolute URI -> schema
    this.dynamic = new Set(); // those of them that $dynamicAnchor made
    this.bases = new Map(); // schema object -> URI of its resource
    this.#index(schema, start, start);
    this.root = schema;
  }

  isValid(value) {
    this.known = new Map(); // object or array -> schema and scope -> what came out
    return this.#check(this.root, value, [start]).valid;
  }

  // Every value below a schema is taken for a schema: what is none is never referred to.
  #index(schema, base, pointer) {
    if (Array.isArray(schema)) {
      schema.forEach((item, i) => this.#index(item, base, `${pointer}/${i}`));
    }
    this.places.set(pointer === base ? base : pointer, schema);
    if (!isObject(schema)) {
      return;
    }
    const id = has(schema, "$id") && !(this.draft7 && has(schema, "$ref")) ? schema.$id : undefined;
    if (typeof id === "string" && id.startsWith("#")) {
      this.places.set(base + id, schema); // draft-07: an anchor
    } else if (typeof id === "string") {
      base = new URL(id, base).href.replace(/#$/, "");
      pointer = base;
      this.places.set(base, schema);
    }
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      if (typeof schema[keyword] === "string") {
        this.places.set(`${base}#${schema[keyword]}`, schema);
        if (keyword === "$dynamicAnchor") {
          this.dynamic.add(`${base}#${schema[keyword]}`);
        }
      }
    }
    this.bases.set(schema, base);
    for (const [key, value] of Object.entries(schema)) {
      if (!["const", "enum", "default", "examples"].includes(key)) {
        const token = key.replaceAll("~", "~0").replaceAll("/", "~1");
        this.#index(value, base, `${pointer}${pointer === base ? "#" : ""}/${token}`);
      }
    }
  }

  #resolve(ref, base) {
    const uri = new URL(ref, base);
    const fragment = decodeURIComponent(uri.hash.slice(1));
    uri.hash = "";
    const place = uri.href.replace(/#$/, "") + (fragment === "" ? "" : `#${fragment}`);
    if (!this.places.has(place)) {
      throw new Error(`nothing at ${place}`);
    }
    return place;
  }

  // Each schema is asked once about each object and array, or recursive ones would cost for ever.
  #check(schema, value, scope) {
    const at = { value, valid: true, keys: new Set(), items: new Set() };
    if (typeof schema === "boolean") {
      at.valid = schema;
      return at;
    }
    const base = this.bases.get(schema);
    at.scope = scope.includes(base) ? scope : [...scope, base]; // the outermost one counts
    at.schema = schema;
    if (!isObject(value) && !Array.isArray(value)) {
      return this.#checkWhole(at, base);
    }
    const byScope = upsert(upsert(this.known, value), schema);
    const key = at.scope.join(" ");
    if (!byScope.has(key)) {
      byScope.set(key, this.#checkWhole(at, base));
    }
    return byScope.get(key);
  }

  #checkWhole(at, base) {
    const { schema, value } = at;
    if (this.draft7 && has(schema, "$ref")) {
      this.#references(at, base);
      return at;
    }
    this.#references(at, base);
    this.#assertions(at);
    this.#combinations(at);
    if (isObject(value)) {
      this.#object(at);
    }
    if (Array.isArray(value)) {
      this.#array(at);
    }
    this.#unevaluated(at);
    return at;
  }

  // The same value by another schema; what it evaluates counts when it is valid.
  #also(at, schema, refuses = true) {
    const seen = this.#check(schema, at.value, at.scope);
    if (seen.valid) {
      seen.keys.forEach((key) => at.keys.add(key));
      seen.items.forEach((item) => at.items.add(item));
    } else if (refuses) {
      at.valid = false;
    }
    return seen.valid;
  }
  #child(at, schema, value) {
    return this.#check(schema, value, at.scope).valid;
  }

  #references(at, base) {
    const { schema } = at;
    if (has(schema, "$ref")) {
      this.#also(at, this.places.get(this.#resolve(schema.$ref, base)));
    }
    if (!this.draft7 && has(schema, "$dynamicRef")) {
      let place = this.#resolve(schema.$dynamicRef, base);
      if (this.dynamic.has(place)) {
        const anchor = place.slice(place.indexOf("#"));
        place = at.scope.map((uri) => uri + anchor).find((uri) => this.dynamic.has(uri)) ?? place;
      }
      this.#also(at, this.places.get(place));
    }
  }

  #assertions(at) {
    const { schema, value } = at;
    const must = (condition) => {
      at.valid = at.valid && condition;
    };
    const when = (keyword, holds) => {
      if (has(schema, keyword)) {
        must(holds(schema[keyword]));
      }
    };
    when("type", (type) => [type].flat().some((name) => typesOf(value).includes(name)));
    when("enum", (list) => list.some((one) => equal(one, value)));
    when("const", (one) => equal(one, value));
    if (value instanceof Decimal) {
      when("minimum", (bound) => value.compare(bound) >= 0);
      when("maximum", (bound) => value.compare(bound) <= 0);
      when("exclusiveMinimum", (bound) => value.compare(bound) > 0);
      when("exclusiveMaximum", (bound) => value.compare(bound) < 0);
      when("multipleOf", (divisor) => value.isMultipleOf(divisor));
    }
    const count = (keyword, size, sign) =>
      when(keyword, (bound) => sign * Decimal.of(String(size)).compare(bound) >= 0);
    if (typeof value === "string") {
      count("minLength", [...value].length, 1);
      count("maxLength", [...value].length, -1);
      when("pattern", (pattern) => new RegExp(pattern, "u").test(value));
      when("format", (name) => this.format(name, value));
    }
    if (Array.isArray(value)) {
      count("minItems", value.length, 1);
      count("maxItems", value.length, -1);
      when("uniqueItems", (on) =>
        !on || value.every((one, i) => value.slice(0, i).every((other) => !equal(one, other))));
    }
    if (isObject(value)) {
      count("minProperties", Object.keys(value).length, 1);
      count("maxProperties", Object.keys(value).length, -1);
      when("required", (keys) => keys.every((key) => has(value, key)));
      when("dependentRequired", (map) => this.draft7 || Object.entries(map).every(
        ([key, keys]) => !has(value, key) || keys.every((other) => has(value, other))));
    }
  }

  #combinations(at) {
    const { schema, value } = at;
    if (has(schema, "allOf")) {
      schema.allOf.forEach((one) => this.#also(at, one));
    }
    for (const [keyword, fits] of [["anyOf", (n) => n > 0], ["oneOf", (n) => n === 1]]) {
      if (has(schema, keyword)) {
        const valid = schema[keyword].filter((one) => this.#also(at, one, false)).length;
        at.valid = at.valid && fits(valid);
      }
    }
    if (has(schema, "not") && this.#child(at, schema.not, value)) {
      at.valid = false;
    }
    if (has(schema, "if")) {
      const branch = this.#also(at, schema.if, false) ? "then" : "else";
      if (has(schema, branch)) {
        this.#also(at, schema[branch]);
      }
    }
  }

  #object(at) {
    const { schema, value } = at;
    // 2020-12's metaschema keeps "dependencies" for old schemas; draft-07 has nothing else.
    for (const keyword of this.draft7 ? ["dependencies"] : ["dependentSchemas", "dependencies"]) {
      for (const [key, needs] of Object.entries(schema[keyword] ?? {})) {
        if (!has(value, key)) {
          continue;
        }
        if (Array.isArray(needs)) {
          at.valid = at.valid && needs.every((other) => has(value, other));
        } else {
          this.#also(at, needs);
        }
      }
    }
    const own = new Set();
    const apply = (key, one) => {
      own.add(key);
      at.valid = this.#child(at, one, value[key]) && at.valid;
    };
    for (const key of Object.keys(value)) {
      if (has(schema, "propertyNames") && !this.#child(at, schema.propertyNames, key)) {
        at.valid = false;
      }
      if (has(schema, "properties") && has(schema.properties, key)) {
        apply(key, schema.properties[key]);
      }
      for (const [pattern, one] of Object.entries(schema.patternProperties ?? {})) {
        if (new RegExp(pattern, "u").test(key)) {
          apply(key, one);
        }
      }
      if (has(schema, "additionalProperties") && !own.has(key)) {
        apply(key, schema.additionalProperties);
      }
    }
    own.forEach((key) => at.keys.add(key));
  }

  #array(at) {
    const { schema, value } = at;
    const lists = this.draft7 && Array.isArray(schema.items);
    const prefix = (lists ? schema.items : !this.draft7 && schema.prefixItems) || [];
    const rest = lists ? "additionalItems" : "items";
    value.forEach((item, i) => {
      const one = i < prefix.length ? prefix[i] : has(schema, rest) ? schema[rest] : undefined;
      if (one !== undefined) {
        at.items.add(i);
        at.valid = this.#child(at, one, item) && at.valid;
      }
    });
    if (has(schema, "contains")) {
      const found = [...value.keys()].filter((i) => this.#child(at, schema.contains, value[i]));
      if (!this.draft7) {
        found.forEach((i) => at.items.add(i));
      }
      const bound = (keyword) =>
        !this.draft7 && has(schema, keyword) ? schema[keyword] : undefined;
      const size = Decimal.of(String(found.length));
      at.valid = at.valid && size.compare(bound("minContains") ?? Decimal.of("1")) >= 0 &&
        size.compare(bound("maxContains") ?? size) <= 0;
    }
  }

  #unevaluated(at) {
    const { schema, value } = at;
    if (this.draft7) {
      return;
    }
    if (has(schema, "unevaluatedProperties") && isObject(value)) {
      for (const key of Object.keys(value).filter((one) => !at.keys.has(one))) {
        at.keys.add(key);
        at.valid = this.#child(at, schema.unevaluatedProperties, value[key]) && at.valid;
      }
    }
    if (has(schema, "unevaluatedItems") && Array.isArray(value)) {
      for (const i of [...value.keys()].filter((one) => !at.items.has(one))) {
        at.items.add(i);
        at.valid = this.#child(at, schema.unevaluatedItems, value[i]) && at.valid;
      }
    }
  }
}
