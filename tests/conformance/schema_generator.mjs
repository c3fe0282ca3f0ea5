// SPDX-License-Identifier: Apache-2.0
// Random schemas over every keyword of JSON Schema 2020-12 (or draft-07), and values that nearly
// fit them. The same seed gives the same documents. Numbers are kept as their text, since some are
// beyond what JavaScript can hold.
import * as words from "./schema_words.mjs";

// A number as it is written.
export class Num {
  constructor(text) {
    this.text = text;
  }
  toJSON() {
    return JSON.rawJSON(this.text);
  }
}

export class Random {
  constructor(seed) {
    this.state = seed >>> 0;
  }
  next() {
    this.state = (this.state + 0x9e3779b9) >>> 0; // splitmix32
    let z = this.state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32;
  }
  below(n) {
    return Math.floor(this.next() * n);
  }
  between(least, most) {
    return least + this.below(most - least + 1);
  }
  chance(p) {
    return this.next() < p;
  }
  pick(list) {
    return list[this.below(list.length)];
  }
  some(list, most) {
    const rest = [...list];
    const out = [];
    for (let n = this.between(1, most); n > 0 && rest.length > 0; --n) {
      out.push(...rest.splice(this.below(rest.length), 1));
    }
    return out;
  }
  shuffled(list) {
    const out = [...list];
    for (let i = out.length - 1; i > 0; --i) {
      const k = this.below(i + 1);
      [out[i], out[k]] = [out[k], out[i]];
    }
    return out;
  }
}

export const types = ["null", "boolean", "number", "integer", "string", "array", "object"];
export const keyOf = (random) => random.pick(random.chance(0.02) ? words.inherited : words.keys);
export const numberOf = (random) =>
  new Num(random.pick(random.chance(0.04) ? words.wildNumbers : words.numbers));

export function randomValue(random, depth) {
  switch (random.below(depth > 0 ? 9 : 6)) {
    case 0: return null;
    case 1: return random.chance(0.5);
    case 2: case 3: return numberOf(random);
    case 4: case 5: return random.pick(words.texts);
    case 6: return Array.from({ length: random.below(4) }, () => randomValue(random, depth - 1));
    default:
      return Object.fromEntries(Array.from({ length: random.below(4) }, () =>
        [keyOf(random), randomValue(random, depth - 1)]));
  }
}

// Where a subschema stands: how deep, in which resource, and whether a step into the value has
// been made since the definition `level` began. Before that step a $ref may only go to earlier
// definitions, for a schema that refers to itself at the same value says nothing.
const inside = (at) => ({ ...at, depth: at.depth - 1, stepped: true });
const beside = (at) => ({ ...at, depth: at.depth - 1 });

export class Generator {
  constructor(seed, { draft7 = false } = {}) {
    this.random = new Random(seed);
    this.draft7 = draft7;
    this.count = 0;
    this.seed = seed;
  }

  // A schema document: {schema, targets: schema with a reference -> schemas it may lead to}.
  document() {
    const { random, draft7 } = this;
    this.targets = new Map();
    this.left = random.between(3, 25); // subschemas
    this.site = `https://t${this.seed}.example/${this.count++}/`;
    const root = { name: "", id: random.chance(0.5) ? `${this.site}root` : undefined };
    this.definitions = Array.from({ length: random.below(5) }, (_, i) => this.#definition(i, root));
    this.dynamic = !draft7 && root.id !== undefined && random.chance(0.4);
    root.node = this.dynamic && random.chance(0.7);
    root.level = this.definitions.length;
    this.root = root;
    const made = this.definitions.map((one) => this.#resource(one, random.between(1, 3)));
    const schema = this.#resource(root, random.between(1, 4));
    const entries = [...Object.entries(schema)];
    if (made.length > 0) {
      const place = draft7 ? "definitions" : "$defs";
      entries.push([place,
        Object.fromEntries(this.definitions.map((one, i) => [one.name, made[i]]))]);
    }
    if (draft7 || random.chance(0.2)) {
      entries.push(["$schema", draft7
        ? "http://json-schema.org/draft-07/schema#"
        : "https://json-schema.org/draft/2020-12/schema"]);
    }
    this.#become(schema, entries);
    return { schema, targets: this.targets };
  }

  #definition(i, root) {
    const { random } = this;
    const odd = random.pick(random.chance(0.05) ? ["e%f"] : ["a/b", "c~d", "g h", "ü"]);
    const name = `${random.chance(0.2) ? odd : "d"}${i}`;
    const one = { name, level: i, anchor: random.chance(0.4) ? `anchor${i}` : undefined };
    if (random.chance(0.3)) {
      const relative = root.id !== undefined && random.chance(0.6);
      one.id = `${this.site}r${i}`;
      one.idText = relative ? `r${i}` : one.id;
      one.node = root.id !== undefined && random.chance(0.5);
    }
    return one;
  }

  // The schema of the root or a definition, with what names it.
  #resource(one, depth) {
    const { random, draft7 } = this;
    const home = one.id ? one : this.root;
    let schema = this.#schema({ depth, home, level: one.level, stepped: false });
    const names = [];
    if (one.id !== undefined) {
      names.push(["$id", one.idText ?? one.id]);
    }
    if (one.anchor !== undefined) {
      names.push(draft7 && one.id === undefined
        ? ["$id", `#${one.anchor}`] : ["$anchor", one.anchor]);
    }
    if (one.node && this.dynamic) {
      names.push(["$dynamicAnchor", "node"]);
    }
    if (draft7) {
      names.splice(0, names.length, ...names.filter(([key]) => key !== "$anchor"));
    }
    if (draft7 && names.length > 0 && "$ref" in Object(schema)) {
      schema = { allOf: [schema] }; // beside $ref an $id is ignored there
    }
    if (typeof schema === "boolean" && (names.length > 0 || one.name === "")) {
      schema = schema ? {} : { not: {} };
    }
    if (typeof schema === "object") {
      this.#become(schema, [...names, ...Object.entries(schema)]);
    }
    if (one.node && this.dynamic) {
      this.#makeTree(one, schema);
    }
    one.schema = schema;
    return schema;
  }

  // Its children are whatever the outermost resource says that a node is.
  #makeTree(one, schema) {
    const { random } = this;
    const nodes = () => this.definitions.concat(this.root).filter((other) => other.node)
      .map((other) => other.schema);
    if (!("properties" in schema) && random.chance(0.7)) {
      const child = { $dynamicRef: "#node" };
      schema.properties = Object.fromEntries(random.some(words.keys, 2).map((key) => [key, child]));
      this.targets.set(child, nodes);
    }
    const base = this.definitions.find((other) => other.node && other !== one);
    if (one === this.root && base !== undefined && !("$ref" in schema) && random.chance(0.7)) {
      schema.$ref = base.id;
      this.targets.set(schema, () => [base.schema]);
    }
  }

  // The same object with these members, for others hold on to it.
  #become(schema, entries) {
    for (const key of Object.keys(schema)) {
      delete schema[key];
    }
    for (const [key, value] of entries) {
      Object.defineProperty(schema, key, {
        value, enumerable: true, configurable: true, writable: true,
      });
    }
  }

  #schema(at) {
    const { random } = this;
    if (--this.left < 0 || (at.stepped && random.chance(0.05))) {
      return random.chance(0.85);
    }
    const schema = {};
    const put = (keyword, value) => {
      schema[keyword] = value;
    };
    const kind = random.pick(
      ["object", "object", "object", "array", "array", "string", "number", "number", "any"]);
    if (random.chance(0.45)) {
      put("type", this.#type(kind));
    }
    this.#kindKeywords(kind, at, put);
    if (random.chance(0.12)) {
      this.#kindKeywords(random.pick(["object", "array", "string", "number"]), at, put);
    }
    if (random.chance(kind === "any" ? 0.2 : 0.04)) {
      const list = Array.from({ length: random.between(1, 6) }, () => randomValue(random, 2));
      put("enum", random.chance(0.02) ? list : list.filter((one, i) => // once each
        list.findIndex((other) => JSON.stringify(other) === JSON.stringify(one)) === i));
    }
    if (random.chance(kind === "any" ? 0.1 : 0.02)) {
      put("const", randomValue(random, 2));
    }
    if (at.depth > 0 && random.chance(0.5)) {
      this.#applicators(at, put);
    }
    if (random.chance(this.dynamic && at.home.node ? 0.5 : 0.3)) {
      this.#reference(at, schema, put);
    }
    if (!this.draft7 && at.depth > 0 && random.chance(0.3)) {
      this.#unevaluated(kind, at, put);
    }
    if (random.chance(0.15)) {
      this.#says(put);
    }
    this.#become(schema, random.shuffled(Object.entries(schema)));
    return schema;
  }

  #type(kind) {
    const { random } = this;
    const name = kind === "any" ? random.pick(types)
      : kind === "number" && random.chance(0.5) ? "integer" : kind;
    return random.chance(0.2) ? [...new Set([name, ...random.some(types, 2)])] : name;
  }

  #kindKeywords(kind, at, put) {
    const { random } = this;
    const maybe = (p, make) => {
      if (random.chance(p)) {
        make();
      }
    };
    const count = (keyword, most) => put(keyword, new Num(random.chance(0.1)
      ? `${random.below(most + 1)}.0` : String(random.below(most + 1))));
    if (kind === "number") {
      maybe(0.35, () => put("minimum", new Num(random.pick(words.bounds))));
      maybe(0.35, () => put("maximum", this.#bound()));
      maybe(0.25, () => put("exclusiveMinimum", new Num(random.pick(words.bounds))));
      maybe(0.25, () => put("exclusiveMaximum", this.#bound()));
      maybe(0.35, () => put("multipleOf", new Num(random.pick(words.divisors))));
    } else if (kind === "string") {
      maybe(0.5, () => count("minLength", 4));
      maybe(0.5, () => count("maxLength", 4));
      maybe(0.3, () => put("pattern", random.pick(words.patterns)[0]));
      maybe(0.3, () => put("format", random.pick(Object.keys(words.formats))));
    } else if (kind === "array") {
      this.#arrayKeywords(at, put, maybe, count);
    } else if (kind === "object") {
      this.#objectKeywords(at, put, maybe, count);
    }
  }

  #bound() {
    const { random } = this;
    return new Num(random.pick(random.chance(0.05) ? words.wildNumbers : words.bounds));
  }

  #arrayKeywords(at, put, maybe, count) {
    const { random, draft7 } = this;
    const list = () => Array.from({ length: random.between(1, 3) }, () => this.#schema(inside(at)));
    maybe(0.25, () => count("minItems", 3));
    maybe(0.25, () => count("maxItems", 4));
    maybe(0.25, () => put("uniqueItems", random.chance(0.85)));
    if (at.depth <= 0) {
      return;
    }
    maybe(0.4, () => put(draft7 ? "items" : "prefixItems", list()));
    maybe(0.4, () => put(draft7 && random.chance(0.6) ? "additionalItems" : "items",
      this.#schema(inside(at))));
    maybe(0.35, () => {
      put("contains", this.#schema(inside(at)));
      if (!draft7) {
        maybe(0.5, () => count("minContains", 2));
        maybe(0.5, () => count("maxContains", 2));
      }
    });
    if (!draft7) {
      maybe(0.03, () => count(random.pick(["minContains", "maxContains"]), 2));
    }
  }

  #objectKeywords(at, put, maybe, count) {
    const { random, draft7 } = this;
    const map = (keyOf, make, most) => Object.fromEntries(
      Array.from({ length: random.between(1, most) }, () => [keyOf(random), make()]));
    const names = () => random.some(random.chance(0.03) ? words.inherited : words.keys, 2);
    const child = () => this.#schema(inside(at));
    maybe(0.35, () => put("required", names()));
    maybe(0.25, () => count("minProperties", 4));
    maybe(0.2, () => count("maxProperties", 4));
    maybe(draft7 ? 0.2 : 0.05, () => put("dependencies", map(keyOf,
      () => random.chance(0.5) ? names() : this.#schema(beside(at)), 2)));
    if (!draft7) {
      maybe(0.15, () => put("dependentRequired", map(keyOf, names, 2)));
    }
    if (at.depth <= 0) {
      return;
    }
    maybe(0.7, () => put("properties", map(keyOf, child, 4)));
    maybe(0.25, () => put("patternProperties",
      map(() => random.pick(words.patterns)[0], child, 2)));
    maybe(0.25, () => put("additionalProperties", random.chance(0.4) ? false : child()));
    maybe(0.15, () => put("propertyNames", random.chance(0.5) ? child() : random.chance(0.5)
      ? { pattern: random.pick(words.patterns)[0] } : { maxLength: random.between(0, 2) }));
    if (!draft7) {
      maybe(0.15, () => put("dependentSchemas", map(keyOf, () => this.#schema(beside(at)), 2)));
    }
  }

  #applicators(at, put) {
    const { random } = this;
    const list = () => Array.from({ length: random.between(1, 3) }, () => this.#schema(beside(at)));
    for (const keyword of random.some(["allOf", "anyOf", "oneOf", "not", "if"], 2)) {
      if (keyword === "not") {
        const inner = this.#schema(beside(at));
        put("not", Object.keys(inner).length > 0 ? inner : { type: random.pick(types) });
      } else if (keyword === "if") {
        for (const part of random.shuffled(["if", "then", "else"]).slice(random.below(2))) {
          put(part, this.#schema(beside(at)));
        }
      } else {
        put(keyword, list());
      }
    }
  }

  #unevaluated(kind, at, put) {
    const { random } = this;
    const keyword = kind === "array" ? "unevaluatedItems" : "unevaluatedProperties";
    put(keyword, random.chance(0.6) ? false : this.#schema(inside(at)));
  }

  #reference(at, schema, put) {
    const { random, draft7 } = this;
    const goals = this.definitions.filter((one) => at.stepped || one.level < at.level);
    if (at.stepped) {
      goals.push(this.root);
    }
    if (this.dynamic && at.stepped && at.home.node && random.chance(0.7)) {
      put("$dynamicRef", "#node");
      this.targets.set(schema, () => this.definitions.concat(this.root)
        .filter((one) => one.node).map((one) => one.schema));
      return;
    }
    const goal = goals.length > 0 ? random.pick(goals) : undefined;
    const refs = goal === undefined ? [] : this.#waysTo(goal, at.home);
    if (refs.length === 0) {
      return;
    }
    if (draft7 && random.chance(0.9)) {
      this.#become(schema, []); // its neighbours would be ignored
    }
    put("$ref", random.pick(refs));
    this.targets.set(schema, () => [goal.schema]);
  }

  // The references from a resource to a definition.
  #waysTo(goal, home) {
    const fragments = [];
    const token = encodeURIComponent(goal.name.replaceAll("~", "~0").replaceAll("/", "~1"));
    const pointer = `#/${this.draft7 ? "definitions" : "$defs"}/${token}`;
    const ways = [];
    if (goal.id !== undefined) {
      ways.push(goal.id, `${goal.id}#`);
      if (home.id !== undefined) {
        ways.push(goal.id.slice(this.site.length), `/${goal.id.split("/").slice(3).join("/")}`);
      }
      if (home === goal) {
        ways.push("#");
      }
    }
    if (goal !== this.root && home !== goal) {
      fragments.push(pointer);
    }
    const anchor = goal.anchor === undefined || (goal.id !== undefined && this.draft7)
      ? [] : [`#${goal.anchor}`];
    const owner = goal.id === undefined ? this.root : goal;
    if (owner === this.root && goal === this.root && home === this.root) {
      ways.push("#");
    }
    for (const fragment of [...fragments.map((one) => [one, this.root]),
      ...anchor.map((one) => [one, owner])]) {
      const [text, place] = fragment;
      if (place === home) {
        ways.push(text, text);
      } else if (place.id !== undefined) {
        ways.push(place.id + text);
      }
    }
    return ways;
  }

  // Words that decide nothing.
  #says(put) {
    const { random } = this;
    for (const [keyword, value] of random.some([
      ["title", "t"], ["description", "d"], ["default", randomValue(random, 1)],
      ["examples", [randomValue(random, 1)]], ["$comment", "c"], ["readOnly", true],
      ["writeOnly", false], ["deprecated", true], ["contentMediaType", "application/json"],
      ["contentEncoding", "base64"], ["contentSchema", false], ["x-unknown", { type: "null" }],
    ].filter(([keyword]) => !this.draft7 || !["deprecated", "contentSchema"].includes(keyword)),
    2)) {
      put(keyword, value);
    }
  }
}
