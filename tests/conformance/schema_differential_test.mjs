// SPDX-License-Identifier: Apache-2.0
// Tenon's validator against ajv on random schemas and values. SEED and PAIRS choose others: PAIRS
// is how many pairs of 2020-12 there are, draft-07 gets a fifth as many.
//
// A verdict that differs is a failure, shown with the least schema and value that show it, unless
// ajv is the one that leaves the specification: then the oracle must say so, and the difference
// must have its place in schema_differences.mjs.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { differences, keywordsDecided, refusedSchemas } from "./schema_differences.mjs";
import { Generator, randomValue } from "./schema_generator.mjs";
import { Oracle, parse } from "./schema_oracle.mjs";
import { Sampler } from "./schema_sampler.mjs";
import { ajv, minimal, oracle, tenon } from "./schema_validators.mjs";

const usualSeed = 20201207;
const seed = Number(process.env.SEED ?? usualSeed);
const pairsWanted = Number(process.env.PAIRS ?? 3000);
// Another seed may be short of a keyword at first; not when it runs for longer.
const everyKeyword = seed === usualSeed || pairsWanted >= 10_000;
const batchSize = 100; // documents for one run of the driver
const failuresShown = 5;
const bytesMax = 1000; // of a value
console.log(`SEED=${seed} PAIRS=${pairsWanted}`);

const read = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
const verdictOf = (judge, one, draft7) => {
  try {
    return judge(one, draft7)(one.instance);
  } catch (error) {
    return `refused: ${error.message}`;
  }
};
const tenonVerdict = (one) => {
  const [said] = tenon([{ ...one, instances: [one.instance] }]);
  return said.valid?.[0] ?? `refused: ${said.error}`;
};
const show = (one, verdicts) =>
  [JSON.stringify(one), ...Object.entries(verdicts).map((pair) => pair.join(": "))].join("\n  ");
const isDraft7 = (schema) => schema.includes("draft-07");

// Up to three values that ajv takes, three that it refuses, and three on which it fails, of some
// guesses; the refused ones are, where it can be done, one step away from those that are taken.
function choose(sampler, validate) {
  const { random } = sampler;
  const chosen = { true: new Map(), false: new Map(), other: new Map() };
  for (let i = 0; i < 16; ++i) {
    const near = i < 15 ? sampler.near() : randomValue(random, 2);
    const valid = [...chosen.true.values()];
    const value = i % 2 === 0 ? near
      : sampler.mutated(valid.length > 0 ? random.pick(valid) : near);
    const instance = JSON.stringify(value);
    if (instance.length > bytesMax) {
      continue; // a recursive schema's; it would take long to make it small again
    }
    const group = chosen[validate(instance)] ?? chosen.other;
    if (group.size < 3) {
      group.set(instance, value);
    }
  }
  return Object.values(chosen).flatMap((group) => [...group.keys()]);
}

function batchOf(generator, draft7) {
  return Array.from({ length: batchSize }, () => {
    const made = generator.document();
    const formats = generator.random.chance(0.6) ? "assert" : "annotate";
    const document = { schema: JSON.stringify(made.schema), formats };
    let validate = (instance) => oracle(document, draft7)(instance);
    let ajvError;
    try {
      validate = ajv(document, draft7);
    } catch (error) {
      ajvError = `refused: ${error.message}`;
    }
    const instances = choose(new Sampler(generator.random, made), validate);
    return { ...document, instances,
      verdicts: instances.map((instance) => ajvError ?? validate(instance)) };
  });
}

class Run {
  pairs = 0;
  valid = 0;
  failures = [];
  explained = new Map(); // name of a difference -> how often
  lastLeast = new Map(); // schema -> the least one that showed its last difference

  constructor(draft7) {
    this.draft7 = draft7;
  }

  compare(documents) {
    tenon(documents).forEach((said, i) => {
      const { schema, formats, instances, verdicts } = documents[i];
      const judge = oracle({ schema, formats }, this.draft7);
      instances.forEach((instance, k) => {
        const seen = said.valid?.[k] ?? `refused: ${said.error}`;
        const right = judge(instance);
        ++this.pairs;
        this.valid += right === true ? 1 : 0;
        if (seen !== right) {
          this.#wrong({ schema, instance, formats }, seen);
        } else if (seen !== verdicts[k]) {
          this.#explain({ schema, instance, formats }, verdicts[k]);
        }
      });
    });
  }

  // Tenon does not say what the oracle says.
  #wrong(one, first) {
    if (this.failures.length < failuresShown) {
      const least = this.#minimal(one, (tried) => {
        const right = verdictOf(oracle, tried, this.draft7);
        const seen = tenonVerdict(tried);
        return typeof right === "boolean" && verdictOf(ajv, tried, this.draft7) === right &&
          seen !== right && typeof seen === typeof first;
      });
      this.#fail(least);
    } else {
      this.failures.push("");
    }
  }

  #explain(one, ajvSaid) {
    // What is left of the document before is a good start, when it is odd with this value too.
    const kind = (said) => String(said).replace(/data\/\S*|items ## .*/g, "");
    const isOdd = (tried) => {
      const said = verdictOf(ajv, tried, this.draft7);
      const right = verdictOf(oracle, tried, this.draft7);
      return kind(said) === kind(ajvSaid) && typeof right === "boolean" && said !== right;
    };
    const again = { ...one, schema: this.lastLeast.get(one.schema) ?? one.schema };
    const least = this.#minimal(isOdd(again) ? again : one, isOdd);
    this.lastLeast = new Map([[one.schema, least.schema]]);
    const said = verdictOf(ajv, least, this.draft7);
    const known = differences.find((row) => row.explains(least, String(said)));
    if (known === undefined) {
      this.#fail(least);
    } else {
      this.explained.set(known.name, (this.explained.get(known.name) ?? 0) + 1);
    }
  }

  #minimal(one, isOdd) {
    return minimal(one, (tried) =>
      this.draft7 === isDraft7(tried.schema) && isOdd(tried));
  }

  #fail(least) {
    this.failures.push(show(least, {
      tenon: tenonVerdict(least),
      ajv: verdictOf(ajv, least, this.draft7),
      specification: verdictOf(oracle, least, this.draft7),
    }));
  }
}

// How many verdicts each keyword decides: they change when it is taken out of the schema.
function countDecided(documents, counts) {
  const variants = [];
  for (const document of documents) {
    const said = new Set();
    JSON.parse(document.schema, (key, value) => (said.add(key), value));
    for (const keyword of keywordsDecided.filter((one) => said.has(one))) {
      const without = JSON.stringify(parseWithout(document.schema, keyword));
      variants.push({ keyword, document, schema: without });
    }
  }
  const before = tenon(documents);
  const after = tenon(variants.map(({ document, schema }) => ({ ...document, schema })));
  variants.forEach(({ keyword, document }, i) => {
    const first = before[documents.indexOf(document)].valid ?? [];
    const changed = first.filter((valid, k) => after[i].valid?.[k] !== valid).length;
    counts.set(keyword, (counts.get(keyword) ?? 0) + changed);
  });
}

// Every member of that name is left out: a property of that name is not among the generator's keys.
const parseWithout = (text, keyword) => JSON.parse(text, (key, value, context) =>
  key === keyword ? undefined
    : typeof value === "number" ? JSON.rawJSON(context.source) : value);

for (const [draft, draft7, wanted] of [
  ["2020-12", false, pairsWanted],
  ["draft-07", true, Math.ceil(pairsWanted / 5)],
]) {
  test(`Tenon judges as ajv does by random schemas of ${draft}`, () => {
    const generator = new Generator(seed, { draft7 });
    const run = new Run(draft7);
    const decided = new Map();
    while (run.pairs < wanted) {
      const documents = batchOf(generator, draft7);
      const tens = Math.floor(run.pairs / 10_000);
      run.compare(documents);
      if (Math.floor(run.pairs / 10_000) > tens) { // of a long run
        console.log(`${draft}: ${run.pairs} pairs`, run.failures.filter(Boolean).join("\n"));
      }
      if (!draft7 && run.pairs <= 20_000) {
        countDecided(documents, decided);
      }
    }
    const part = run.valid / run.pairs;
    console.log(`${draft}: ${run.pairs} pairs, ${(part * 100).toFixed(1)} % valid;`,
      "explained:", JSON.stringify(Object.fromEntries(run.explained)));
    assert.equal(run.failures.length, 0,
      `${run.failures.length} unexplained\n${run.failures.filter(Boolean).join("\n")}`);
    assert.ok(part >= 0.3 && part <= 0.7, `${part} of the pairs are valid; expected 0.3 to 0.7`);
    if (!draft7 && everyKeyword) {
      console.log("decided:", JSON.stringify(Object.fromEntries(decided)));
      const idle = keywordsDecided.filter((keyword) => (decided.get(keyword) ?? 0) < 3);
      assert.deepEqual(idle, [], "these keywords decided fewer than three verdicts");
    }
  });
}

for (const { name, examples } of differences) {
  test(`Tenon and ajv differ: ${name}`, () => {
    for (const [schema, instance, right, wrong] of examples) {
      const one = { schema, instance, formats: "assert" };
      assert.equal(tenonVerdict(one), right, `Tenon: ${schema} ${instance}`);
      const said = verdictOf(ajv, one, isDraft7(schema));
      const kind = typeof said === "string" ? "refused" : said;
      assert.equal(kind, wrong, `ajv: ${schema} ${said}`);
    }
  });
}

test("cases that are easily judged wrongly are judged rightly", () => {
  const lines = read("schema_regressions.jsonl").split("\n").filter(Boolean);
  assert.ok(lines.length > 20);
  for (const line of lines) {
    const given = JSON.parse(line, (_key, value, context) =>
      typeof value === "number" ? JSON.rawJSON(context.source) : value);
    const one = { schema: JSON.stringify(given.schema), instance: JSON.stringify(given.instance),
      formats: "assert" };
    assert.equal(verdictOf(oracle, one, isDraft7(one.schema)), given.valid, `oracle: ${line}`);
    assert.equal(tenonVerdict(one), given.valid, `Tenon: ${line}`);
  }
});

test("schemas that ajv refuses, Tenon refuses", () => {
  const wrong = [];
  for (const [schema, ajvToo = true] of refusedSchemas) {
    const one = { schema, instance: "null", formats: "assert" };
    const refuses = (verdict) => String(verdict).startsWith("refused");
    if (refuses(verdictOf(ajv, one, isDraft7(schema))) !== ajvToo) {
      wrong.push(`ajv: ${schema}`);
    }
    if (!refuses(tenonVerdict(one))) {
      wrong.push(`Tenon: ${schema}`);
    }
  }
  assert.deepEqual(wrong, []);
});

// The suite's groups that the oracle cannot play, and why.
const beyondOracle = [
  [/refRemote\.json/, "documents of their own at other URIs"],
  [/http:\/\/localhost:1234/, "the same"],
  [/"\$(ref|schema)":"https?:\/\/(json-schema\.org|localhost)/, "metaschemas"],
];

for (const [folder, draft7] of [["draft2020-12", false], ["draft7", true]]) {
  test(`the oracle passes the JSON Schema test suite of ${folder}`, () => {
    const tests = new URL(`../data/json-schema-test-suite/tests/${folder}/`, import.meta.url);
    let played = 0;
    for (const file of readdirSync(tests).filter((name) => name.endsWith(".json"))) {
      for (const group of parse(readFileSync(new URL(file, tests), "utf8"))) {
        const words = file + JSON.stringify(group.schema, (_key, value) =>
          typeof value === "bigint" ? String(value) : value);
        if (beyondOracle.some(([what]) => what.test(words.replace(
          `"$schema":"https://json-schema.org/draft/2020-12/schema"`, "")))) {
          continue;
        }
        const judge = new Oracle(group.schema, { draft7 });
        for (const one of group.tests) {
          ++played;
          assert.equal(judge.isValid(one.data), one.valid,
            `${file}: ${group.description}: ${one.description}`);
        }
      }
    }
    assert.ok(played > 850, `only ${played} were played`);
  });
}
