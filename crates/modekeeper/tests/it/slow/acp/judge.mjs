// Holds every message that the proxy has written itself against the protocol's schemas.
//
//   node judge.mjs <directory of the tools> <trace>
//
// A message that came in and went out unchanged is its sender's. Prints how many were held against which type, and what
// is wrong with them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [tools, trace] = process.argv.slice(2);
const require = createRequire(`${tools}/package.json`);
const Ajv = require("ajv/dist/2020").default;
const schema = JSON.parse(
  readFileSync(`${tools}/node_modules/@agentclientprotocol/sdk/schema/v1/schema.unstable.json`),
);
const ajv = new Ajv({ strict: false, allErrors: false, validateFormats: false });
ajv.addSchema(schema, "acp");

// Method and form to the name of its type.
const types = new Map();
for (const [name, type] of Object.entries(schema.$defs)) {
  const form = name.match(/(Request|Response|Notification)$/)?.[1];
  if (type["x-method"] && form) types.set(`${type["x-method"]} ${form}`, name);
}

const lines = readFileSync(trace, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const opposite = { "proxy → editor": "editor → proxy", "proxy → agent": "agent → proxy" };
const source = { "proxy → editor": "agent → proxy", "proxy → agent": "editor → proxy" };
const key = (id) => JSON.stringify(id);
const came = new Set();
// Who asked what: by the direction that the question came from.
const asked = new Map();
const checked = {};
const wrong = [];

for (const { direction, message } of lines) {
  if (!opposite[direction]) {
    came.add(direction + JSON.stringify(message));
    if (message.method && message.id !== undefined) {
      asked.set(direction + key(message.id), message.method);
    }
    continue;
  }
  if (came.has(source[direction] + JSON.stringify(message))) continue;
  const problem = (text) => wrong.push(`${direction}: ${text}: ${JSON.stringify(message)}`);
  if (message.jsonrpc !== "2.0") problem("no jsonrpc");
  let form, value, method;
  if (message.method) {
    method = message.method;
    form = message.id === undefined ? "Notification" : "Request";
    value = message.params;
  } else {
    method = asked.get(opposite[direction] + key(message.id));
    form = "Response";
    value = message.result;
    if (!method) problem("answers nothing");
    if (message.error) {
      if (!Number.isInteger(message.error.code) || typeof message.error.message !== "string") {
        problem("no error");
      }
      checked.Error = (checked.Error ?? 0) + 1;
      continue;
    }
  }
  const type = types.get(`${method} ${form}`);
  if (!type) {
    problem(`nothing is called ${method} ${form}`);
    continue;
  }
  const validate = ajv.getSchema(`acp#/$defs/${type}`);
  checked[type] = (checked[type] ?? 0) + 1;
  if (!validate(value)) problem(`${type}: ${ajv.errorsText(validate.errors)}`);
}
console.log(JSON.stringify({ checked, wrong }));
