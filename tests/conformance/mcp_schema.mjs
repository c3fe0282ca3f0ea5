// SPDX-License-Identifier: Apache-2.0
// Checks messages against the JSON Schema of an MCP revision: each by the definition that its
// method has there, not by the loose union of all messages.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(new URL("../clients/package.json", import.meta.url));
const folder = fileURLToPath(new URL("../data/mcp/schema/", import.meta.url));

export const revisions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"];

// Tenon's revision-less answers to what it cannot read carry "id": null, as JSON-RPC 2.0 asks; the
// schemas know only ids that could be read.
function withReadableId(message) {
  return message?.id === null && "error" in message ? { ...message, id: 0 } : message;
}

export class McpSchema {
  constructor(revision) {
    this.revision = revision;
    const schema = JSON.parse(readFileSync(`${folder}${revision}/schema.json`, "utf8"));
    const is2020 = schema.$schema.includes("2020-12");
    const Ajv = require(is2020 ? "ajv/dist/2020.js" : "ajv").default;
    this.ajv = new Ajv({ strict: false, allErrors: true });
    require("ajv-formats").default(this.ajv);
    this.place = is2020 ? "$defs" : "definitions";
    this.definitions = schema[this.place];
    this.ajv.addSchema(schema, "mcp");
    this.requests = this.#byMethod("ClientRequest");
    this.notifications = this.#byMethod("ClientNotification");
    this.told = this.#byMethod("ServerNotification");
    this.asked = "ServerRequest" in this.definitions ? this.#byMethod("ServerRequest") : new Map();
  }

  // What is wrong with a message of the client; nothing when it is right.
  faultsOfSent(message) {
    if (Array.isArray(message)) {
      return "JSONRPCBatchRequest" in this.definitions
        ? [
            ...this.#faults("JSONRPCBatchRequest", message),
            ...message.flatMap((one) => this.faultsOfSent(one)),
          ]
        : [`revision ${this.revision} has no batches`];
    }
    const request = message !== null && typeof message === "object" && "id" in message;
    const known = request ? this.requests : this.notifications;
    return this.#faultsOfMethod(message, request ? "JSONRPCRequest" : "JSONRPCNotification", known);
  }

  // What is wrong with a message of the server. methodOf(id) is the method that the client asked
  // under that id.
  faultsOfReceived(message, methodOf) {
    if (Array.isArray(message)) {
      return "JSONRPCBatchResponse" in this.definitions
        ? [
            ...this.#faults("JSONRPCBatchResponse", message.map(withReadableId)),
            ...message.flatMap((one) => this.faultsOfReceived(one, methodOf)),
          ]
        : [`revision ${this.revision} has no batches`];
    }
    if (message !== null && typeof message === "object" && "method" in message) {
      return "id" in message
        ? this.#faultsOfMethod(message, "JSONRPCRequest", this.asked)
        : this.#faultsOfMethod(message, "JSONRPCNotification", this.told);
    }
    return message !== null && typeof message === "object" && "error" in message
      ? this.#faultsOfError(message)
      : this.#faultsOfResult(message, methodOf);
  }

  #faultsOfError(message) {
    const newName = "JSONRPCErrorResponse";
    const name = newName in this.definitions ? newName : "JSONRPCError";
    const faults = this.#faults(name, withReadableId(message));
    const special = { [-32022]: "UnsupportedProtocolVersionError" }[message.error?.code];
    return special in this.definitions ? [...faults, ...this.#faults(special, message)] : faults;
  }

  #faultsOfResult(message, methodOf) {
    const envelope =
      "JSONRPCResultResponse" in this.definitions ? "JSONRPCResultResponse" : "JSONRPCResponse";
    const faults = this.#faults(envelope, message);
    if (faults.length > 0) {
      return faults;
    }
    const request = this.requests.get(methodOf(message.id));
    if (request === undefined) {
      return [`a result for id ${JSON.stringify(message.id)}, under which nothing known was asked`];
    }
    const name = request.replace(/Request$/, "Result");
    return this.#faults(name in this.definitions ? name : "EmptyResult", message.result);
  }

  #faultsOfMethod(message, envelope, known) {
    const faults = this.#faults(envelope, message);
    if (faults.length > 0) {
      return faults;
    }
    const name = known.get(message.method);
    return name === undefined
      ? [`revision ${this.revision} has no ${envelope} of the method ${message.method}`]
      : this.#faults(name, message);
  }

  #faults(name, value) {
    const validate = this.ajv.getSchema(`mcp#/${this.place}/${name}`);
    if (validate === undefined) {
      throw new Error(`revision ${this.revision} has no definition ${name}`);
    }
    return validate(value)
      ? []
      : validate.errors.map((error) => `${name}${error.instancePath}: ${error.message}`);
  }

  // Method -> definition, of the members of a union.
  #byMethod(union) {
    const members = this.definitions[union].anyOf?.map((one) => one.$ref.split("/").at(-1));
    const names = members ?? [union];
    return new Map(names.map((name) => [this.definitions[name].properties.method.const, name]));
  }
}

const made = new Map();
export function schemaOf(revision) {
  if (!revisions.includes(revision)) {
    throw new Error(`${revision} is no revision of MCP; expected one of ${revisions.join(", ")}`);
  }
  if (!made.has(revision)) {
    made.set(revision, new McpSchema(revision));
  }
  return made.get(revision);
}
