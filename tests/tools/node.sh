#!/usr/bin/env bash
# Installs the TypeScript SDKs of MCP outside the checkout, once for each version of the lock file,
# and prints their directory. ../conformance/install.sh adds the rest.
#
#   <directory>/node                     the Node to run them with
#   <directory>/node_modules/@modelcontextprotocol/
#       sdk                              1.x
#       client                           2.x
#       conformance, inspector           as they are pinned there
#
# A script that stands elsewhere finds the packages when it is run as
#   <directory>/node --import <directory>/resolve.mjs script.mjs
#
# MODEKEEPER_TOOLS: where; ~/.cache/modekeeper-test-tools if it is not set.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=${MODEKEEPER_TOOLS:-$HOME/.cache/modekeeper-test-tools}
files=("$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$here/resolve.mjs")
directory=$tools/node-$(cat "${files[@]}" | sha256sum | cut -c1-16)
# The conformance suite needs a newer Node than Debian has; one is enough.
conformance=$("$here/../conformance/install.sh")

mkdir -p "$tools"
exec 9>"$tools/node.lock"
flock 9 # a second run waits here, and then finds the directory
if [[ ! -d $directory ]]; then
    # The directory gets its name only when it is complete.
    rm -rf "$directory.partial"
    mkdir "$directory.partial"
    cp "${files[@]}" "$directory.partial"
    # Not `npm ci`: see ../conformance/install.sh.
    (cd "$directory.partial" && npm install --no-save --loglevel=error) >&2 9>&-
    mv "$directory.partial" "$directory"
fi
ln -sfn "$conformance/node" "$directory/node"
for name in conformance inspector; do
    ln -sfn "$conformance/node_modules/@modelcontextprotocol/$name" \
        "$directory/node_modules/@modelcontextprotocol/$name"
done
echo "$directory"
