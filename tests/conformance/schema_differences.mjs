// SPDX-License-Identifier: Apache-2.0
// Where Tenon and ajv may differ, and why. A row explains a difference when the least schema and
// value that show it fit `explains`. Its examples, [schema, value, what Tenon says, what ajv says],
// must differ for as long as the row stands.
import { inherited } from "./schema_words.mjs";
import { Decimal } from "./schema_oracle.mjs";

// Whether a text holds a number that a double changes.
function isBeyondDoubles(text) {
  let beyond = false;
  JSON.parse(text, (_key, value, context) => {
    beyond ||= typeof value === "number" && (!Number.isFinite(value) ||
      Decimal.of(String(value)).compare(Decimal.of(context.source)) !== 0);
    return value;
  });
  return beyond;
}
const says = (text, keyword) => text.includes(`"${keyword}":`);

export const differences = [
  {
    name: "numbers that no double holds",
    reason: "JavaScript reads 9007199254740993 as ...992 and 1e400 as Infinity; Tenon is exact",
    explains: ({ schema, instance }) => isBeyondDoubles(schema) || isBeyondDoubles(instance),
    examples: [
      [`{"const":9007199254740993}`, "9007199254740992", false, true],
      [`{"maximum":1e400}`, "2e400", false, true],
    ],
  },
  {
    name: "multipleOf in doubles",
    reason: "0.3 / 0.1 is 2.9999999999999996 in doubles, and from 1e21 on ajv takes the whole " +
      "part of a quotient's text, which is 1 for 1e+21",
    explains: ({ schema }) => says(schema, "multipleOf"),
    examples: [
      [`{"multipleOf":0.1}`, "0.3", true, false],
      [`{"multipleOf":1}`, "1e22", true, false],
    ],
  },
  {
    name: "keys that every JavaScript object inherits",
    reason: "ajv looks for a key by object.key, which also finds Object.prototype's",
    explains: ({ schema, instance }) =>
      inherited.some((key) => schema.includes(key) || instance.includes(key)),
    examples: [
      [`{"required":["toString"]}`, "{}", false, true],
    ],
  },
  {
    name: "the empty key",
    reason: "ajv forgets it where it looks for keys that are missing",
    explains: ({ schema }) => schema.includes(`""`),
    examples: [
      [`{"required":[""]}`, "{}", false, true],
    ],
  },
  {
    name: "what a failed subschema evaluates",
    reason: "nothing: ajv keeps keys by patternProperties, and what is known to evaluate them all",
    explains: ({ schema }) =>
      schema.includes(`"unevaluated`) && /"(if|anyOf|oneOf)":/.test(schema),
    examples: [
      [`{"if":{"unevaluatedProperties":false},"else":{"maxItems":3},` +
          `"unevaluatedProperties":false}`,
        `{"a":1}`, false, true],
      [`{"anyOf":[{"patternProperties":{"a":false}},true],"unevaluatedProperties":false}`,
        `{"a":1}`, false, true],
    ],
  },
  {
    name: "an exception in ajv's code for patternProperties and unevaluatedProperties",
    reason: "it notes evaluated keys in an object that it did not make",
    explains: (one, said) => said.includes("Cannot set properties of undefined"),
    examples: [
      [`{"$id":"https://x.example/a","items":{"patternProperties":{"^\\\\d+$":true},` +
          `"anyOf":[{"$ref":"a"}]},"$defs":{"b":{"unevaluatedProperties":false}}}`,
        `[{"1":true}]`, true, "refused"],
    ],
  },
  {
    name: "contains and unevaluatedItems",
    reason: "in 2020-12 an item is evaluated when contains takes it; to ajv they all are, or none",
    explains: ({ schema }) => says(schema, "contains") && says(schema, "unevaluatedItems"),
    examples: [
      [`{"contains":true,"unevaluatedItems":false}`, "[1]", true, false],
      [`{"contains":{"const":1},"unevaluatedItems":false}`, "[1,2]", false, true],
    ],
  },
  {
    name: "contains beside prefixItems or items in an empty array",
    reason: "ajv leaves contains out when the array is empty and a list of items is checked too",
    explains: ({ schema, instance }) => says(schema, "contains") && instance.includes("[]") &&
      (says(schema, "prefixItems") || says(schema, "items")),
    examples: [
      [`{"contains":true,"prefixItems":[false]}`, "[]", false, true],
    ],
  },
  {
    name: "$dynamicRef",
    reason: "ajv's is a sketch: it looks for the root of the document alone, and drops the " +
      "verdicts of the keywords beside it",
    explains: ({ schema }) => says(schema, "$dynamicRef"),
    examples: [
      [`{"$dynamicAnchor":"node","anyOf":[{"properties":{"a":` +
          `{"$dynamicRef":"#node","oneOf":[true,true]}}}]}`,
        `{"a":0}`, false, true],
    ],
  },
  {
    name: "an escaped % in a reference",
    reason: "ajv decodes a fragment twice",
    explains: (one, said) => said.includes("URI malformed"),
    examples: [
      [`{"$ref":"#/$defs/b","$defs":{"%f0":{"$id":"https://x.example/a"},` +
          `"b":{"$id":"https://x.example/b","$ref":"a"}}}`,
        "1", true, "refused"],
    ],
  },
  {
    name: "a host name that ends with a dot",
    reason: "ajv-formats allows it; the JSON Schema test suite does not",
    explains: ({ schema, instance }) => schema.includes(`"hostname"`) && instance.includes(`."`),
    examples: [
      [`{"format":"hostname"}`, `"example.com."`, false, true],
    ],
  },
  {
    name: "an email address at a host without a dot",
    reason: "ajv-formats wants one; to RFC 5321 a domain may be a single label",
    explains: ({ schema, instance }) => schema.includes(`"email"`) && /@[^.]+"/.test(instance),
    examples: [
      [`{"format":"email"}`, `"a@example"`, true, false],
    ],
  },
  {
    name: "what a $ref to the schema around it evaluates",
    reason: "ajv compiles the keyword before it knows",
    explains: ({ schema }) => schema.includes(`"unevaluated`) && says(schema, "$ref"),
    examples: [
      [`{"items":{"unevaluatedItems":false,"$ref":"#"}}`, "[[1,true]]", true, false],
    ],
  },
  {
    name: "keywords beside $ref, by draft-07",
    reason: "that draft ignores them, and ajv reads them as the later drafts do",
    explains: ({ schema }) =>
      schema.includes("draft-07") && /"\$ref":"[^"]*",|,"\$ref":/.test(schema),
    examples: [
      [`{"$schema":"http://json-schema.org/draft-07/schema#","items":{"type":"array",` +
          `"$ref":"#/definitions/any"},"definitions":{"any":true}}`,
        "[1]", true, false],
    ],
  },
  {
    name: "a value twice in enum, by draft-07",
    reason: "its metaschema allows what ajv's copy forbids",
    explains: (one, said) => /enum must NOT have duplicate items/.test(said),
    examples: [
      [`{"$schema":"http://json-schema.org/draft-07/schema#","enum":[1,1]}`, "1", true, "refused"],
    ],
  },
];

// Each decides at least three of the first pairs.
export const keywordsDecided = [
  "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
  "multipleOf", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems",
  "uniqueItems", "prefixItems", "items", "contains", "minContains", "maxContains", "required",
  "minProperties", "maxProperties", "dependentRequired", "dependencies", "properties",
  "patternProperties",
  "additionalProperties", "propertyNames", "dependentSchemas", "allOf", "anyOf", "oneOf", "not",
  "if", "then", "else", "unevaluatedProperties", "unevaluatedItems", "$ref", "$dynamicRef",
  "$anchor", "$dynamicAnchor", "$id", "$defs",
];

// Schemas that are none; false where ajv takes them all the same.
export const refusedSchemas = [
  [`5`], [`"object"`], [`null`], [`[]`],
  [`{"type":"dict"}`], [`{"type":5}`], [`{"type":[]}`], [`{"type":["string","any"]}`],
  [`{"enum":{}}`], [`{"minimum":"1"}`], [`{"exclusiveMinimum":true}`], [`{"multipleOf":0}`],
  [`{"multipleOf":-1}`], [`{"minLength":-1}`], [`{"minLength":1.5}`], [`{"maxLength":"1"}`],
  [`{"pattern":"("}`], [`{"pattern":5}`], [`{"patternProperties":{"[":true}}`],
  [`{"minItems":-1}`], [`{"maxItems":null}`], [`{"uniqueItems":1}`], [`{"prefixItems":{}}`],
  [`{"prefixItems":[]}`], [`{"items":[true]}`], [`{"items":5}`], [`{"contains":"x"}`],
  [`{"minContains":-1}`], [`{"required":"a"}`], [`{"required":[1]}`], [`{"properties":[]}`],
  [`{"properties":{"a":5}}`], [`{"additionalProperties":5}`], [`{"propertyNames":null}`],
  [`{"dependentRequired":{"a":"b"}}`], [`{"dependentSchemas":{"a":["b"]}}`], [`{"allOf":[]}`],
  [`{"anyOf":{}}`], [`{"oneOf":[5]}`], [`{"not":5}`], [`{"if":5,"then":true}`],
  [`{"unevaluatedItems":5}`], [`{"unevaluatedProperties":[]}`], [`{"$ref":5}`],
  [`{"$ref":"#/nowhere"}`], [`{"$ref":"#nowhere"}`], [`{"$ref":"https://elsewhere.example/x"}`],
  [`{"$anchor":"a b"}`], [`{"$anchor":5}`], [`{"$dynamicAnchor":"#a"}`], [`{"$id":5}`],
  [`{"$defs":[]}`], [`{"$defs":{"a":5}}`], [`{"$schema":"https://elsewhere.example/schema"}`],
  [`{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`],
];
