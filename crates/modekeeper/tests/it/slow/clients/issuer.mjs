// A real OAuth issuer on this machine, in which whoever comes is Ann and agrees to everything; prints its address.
// With the files of a certificate and its key as arguments it speaks https.
import { readFileSync } from "node:fs";
import { createServer as plain } from "node:http";
import { createServer as encrypted } from "node:https";
import { Provider } from "oidc-provider";

const [cert, key] = process.argv.slice(2).map((file) => readFileSync(file));
const listener = (request, response) => answer(request, response);
const server = cert ? encrypted({ cert, key }, listener) : plain(listener);
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address();
const issuer = cert ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;

const provider = new Provider(issuer, {
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (context, resource) => ({
        audience: resource,
        scope: "mode:ask mode:architect mode:code mode:debug mode:orchestrator role:operator",
        accessTokenFormat: "jwt",
        accessTokenTTL: 600,
      }),
      useGrantedResource: () => true,
    },
  },
  // The clients of the tests come back to this machine, as native ones do.
  clientDefaults: { application_type: "native" },
  findAccount: (context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  interactions: { url: (context, interaction) => `/interaction/${interaction.uid}` },
  pkce: { required: () => true },
});
const serve = provider.callback();

async function answer(request, response) {
  if (request.method === "POST" && request.url === "/reg") {
    // Clients register with the first scope they meet; here they may ask for the others later.
    const { scope, ...metadata } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    request.body = metadata;
  }
  // Who names no scope gets the least.
  if (request.url.startsWith("/auth?") && !/[?&]scope=/.test(request.url)) request.url += "&scope=mode:ask";
  if (!request.url.startsWith("/interaction/")) return serve(request, response);
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    return provider.interactionFinished(request, response, { login: { accountId: "ann" } });
  }
  const known = grantId && await provider.Grant.find(grantId);
  const grant = known || new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  if (params.scope) grant.addOIDCScope(params.scope);
  for (const [resource, scopes] of Object.entries(prompt.details.missingResourceScopes || {})) {
    grant.addResourceScope(resource, scopes.join(" "));
  }
  const result = { consent: { grantId: await grant.save() } };
  return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

console.log(issuer);
