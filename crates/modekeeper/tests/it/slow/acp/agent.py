# An agent that does as its prompt says: it floods, makes noise, or calls the hook that its session brought, as Claude
# does; anything else it says back.
import json
import subprocess
import sys

hooks = {}


def say(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def chunk(text):
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    say({"method": "session/update", "params": {"sessionId": "s1", "update": update}})


def fire(event, **fields):
    heard = ""
    for hook in (hook for group in hooks.get(event, []) for hook in group["hooks"]):
        told = {"session_id": "s1", "hook_event_name": event, "cwd": ".", **fields}
        command = [hook["command"], *hook["args"]]
        heard += subprocess.run(command, input=json.dumps(told), capture_output=True, text=True).stdout
    return heard


def prompted(text):
    if text == "flood":
        for number in range(100_000):
            chunk(f"{number} " + "x" * 1000)
    elif text == "noise":
        sys.stdout.flush()
        sys.stdout.buffer.write(b"this is no message\n\n[1, 2]\n\xff\n")
        sys.stderr.write("y" * 1_000_000)
    elif text.startswith("write "):
        path = text.removeprefix("write ")
        chunk(fire("PreToolUse", tool_name="Write", tool_input={"file_path": path, "content": "x"}, tool_use_id=path))
    else:
        chunk(text)


for line in sys.stdin:
    message = json.loads(line)
    if "method" not in message or "id" not in message:
        continue
    params = message.get("params", {})
    result = {}
    if message["method"] == "initialize":
        result = {"protocolVersion": 1, "agentCapabilities": {}}
    elif message["method"] == "session/new":
        options = params.get("_meta", {}).get("claudeCode", {}).get("options", {})
        hooks = options.get("settings", {}).get("hooks", {})
        # Before anybody else knows of the session.
        fire("SessionStart", source="startup")
        result = {"sessionId": "s1"}
    elif message["method"] == "session/prompt":
        prompted(params["prompt"][0]["text"])
        result = {"stopReason": "end_turn"}
    say({"id": message["id"], "result": result})
    sys.stdout.flush()
