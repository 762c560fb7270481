// Uses Modekeeper through the official TypeScript SDK 2.x, and prints what it saw.
// usage: node --import <resolve.mjs of tests/tools> typescript2.mjs <stdio|http|sse> <binary or URL> <project folder> <legacy|2026-07-28>
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { converse } from "./converse.mjs";

const [transport, target, project, era] = process.argv.slice(2);

const seen = { asked: null };
const mode = era === "legacy" ? "legacy" : { pin: era };
const client = new Client(
  { name: "typescript2", version: "1" },
  { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
);
client.setRequestHandler("elicitation/create", (request) => {
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
await client.connect(open[transport]());
seen.protocol = client.getNegotiatedProtocolVersion();
await converse(client, seen, project, async () => {
  const changed = new Promise((resolve) => client.setNotificationHandler("notifications/tools/list_changed", resolve));
  if (era === "legacy") return { changed };
  const subscription = await client.listen({ toolsListChanged: true });
  return { changed, close: () => subscription.close() };
});
