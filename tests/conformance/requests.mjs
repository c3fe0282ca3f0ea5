// SPDX-License-Identifier: Apache-2.0
// Requests that tests send by hand.

export const initialize = (revision = "2025-11-25", id = "start") => ({
  jsonrpc: "2.0",
  id,
  method: "initialize",
  params: {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: "test", version: "1.0.0" },
  },
});
export const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };

export const ping = (id) => ({ jsonrpc: "2.0", id, method: "ping" });
export const list = (id) => ({ jsonrpc: "2.0", id, method: "tools/list" });
export const call = (id, name, args = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});
export const cancel = (requestId) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

export const textOf = (answer) => answer.result.content[0].text;
