// SPDX-License-Identifier: Apache-2.0
// Values that fit a schema, or nearly do: the best that one pass over its keywords can guess.
import { keyOf, Num, numberOf, randomValue, types } from "./schema_generator.mjs";
import { Decimal } from "./schema_oracle.mjs";
import * as words from "./schema_words.mjs";

const has = (object, key) => Object.hasOwn(object, key);
const depthMost = 5;

export class Sampler {
  // targets: as Generator.document() gives them.
  constructor(random, { schema, targets }) {
    this.random = random;
    this.schema = schema;
    this.targets = targets;
  }

  near() {
    return this.#of([this.schema], 0);
  }

  // The same value with one thing changed somewhere.
  mutated(value) {
    const { random } = this;
    if (Array.isArray(value) && value.length > 0 && random.chance(0.8)) {
      return this.#otherArray(value);
    }
    if (value !== null && typeof value === "object" && !(value instanceof Num) &&
        !Array.isArray(value)) {
      return this.#otherObject(value);
    }
    if (value instanceof Num && random.chance(0.6)) {
      const step = Decimal.of(random.pick(["1", "-1", "0.5", "-0.5", "0.01", "1e-3"]));
      return new Num(String(Decimal.of(value.text).plus(step)));
    }
    if (typeof value === "string" && random.chance(0.6)) {
      return random.pick([`${value}a`, `👍${value}`, value.slice(0, -1), value.toUpperCase(),
        ` ${value}`]).toWellFormed();
    }
    return randomValue(random, 2);
  }

  #otherArray(value) {
    const { random } = this;
    const out = [...value];
    const at = random.below(out.length);
    switch (random.below(5)) {
      case 0: out.splice(at, 1); break;
      case 1: out.splice(at, 0, out[at]); break;
      case 2: out.push(randomValue(random, 1)); break;
      default: out[at] = this.mutated(out[at]);
    }
    return out;
  }

  #otherObject(value) {
    const { random } = this;
    const entries = Object.entries(value);
    const at = random.below(entries.length);
    const change = entries.length === 0 ? 1 : random.below(5);
    switch (change) {
      case 0: entries.splice(at, 1); break;
      case 1: entries.push([keyOf(random), randomValue(random, 1)]); break;
      default: entries[at] = [entries[at][0], this.mutated(entries[at][1])];
    }
    return Object.fromEntries(entries);
  }

  // The schemas that hold for the same value, as far as one guess at each choice goes.
  #flat(schemas) {
    const { random } = this;
    const out = [];
    const queue = [...schemas];
    for (let i = 0; i < queue.length && i < 40; ++i) {
      const one = queue[i];
      if (typeof one !== "object" || one === null) {
        continue;
      }
      out.push(one);
      if (this.targets.has(one)) {
        queue.push(random.pick(this.targets.get(one)()));
      }
      queue.push(...(one.allOf ?? []));
      for (const keyword of ["anyOf", "oneOf"]) {
        if (has(one, keyword)) {
          queue.push(random.pick(one[keyword]));
        }
      }
      if (has(one, "if")) {
        queue.push(...(random.chance(0.5) ? [one.if, one.then] : [one.else]));
      }
      if (random.chance(0.4)) {
        queue.push(...Object.values(one.dependentSchemas ?? {}));
      }
    }
    return out;
  }

  #of(schemas, depth) {
    const { random } = this;
    const flat = this.#flat(schemas);
    const fixed = flat.filter((one) => has(one, "const") || has(one, "enum"));
    if (fixed.length > 0 && random.chance(0.9)) {
      const one = random.pick(fixed);
      return has(one, "const") ? one.const : random.pick(one.enum);
    }
    switch (this.#typeOf(flat)) {
      case "null": return null;
      case "boolean": return random.chance(0.5);
      case "integer": return this.#number(flat, true);
      case "number": return this.#number(flat, random.chance(0.4));
      case "string": return this.#string(flat);
      case "array": return depth > depthMost ? [] : this.#array(flat, depth);
      default: return depth > depthMost ? {} : this.#object(flat, depth);
    }
  }

  #typeOf(flat) {
    const { random } = this;
    let left = types;
    for (const one of flat.filter((schema) => has(schema, "type"))) {
      const wanted = [one.type].flat();
      const both = left.filter((name) => wanted.includes(name) ||
        (name === "integer" && wanted.includes("number")));
      left = both.length > 0 ? both : left;
    }
    const about = {
      number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
      string: ["minLength", "maxLength", "pattern", "format"],
      array: ["items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems",
        "unevaluatedItems"],
      object: ["properties", "patternProperties", "additionalProperties", "required",
        "minProperties", "maxProperties", "propertyNames", "dependentRequired", "dependencies",
        "dependentSchemas", "unevaluatedProperties"],
    };
    const spoken = left.filter((name) => (about[name] ?? []).some(
      (keyword) => flat.some((one) => has(one, keyword))));
    return random.pick(spoken.length > 0 && random.chance(0.95) ? spoken : left);
  }

  #number(flat, whole) {
    const { random } = this;
    const all = (keyword) => flat.filter((one) => has(one, keyword))
      .map((one) => Decimal.of(one[keyword].text));
    const [least, above] = [all("minimum"), all("exclusiveMinimum")];
    const [most, below] = [all("maximum"), all("exclusiveMaximum")];
    const divisors = all("multipleOf");
    const seeds = [...least, ...above, ...most, ...below];
    const step = Decimal.of(whole || random.chance(0.5) ? "1" : "0.5");
    let tried;
    for (let i = 0; i < 8; ++i) {
      tried = seeds.length > 0
        ? random.pick(seeds).plus(step.times(random.between(-2, 2)))
        : Decimal.of(numberOf(random).text);
      if (divisors.length > 0) {
        tried = random.pick(divisors).times(random.between(-3, 12) * random.pick([1, 1, 10]));
      }
      if (least.every((one) => tried.compare(one) >= 0) &&
          most.every((one) => tried.compare(one) <= 0) &&
          above.every((one) => tried.compare(one) > 0) &&
          below.every((one) => tried.compare(one) < 0) &&
          divisors.every((one) => tried.isMultipleOf(one)) && (!whole || tried.isInteger)) {
        break;
      }
    }
    return new Num(String(tried));
  }

  #string(flat) {
    const { random } = this;
    const fits = [];
    for (const one of flat) {
      if (has(one, "pattern")) {
        fits.push(...(words.patterns.find(([text]) => text === one.pattern)?.[1] ?? []));
      }
      if (has(one, "format")) {
        const [yes, no] = words.formats[one.format] ?? [[], []];
        fits.push(...yes, ...yes, ...(random.chance(0.4) ? no : []));
      }
    }
    let text = random.pick(fits.length > 0 && random.chance(0.9) ? fits : words.texts);
    for (const one of flat) {
      const size = (keyword) => has(one, keyword) ? Number(one[keyword].text) : undefined;
      const least = random.chance(0.8) ? size("minLength") ?? 0 : 0;
      while ([...text].length < least) {
        text += random.pick(["a", "👍", "1", "e\u0301"]);
      }
      if (random.chance(0.8)) {
        text = [...text].slice(0, size("maxLength") ?? 50).join("");
      }
    }
    return text;
  }

  #size(flat, least, most, usual) {
    const { random } = this;
    const all = (keyword) => flat.filter((one) => has(one, keyword))
      .map((one) => Number(one[keyword].text));
    const low = Math.max(0, ...all(least));
    const high = Math.min(Math.max(low, usual), ...all(most));
    return random.between(Math.min(low, high), Math.max(low, high));
  }

  #array(flat, depth) {
    const { random } = this;
    const list = (one) => Array.isArray(one.items) ? one.items : one.prefixItems ?? [];
    const rest = (one) => Array.isArray(one.items) ? one.additionalItems : one.items;
    const size = random.chance(0.85)
      ? this.#size(flat, "minItems", "maxItems", 3) : random.below(5);
    const contains = flat.filter((one) => has(one, "contains")).map((one) => one.contains);
    return Array.from({ length: size }, (_, i) => {
      const schemas = flat.map((one) => list(one)[i] ?? rest(one) ??
        (random.chance(0.5) ? one.unevaluatedItems : undefined)).filter((one) => one !== undefined);
      return this.#of([...schemas, ...contains.filter(() => random.chance(0.6))], depth + 1);
    });
  }

  #object(flat, depth) {
    const { random } = this;
    const keys = new Set(flat.flatMap((one) => random.chance(0.93) ? one.required ?? [] : []));
    const usual = depth > 2 ? 0.3 : 0.6;
    for (const one of flat) {
      for (const keyword of ["properties", "dependentRequired", "dependentSchemas",
        "dependencies"]) {
        Object.keys(one[keyword] ?? {}).filter(() => random.chance(usual))
          .forEach((key) => keys.add(key));
      }
      for (const pattern of Object.keys(one.patternProperties ?? {})) {
        if (random.chance(usual)) {
          keys.add(random.pick(words.patterns.find(([text]) => text === pattern)[1]));
        }
      }
    }
    for (const one of flat) {
      for (const [key, others] of Object.entries(one.dependentRequired ?? {})) {
        if (keys.has(key) && random.chance(0.8)) {
          others.forEach((other) => keys.add(other));
        }
      }
    }
    const size = random.chance(0.8) ? this.#size(flat, "minProperties", "maxProperties", 3) : 1;
    for (let i = 0; i < 10 && keys.size < size && random.chance(0.8); ++i) {
      keys.add(keyOf(random));
    }
    return Object.fromEntries(random.shuffled([...keys]).map(
      (key) => [key, this.#of(this.#schemasOf(flat, key), depth + 1)]));
  }

  #schemasOf(flat, key) {
    return flat.flatMap((one) => {
      const own = has(one.properties ?? {}, key) ? [one.properties[key]] : [];
      const byPattern = Object.entries(one.patternProperties ?? {})
        .filter(([pattern]) => new RegExp(pattern, "u").test(key)).map(([, schema]) => schema);
      const all = [...own, ...byPattern];
      const others = [one.additionalProperties, one.unevaluatedProperties]
        .filter((schema) => schema !== undefined);
      return all.length > 0 ? all : others;
    });
  }
}
