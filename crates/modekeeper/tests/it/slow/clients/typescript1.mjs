// Uses Modekeeper through the official TypeScript SDK 1.x, and prints what it saw.
// usage: node typescript1.mjs <folder with node_modules> <stdio|http|sse> <binary or URL> <project folder>
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

import { converse } from "./converse.mjs";

const [tools, transport, target, project] = process.argv.slice(2);
const require = createRequire(`${tools}/`);
const sdk = (path) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${path}`).replace("/cjs/", "/esm/")).href);

const { Client } = await sdk("client/index.js");
const { ElicitRequestSchema, ToolListChangedNotificationSchema } = await sdk("types.js");

const seen = { asked: null };
const client = new Client({ name: "typescript1", version: "1" }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, (request) => {
  seen.asked = request.params.message;
  return { action: "accept", content: { approve: true } };
});

const open = {
  stdio: async () => {
    const { StdioClientTransport } = await sdk("client/stdio.js");
    const args = ["mcp", "--switching", "ask_to_widen"];
    return new StdioClientTransport({ command: target, args, env: process.env, cwd: project });
  },
  http: async () => {
    const { StreamableHTTPClientTransport } = await sdk("client/streamableHttp.js");
    return new StreamableHTTPClientTransport(new URL(target));
  },
  sse: async () => {
    const { SSEClientTransport } = await sdk("client/sse.js");
    return new SSEClientTransport(new URL(target));
  },
};
const connection = await open[transport]();
const setVersion = connection.setProtocolVersion?.bind(connection);
connection.setProtocolVersion = (version) => {
  seen.protocol = version;
  setVersion?.(version);
};
await client.connect(connection);
await converse(client, seen, project, async () => ({
  changed: new Promise((resolve) => client.setNotificationHandler(ToolListChangedNotificationSchema, resolve)),
}));
