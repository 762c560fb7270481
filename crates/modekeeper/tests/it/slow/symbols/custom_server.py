"""A language server that a user wrote: it finds every line with `todo`, and says what it was told."""

import json
import sys

documents = {}


def receive():
    length = 0
    while (line := sys.stdin.buffer.readline().strip()) != b"":
        name, value = line.split(b": ")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(sys.stdin.buffer.read(length)) if length else sys.exit()


def send(message):
    text = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
    sys.stdout.buffer.flush()


def setting(section):
    params = {"items": [{"section": section}]}
    send({"id": "setting", "method": "workspace/configuration", "params": params})
    while (message := receive()).get("id") != "setting":
        handle(message)
    return message["result"][0]


def problems(uri):
    told = f"{sys.argv[1]}, {options['from']}, {setting('todo')['level']}"
    for number, line in enumerate(documents[uri].splitlines()):
        if "todo" in line:
            start = {"line": number, "character": line.index("todo")}
            yield {"range": {"start": start, "end": start}, "severity": 1, "message": told}


def handle(message):
    global options
    method, params = message.get("method"), message.get("params")
    if method == "initialize":
        options = params["initializationOptions"]
        provider = {"interFileDependencies": False, "workspaceDiagnostics": False}
        capabilities = {"textDocumentSync": 1, "diagnosticProvider": provider}
        send({"id": message["id"], "result": {"capabilities": capabilities}})
    elif method == "textDocument/didOpen":
        documents[params["textDocument"]["uri"]] = params["textDocument"]["text"]
    elif method == "textDocument/didChange":
        documents[params["textDocument"]["uri"]] = params["contentChanges"][0]["text"]
    elif method == "textDocument/diagnostic":
        items = list(problems(params["textDocument"]["uri"]))
        send({"id": message["id"], "result": {"kind": "full", "items": items}})
    elif method == "exit":
        sys.exit()
    elif "id" in message and method:
        send({"id": message["id"], "result": None})


while True:
    handle(receive())
