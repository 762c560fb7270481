// Uses Modekeeper through the official TypeScript SDK 1.x, and prints what it saw.
// usage: node --import <resolve.mjs of tests/tools> typescript1.mjs <stdio|http|sse> <binary or URL> <project folder>
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

import { converse } from "./converse.mjs";

const [transport, target, project] = process.argv.slice(2);

const seen = { asked: null };
const client = new Client({ name: "typescript1", version: "1" }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, (request) => {
  seen.asked = request.params.message;
  return { action: "accept", content: { approve: true } };
});

const args = ["mcp", "--switching", "ask_to_widen"];
const requestInit = { headers: { Authorization: `Bearer ${process.env.TOKEN}` } };
const open = {
  stdio: () => new StdioClientTransport({ command: target, args, env: process.env, cwd: project }),
  http: () => new StreamableHTTPClientTransport(new URL(target), { requestInit }),
  sse: () => new SSEClientTransport(new URL(target), { requestInit }),
};
const connection = open[transport]();
const setVersion = connection.setProtocolVersion?.bind(connection);
connection.setProtocolVersion = (version) => {
  seen.protocol = version;
  setVersion?.(version);
};
await client.connect(connection);
await converse(client, seen, project, async () => ({
  changed: new Promise((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, resolve)),
}));
