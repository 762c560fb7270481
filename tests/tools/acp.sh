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
#
# MODEKEEPER_TOOLS: where; ~/.cache/modekeeper-test-tools if it is not set.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=${MODEKEEPER_TOOLS:-$HOME/.cache/modekeeper-test-tools}
files=("$here/acp/package.json" "$here/acp/package-lock.json" "$here/acp/.npmrc")
directory=$tools/acp-$(cat "${files[@]}" "${BASH_SOURCE[0]}" | sha256sum | cut -c1-16)
# They need a newer Node than Debian has; the conformance suite brings one.
conformance=$("$here/../conformance/install.sh")

install() {
    rm -rf "$directory.partial"
    mkdir -p "$directory.partial/bin"
    cp "${files[@]}" "$directory.partial"
    # Not `npm ci`: see ../conformance/install.sh.
    (cd "$directory.partial" &&
        npm install --no-save --ignore-scripts --engine-strict=false --loglevel=error) >&2
    for name in claude-agent-acp codex-acp acpx; do
        ln -sfn "../node_modules/.bin/$name" "$directory.partial/bin/$name"
    done
    ln -sfn "$conformance/node" "$directory.partial/bin/node"
    mv "$directory.partial" "$directory"
}

mkdir -p "$tools"
exec 9>"$tools/acp.lock"
flock 9 # a second run waits here, and then finds the directory
if [[ ! -d $directory ]]; then
    install 9>&-
fi
"$here/python.sh" acp >&2
echo "$directory"
