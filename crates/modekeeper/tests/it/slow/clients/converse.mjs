// What both TypeScript clients do with Modekeeper; gives what they saw.
import { writeFileSync } from "node:fs";
import { join } from "node:path";

export function within(seconds, promise, what) {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error(`${what}: too late`)), seconds * 1000));
  return Promise.race([promise, late]);
}

/** `listen` gives a promise that resolves when the client hears that the tools changed. */
export async function converse(client, seen, project, listen) {
  seen.server = client.getServerVersion().name;
  seen.tools = (await client.listTools()).tools.map((tool) => tool.name);
  seen.resources = (await client.listResources()).resources.length;
  seen.templates = (await client.listResourceTemplates()).resourceTemplates.length;
  seen.prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
  const read = await client.readResource({ uri: "mode://code/config" });
  seen.read = JSON.parse(read.contents[0].text).slug;
  const ref = { type: "ref/resource", uri: "mode://{slug}" };
  const completed = await client.complete({ ref, argument: { name: "slug", value: "co" } });
  seen.completed = completed.completion.values;
  const prompt = await client.getPrompt({ name: "ask", arguments: { task: "Say hello" } });
  seen.prompt = prompt.messages[0].content.text.includes("Say hello");

  seen.called = {};
  const call = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) throw new Error(JSON.stringify(result));
    seen.called[name] = result.content[0].text.split("\n")[0];
    return result.structuredContent;
  };
  await call("list_modes");
  await call("get_mode_info", { mode_slug: "ask" });
  const { session_id } = await call("create_task", { mode_slug: "ask" });
  await call("get_task_info", { session_id });
  const tool = { tool_name: "write_to_file", file_path: "a" };
  seen.allowed = (await call("validate_tool_use", { session_id, ...tool })).allowed;
  seen.switched = (await call("switch_mode", { session_id, new_mode_slug: "code" })).new_mode;
  await call("complete_task", { session_id, status: "completed" });
  try {
    const failed = await client.callTool({ name: "get_mode_info", arguments: { mode_slug: "nobody" } });
    // From 2026-07-28 on, the code is in the result.
    seen.error = failed.structuredContent.error.code;
  } catch (error) {
    seen.error = error.code;
  }

  const ask = async (name, args) => JSON.parse((await client.callTool({ name, arguments: args })).content[0].text);
  const activated = await client.getPrompt({ name: "activate_agent", arguments: { role: "frontend-developer" } });
  seen.rules = {
    mode: (await ask("parse_mode", { prompt: "PLAN: Design a login" })).mode,
    skill: (await ask("recommend_skills", { prompt: "There is a bug in the login" })).recommendations[0].skillName,
    agent: (await ask("get_agent_details", { agentName: "code-reviewer" })).name,
    core: (await client.readResource({ uri: "rules://rules/core.md" })).contents[0].mimeType,
    activated: activated.messages[0].content.text.split("\n")[0],
  };

  const { changed, close } = await listen();
  const text = "customModes: [{slug: new, name: New, roleDefinition: You., groups: []}]";
  writeFileSync(join(project, ".roomodes"), text);
  await within(60, changed, "list_changed");
  await close?.();
  const prompts = (await client.listPrompts()).prompts;
  seen.list_changed = prompts.some((prompt) => prompt.name === "new");
  await client.close();
  console.log(JSON.stringify(seen));
  process.exit(0);
}
