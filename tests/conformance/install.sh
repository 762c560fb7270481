#!/usr/bin/env bash
# Installs the tools of package.json outside the checkout, once for each version of the lock file,
# and prints their directory. `<directory>/node` is the Node that they need.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../tools/once.sh"

files=("$here/package.json" "$here/package-lock.json" "$here/.npmrc")
directory=$tools/conformance-$(version "${files[@]}")

install() {
    cp "${files[@]}" .
    npm_install
    ln -s node_modules/node/bin/node node
    [[ $(./node --version) == v22.* ]]
}

once "$directory" install
echo "$directory"
