// Runs the conformance suite's scenarios for authorization servers against an issuer, for tokens of one server.
// The suite waits for a person's browser to come back from the issuer; here that is `visit`.
//
// usage: conform.mjs <the suite's index.js> <issuer> <URL of the server that tokens are for> <directory for results>
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { visit } from "./visit.mjs";

const [suite, issuer, resource, results] = process.argv.slice(2);
const MOST_PORTS = 5;

// The suite binds a port that it is told: another process may have taken it by then, so another one is tried.
for (let attempt = 1; ; attempt += 1) {
  const { code, isTaken } = await conform(await freePort());
  if (!isTaken || attempt === MOST_PORTS) process.exit(code);
}

async function freePort() {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address();
  free.close();
  await once(free, "close");
  return port;
}

async function conform(port) {
  const callback = `http://127.0.0.1:${port}/callback`;
  const registered = await fetch(`${issuer}/reg`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ redirect_uris: [callback], grant_types: ["authorization_code"], response_types: ["code"], token_endpoint_auth_method: "none" }),
  });
  const { client_id: client } = await registered.json();
  const child = spawn(process.execPath, [
    suite, "authorization", "--url", issuer, "--client-id", client, "--resource", resource,
    "--port", String(port), "--spec-version", "2026-07-28", "--output-dir", results,
  ], { stdio: ["ignore", "pipe", "pipe"] });
  let isTaken = false;
  child.stderr.on("data", (text) => {
    isTaken ||= String(text).includes("EADDRINUSE");
    process.stderr.write(text);
  });
  const ended = once(child, "exit");
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    if (line.startsWith(`${issuer}/`)) await fetch(`${callback}?${await visit(line, callback)}`);
  }
  const [code] = await ended;
  return { code, isTaken };
}
