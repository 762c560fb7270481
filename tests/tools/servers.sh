#!/usr/bin/env bash
# Installs the language servers that the slow tests talk to, outside the checkout, and prints their directory.
#
#   <directory>/bin/ty                     Python
#   <directory>/bin/pyright-langserver     Python
#   <directory>/bin/tsc                    TypeScript 7, which is a language server
#   <directory>/bin/clangd                 C and C++
#   <directory>/bin/gopls, go              Go
#   <directory>/bin/rust-analyzer          Rust
#
# Python's and Node's are installed here, once for each version of this file. Debian's and rustup's have one place for
# everybody: they are installed if they are missing, which needs root for Debian's, and linked here.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/once.sh"

readonly ty_version=0.0.100 pyright_version=1.1.414 typescript_version=7.0.2
directory=$tools/servers-$(version "${BASH_SOURCE[0]}")

install() {
    pip_install python "ty==$ty_version"
    cp "$here/.npmrc" .
    npm_install --ignore-scripts "pyright@$pyright_version" "typescript@$typescript_version"
    command -v clangd >/dev/null || debian clangd
    { command -v gopls && command -v go; } >/dev/null || debian gopls golang-go
    mkdir bin
    ln -s ../python/bin/ty ../node_modules/.bin/pyright-langserver ../node_modules/.bin/tsc bin/
    local program
    for program in clangd gopls go; do
        ln -s "$(command -v "$program")" "bin/$program"
    done
    # rustup's own link is there also without the component, so its answer counts.
    rustup which rust-analyzer >/dev/null 2>&1 || rustup component add rust-analyzer
    ln -s "$(rustup which rust-analyzer)" bin/rust-analyzer
}

once "$directory" install
echo "$directory"
