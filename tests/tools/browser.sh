#!/usr/bin/env bash
# Installs the browser that the tests of the page drive, and axe, which looks for barriers, and prints their directory.
#
#   <directory>/bin/chromium, chromedriver     Debian's
#   <directory>/axe.min.js                     axe-core
#
# Debian's have one place for everybody: they are installed if they are missing, which needs root, and linked here.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/once.sh"

readonly axe_version=4.11.0
directory=$tools/browser-$(version "${BASH_SOURCE[0]}")

install() {
    { command -v chromium && command -v chromedriver; } >/dev/null ||
        debian chromium chromium-driver fonts-dejavu-core
    mkdir bin
    local program
    for program in chromium chromedriver; do
        ln -s "$(command -v "$program")" "bin/$program"
    done
    cp "$here/.npmrc" .
    npm_install --ignore-scripts "axe-core@$axe_version"
    cp node_modules/axe-core/axe.min.js .
}

once "$directory" install
echo "$directory"
