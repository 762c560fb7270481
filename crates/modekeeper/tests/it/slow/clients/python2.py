"""Uses Modekeeper through the official Python SDK 2.x, and prints what it saw.

usage: python2.py <stdio|http> <binary or URL> <project folder> <legacy|auto>
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult, ResourceTemplateReference, ToolListChangedNotification

transport, target, project, mode = sys.argv[1:]
seen = {"asked": None}
changed = asyncio.Event()


async def on_message(message):
    if isinstance(message, ToolListChangedNotification):
        changed.set()


async def on_elicitation(context, params):
    seen["asked"] = params.message
    return ElicitResult(action="accept", content={"approve": True})


async def converse(client):
    seen["server"], seen["protocol"] = client.server_info.name, client.protocol_version
    seen["tools"] = [tool.name for tool in (await client.list_tools()).tools]
    seen["resources"] = len((await client.list_resources()).resources)
    seen["templates"] = len((await client.list_resource_templates()).resource_templates)
    seen["prompts"] = [prompt.name for prompt in (await client.list_prompts()).prompts]
    read = await client.read_resource("mode://code/config")
    seen["read"] = json.loads(read.contents[0].text)["slug"]
    reference = ResourceTemplateReference(uri="mode://{slug}")
    completed = await client.complete(reference, {"name": "slug", "value": "co"})
    seen["completed"] = completed.completion.values
    prompt = await client.get_prompt("ask", {"task": "Say hello"})
    seen["prompt"] = "Say hello" in prompt.messages[0].content.text

    called = seen["called"] = {}

    async def call(tool, **arguments):
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, result
        called[tool] = result.content[0].text.splitlines()[0]
        return result.structured_content

    await call("list_modes")
    await call("get_mode_info", mode_slug="ask")
    id = (await call("create_task", mode_slug="ask"))["session_id"]
    await call("get_task_info", session_id=id)
    denied = await call("validate_tool_use", session_id=id, tool_name="write_to_file", file_path="a")
    seen["allowed"] = denied["allowed"]
    seen["switched"] = (await call("switch_mode", session_id=id, new_mode_slug="code"))["new_mode"]
    await call("complete_task", session_id=id, status="completed")
    try:
        failed = await client.call_tool("get_mode_info", {"mode_slug": "nobody"})
        # From 2026-07-28 on, the code is in the result.
        seen["error"] = failed.structured_content["error"]["code"]
    except MCPError as error:
        seen["error"] = error.error.code

    async def ask(tool, **arguments):
        return json.loads((await client.call_tool(tool, arguments)).content[0].text)

    activated = await client.get_prompt("activate_agent", {"role": "frontend-developer"})
    skills = (await ask("recommend_skills", prompt="There is a bug in the login"))["recommendations"]
    seen["rules"] = {
        "mode": (await ask("parse_mode", prompt="PLAN: Design a login"))["mode"],
        "skill": skills[0]["skillName"],
        "agent": (await ask("get_agent_details", agentName="code-reviewer"))["name"],
        "core": (await client.read_resource("rules://rules/core.md")).contents[0].mime_type,
        "activated": activated.messages[0].content.text.splitlines()[0],
    }

    def save():
        Path(project, ".roomodes").write_text("customModes: [{slug: new, name: New, roleDefinition: You., groups: []}]")

    if mode == "legacy":
        changed.clear()
        save()
        await asyncio.wait_for(changed.wait(), 60)
    else:
        async with client.listen(tools_list_changed=True) as events:
            save()
            await asyncio.wait_for(anext(events), 60)
    seen["list_changed"] = "new" in [prompt.name for prompt in (await client.list_prompts()).prompts]


async def main():
    headers = {"Authorization": f"Bearer {os.environ.get('TOKEN')}"}
    server = streamable_http_client(target, http_client=httpx2.AsyncClient(headers=headers, timeout=60))
    if transport == "stdio":
        arguments = ["mcp", "--switching", "ask_to_widen"]
        server = StdioServerParameters(command=target, args=arguments, env=dict(os.environ), cwd=project)
    handlers = {"elicitation_callback": on_elicitation, "message_handler": on_message}
    async with Client(server, mode=mode, **handlers) as client:
        await converse(client)


asyncio.run(main())
print(json.dumps(seen))
