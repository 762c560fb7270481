#!/usr/bin/env bash
# Runs the official MCP conformance suite against a server on this machine.
#
#   tests/conformance/run.sh http://127.0.0.1:<port>/mcp 2026-07-28
#
# The last line has the counts. The exit code is not 0 if any check failed, also one that the
# suite runs without scoring it; then the results stay in the directory that is named.
set -euo pipefail

if [[ $# -ne 2 ]]; then
    echo "usage: run.sh <url> <requirements, such as 2026-07-28>" >&2
    exit 2
fi
url=$1 requirements=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=$("$here/install.sh")
results=$(mktemp -d "${TMPDIR:-/tmp}/modekeeper-conformance.XXXXXX")

suite=passed
"$tools/node" "$tools/node_modules/@modelcontextprotocol/conformance/dist/index.js" server \
    --url "$url" --requirements "$requirements" --output-dir "$results/checks" \
    >"$results/log" 2>&1 || suite=failed

if "$tools/node" "$here/summary.mjs" "$results/checks" "$requirements" && [[ $suite == passed ]]; then
    rm -rf "$results"
else
    echo "conformance $requirements: the suite $suite; see $results" >&2
    exit 1
fi
