// Logs in through the official TypeScript SDK 1.x, is refused, asks for more, and goes on in the same session.
//
// usage: login1.mjs <URL>
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { visit } from "./visit.mjs";

const callback = "http://127.0.0.1:9/callback";
const kept = {};
let sent = null;
const asked = [];
const provider = {
  redirectUrl: callback,
  clientMetadata: { client_name: "login", redirect_uris: [callback], grant_types: ["authorization_code"], response_types: ["code"], token_endpoint_auth_method: "none" },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens; },
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  codeVerifier: () => kept.verifier,
  redirectToAuthorization: (url) => { sent = url; asked.push(url.searchParams.get("scope")); },
};
const target = new URL(process.argv[2]);
const transport = () => new StreamableHTTPClientTransport(target, { authProvider: provider });

// Does it, and once more after a visit to the issuer if that is what it takes.
async function withLogin(doing, reach) {
  try {
    return await doing();
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
  }
  const answer = await visit(sent, callback);
  await reach.finishAuth(answer.get("code"));
  return null;
}

const first = transport();
const client = new Client({ name: "login", version: "1" });
await withLogin(() => client.connect(first), first);
const second = transport();
const agent = new Client({ name: "login", version: "1" });
await agent.connect(second);
const session = second.sessionId;
const modes = await agent.callTool({ name: "list_modes", arguments: {} });
const before = (await agent.listTools()).tools.some((tool) => tool.name === "write_file");
const write = () => agent.callTool({ name: "write_file", arguments: { file_path: "made.txt", content: "x" } });
const refused = await withLogin(write, second) === null;
const written = await write();
const after = (await agent.listTools()).tools.some((tool) => tool.name === "write_file");
console.log(JSON.stringify({
  asked, refused, before, after,
  modes: modes.content[0].text.split("\n")[0],
  written: !written.isError,
  sameSession: second.sessionId === session,
}));
process.exit(0);
