# The Python SDK as an editor: both setters, then a turn in which nothing is allowed by the person.
#
#   editor.py <project> <command>…
#
# Prints what it saw, as one JSON object.
import asyncio
import json
import os
import sys

import acp
from acp.schema import AllowedOutcome, ClientCapabilities, FileSystemCapabilities, RequestPermissionResponse


class Editor(acp.Client):
    def __init__(self):
        self.updates = []
        self.questions = []

    async def session_update(self, session_id, update, **kwargs):
        self.updates.append(update.model_dump(by_alias=True, exclude_none=True, mode="json"))

    async def request_permission(self, session_id, tool_call, options, **kwargs):
        self.questions.append(tool_call.title)
        option = next(it for it in options if it.kind == "allow_once")
        return RequestPermissionResponse(outcome=AllowedOutcome(option_id=option.option_id, outcome="selected"))

    async def read_text_file(self, session_id, path, **kwargs):
        with open(path, encoding="utf-8") as file:
            return acp.ReadTextFileResponse(content=file.read())

    async def write_text_file(self, session_id, path, content, **kwargs):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)


async def main(project, command):
    editor = Editor()
    async with acp.spawn_agent_process(editor, *command, cwd=project, env=dict(os.environ)) as (agent, _):
        capabilities = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=True, write_text_file=True))
        await agent.initialize(protocol_version=acp.PROTOCOL_VERSION, client_capabilities=capabilities)
        session = await agent.new_session(cwd=project, mcp_servers=[])
        await agent.set_session_mode(session_id=session.session_id, mode_id="ask")
        changed = await agent.set_config_option(
            session_id=session.session_id, config_id="mode", value="architect"
        )
        refused = None
        try:
            await agent.set_session_mode(session_id=session.session_id, mode_id="no-such-mode")
        except acp.RequestError as error:
            refused = error.code
        turn = await agent.prompt(session_id=session.session_id, prompt=[acp.text_block("SCRIPT main")])
    kinds = [update["sessionUpdate"] for update in editor.updates]
    modes = [it["currentModeId"] for it in editor.updates if it["sessionUpdate"] == "current_mode_update"]
    print(json.dumps({
        "offered": [mode.id for mode in session.modes.available_modes],
        "changed": changed.config_options[0].model_dump(by_alias=True, mode="json")["currentValue"],
        "modes": modes,
        "hasOptionUpdate": "config_option_update" in kinds,
        "refused": refused,
        "stopReason": turn.stop_reason,
        "questions": len(editor.questions),
    }))


asyncio.run(main(sys.argv[1], sys.argv[2:]))
