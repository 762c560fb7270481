"""Uses Modekeeper through the official Python SDK 1.x, and prints what it saw.

usage: python1.py <stdio|http> <binary or URL> <project folder>
"""

import asyncio
import json
import os
import sys
from pathlib import Path

import httpx
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import McpError

transport, target, project = sys.argv[1:]
seen = {"asked": None}
changed = asyncio.Event()


async def on_message(message):
    root = getattr(message, "root", None)
    if isinstance(root, types.ToolListChangedNotification):
        changed.set()


async def on_elicitation(context, params):
    seen["asked"] = params.message
    return types.ElicitResult(action="accept", content={"approve": True})


async def converse(session):
    info = await session.initialize()
    seen["server"], seen["protocol"] = info.serverInfo.name, info.protocolVersion
    seen["tools"] = [tool.name for tool in (await session.list_tools()).tools]
    seen["resources"] = len((await session.list_resources()).resources)
    seen["templates"] = len((await session.list_resource_templates()).resourceTemplates)
    seen["prompts"] = [prompt.name for prompt in (await session.list_prompts()).prompts]
    read = await session.read_resource("mode://code/config")
    seen["read"] = json.loads(read.contents[0].text)["slug"]
    reference = types.ResourceTemplateReference(type="ref/resource", uri="mode://{slug}")
    completed = await session.complete(reference, {"name": "slug", "value": "co"})
    seen["completed"] = completed.completion.values
    prompt = await session.get_prompt("ask", {"task": "Say hello"})
    seen["prompt"] = "Say hello" in prompt.messages[0].content.text

    called = seen["called"] = {}

    async def call(tool, **arguments):
        result = await session.call_tool(tool, arguments)
        assert not result.isError, result
        called[tool] = result.content[0].text.splitlines()[0]
        return result.structuredContent

    await call("list_modes")
    await call("get_mode_info", mode_slug="ask")
    id = (await call("create_task", mode_slug="ask"))["session_id"]
    await call("get_task_info", session_id=id)
    denied = await call("validate_tool_use", session_id=id, tool_name="write_to_file", file_path="a")
    seen["allowed"] = denied["allowed"]
    seen["switched"] = (await call("switch_mode", session_id=id, new_mode_slug="code"))["new_mode"]
    await call("complete_task", session_id=id, status="completed")
    try:
        await session.call_tool("get_mode_info", {"mode_slug": "nobody"})
    except McpError as error:
        seen["error"] = error.error.code

    async def ask(tool, **arguments):
        return json.loads((await session.call_tool(tool, arguments)).content[0].text)

    activated = await session.get_prompt("activate_agent", {"role": "frontend-developer"})
    skills = (await ask("recommend_skills", prompt="There is a bug in the login"))["recommendations"]
    seen["rules"] = {
        "mode": (await ask("parse_mode", prompt="PLAN: Design a login"))["mode"],
        "skill": skills[0]["skillName"],
        "agent": (await ask("get_agent_details", agentName="code-reviewer"))["name"],
        "core": (await session.read_resource("rules://rules/core.md")).contents[0].mimeType,
        "activated": activated.messages[0].content.text.splitlines()[0],
    }

    changed.clear()
    Path(project, ".roomodes").write_text("customModes: [{slug: new, name: New, roleDefinition: You., groups: []}]")
    await asyncio.wait_for(changed.wait(), 60)
    seen["list_changed"] = "new" in [prompt.name for prompt in (await session.list_prompts()).prompts]


async def main():
    if transport == "stdio":
        arguments = ["mcp", "--switching", "ask_to_widen"]
        client = stdio_client(StdioServerParameters(command=target, args=arguments, env=dict(os.environ), cwd=project))
    else:
        headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
        client = streamable_http_client(target, http_client=httpx.AsyncClient(headers=headers, timeout=60))
    async with client as streams:
        handlers = {"elicitation_callback": on_elicitation, "message_handler": on_message}
        async with ClientSession(streams[0], streams[1], **handlers) as session:
            await converse(session)


asyncio.run(main())
print(json.dumps(seen))
