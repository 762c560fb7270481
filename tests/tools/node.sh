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

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/once.sh"

files=("$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$here/resolve.mjs")
directory=$tools/node-$(version "${files[@]}")
# The conformance suite needs a newer Node than Debian has; one is enough.
conformance=$("$here/../conformance/install.sh")

install() {
    cp "${files[@]}" .
    npm_install
}

once "$directory" install
ln -sfn "$conformance/node" "$directory/node"
for name in conformance inspector; do
    ln -sfn "$conformance/node_modules/@modelcontextprotocol/$name" \
        "$directory/node_modules/@modelcontextprotocol/$name"
done
echo "$directory"
