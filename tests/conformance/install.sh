#!/usr/bin/env bash
# Installs the tools of package.json outside the checkout, once for each version of the lock file,
# and prints their directory. `<directory>/node` is the Node that they need.
#
# MODEKEEPER_TOOLS: where; ~/.cache/modekeeper-test-tools if it is not set.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=${MODEKEEPER_TOOLS:-$HOME/.cache/modekeeper-test-tools}
files=("$here/package.json" "$here/package-lock.json" "$here/.npmrc")
directory=$tools/conformance-$(cat "${files[@]}" | sha256sum | cut -c1-16)

mkdir -p "$tools"
exec 9>"$tools/conformance.lock"
flock 9 # a second run waits here, and then finds the directory
if [[ ! -d $directory ]]; then
    # The directory gets its name only when it is complete.
    rm -rf "$directory.partial"
    mkdir "$directory.partial"
    cp "${files[@]}" "$directory.partial"
    # Not `npm ci`: it refuses the lock file where a registry lacks the optional packages of
    # other platforms. This takes the same locked versions and checks the same hashes.
    (cd "$directory.partial" && npm install --no-save --loglevel=error) >&2 9>&-
    ln -s node_modules/node/bin/node "$directory.partial/node"
    [[ $("$directory.partial/node" --version) == v22.* ]]
    mv "$directory.partial" "$directory"
fi
echo "$directory"
