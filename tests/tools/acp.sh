#!/usr/bin/env bash
# Installs what the slow tests of the ACP proxy need besides the agents, outside the checkout, once for each version of
# the lock file, and prints its directory.
#
#   <directory>/bin/claude-agent-acp, codex-acp      agents
#   <directory>/bin/acpx                             a client
#   <directory>/bin/node                             the Node to run them with
#   <directory>/node_modules/@agentclientprotocol/sdk/schema/    the protocol's schemas
#
# The Python SDK is installed by python.sh.
#
# Nothing of theirs runs while they are installed.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/once.sh"

files=("$here/acp/package.json" "$here/acp/package-lock.json" "$here/acp/.npmrc")
directory=$tools/acp-$(version "${files[@]}" "${BASH_SOURCE[0]}")
# They need a newer Node than Debian has; the conformance suite brings one.
conformance=$("$here/../conformance/install.sh")

install() {
    cp "${files[@]}" .
    npm_install --ignore-scripts --engine-strict=false
    mkdir bin
    local name
    for name in claude-agent-acp codex-acp acpx; do
        ln -s "../node_modules/.bin/$name" "bin/$name"
    done
    ln -s "$conformance/node" bin/node
}

once "$directory" install
"$here/python.sh" acp >&2
echo "$directory"
