#!/usr/bin/env bash
# Installs the browser that the tests of the page drive, and axe, which looks for barriers, and prints their directory.
#
#   <directory>/bin/chromium, chromedriver     Debian's
#   <directory>/axe.min.js                     axe-core
#
# Debian's have one place for everybody: they are installed if they are missing, which needs root, and linked here.
#
# MODEKEEPER_TOOLS: where; ~/.cache/modekeeper-test-tools if it is not set.
set -euo pipefail

readonly axe_version=4.11.0

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=${MODEKEEPER_TOOLS:-$HOME/.cache/modekeeper-test-tools}
directory=$tools/browser-$(sha256sum <"${BASH_SOURCE[0]}" | cut -c1-16)

# debian <package>…: installs them; a list of packages may be too old to find them.
debian() {
    if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
        echo "these are missing, and only root can install them: $*" >&2
        return 1
    fi
    apt-get install --yes --no-install-recommends "$@" >&2 && return
    { apt-get update && apt-get install --yes --no-install-recommends "$@"; } >&2
}

install() {
    mkdir -p "$directory/bin" "$directory/node"
    { command -v chromium && command -v chromedriver; } >/dev/null ||
        debian chromium chromium-driver fonts-dejavu-core
    local program
    for program in chromium chromedriver; do
        ln -sfn "$(command -v "$program")" "$directory/bin/$program"
    done
    cp "$here/.npmrc" "$directory/node/"
    (cd "$directory/node" && npm install --no-save --ignore-scripts --loglevel=error "axe-core@$axe_version") >&2
    cp "$directory/node/node_modules/axe-core/axe.min.js" "$directory/axe.min.js"
}

mkdir -p "$tools"
exec 9>"$tools/browser.lock"
flock 9 # a second run waits here, and then finds the directory
if [[ ! -f $directory/complete ]]; then
    rm -rf "$directory"
    install 9>&-
    touch "$directory/complete"
fi
echo "$directory"
