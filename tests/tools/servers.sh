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
#
# MODEKEEPER_TOOLS: where; ~/.cache/modekeeper-test-tools if it is not set.
set -euo pipefail

readonly ty_version=0.0.100 pyright_version=1.1.414 typescript_version=7.0.2

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=${MODEKEEPER_TOOLS:-$HOME/.cache/modekeeper-test-tools}
directory=$tools/servers-$(sha256sum <"${BASH_SOURCE[0]}" | cut -c1-16)

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
    python3 -c 'import ensurepip' 2>/dev/null || debian python3-venv
    python3 -m venv "$directory/python" >&2
    "$directory/python/bin/python" -m pip install --quiet --disable-pip-version-check \
        "ty==$ty_version" >&2
    ln -sfn ../python/bin/ty "$directory/bin/ty"
    cp "$here/.npmrc" "$directory/node/"
    (cd "$directory/node" && npm install --no-save --ignore-scripts --loglevel=error \
        "pyright@$pyright_version" "typescript@$typescript_version") >&2
    ln -sfn ../node/node_modules/.bin/pyright-langserver "$directory/bin/pyright-langserver"
    ln -sfn ../node/node_modules/.bin/tsc "$directory/bin/tsc"
    command -v clangd >/dev/null || debian clangd
    { command -v gopls && command -v go; } >/dev/null || debian gopls golang-go
    local program
    for program in clangd gopls go; do
        ln -sfn "$(command -v "$program")" "$directory/bin/$program"
    done
    # rustup's own link is there also without the component, so its answer counts.
    rustup which rust-analyzer >/dev/null 2>&1 || rustup component add rust-analyzer >&2
    ln -sfn "$(rustup which rust-analyzer)" "$directory/bin/rust-analyzer"
}

mkdir -p "$tools"
exec 9>"$tools/servers.lock"
flock 9 # a second run waits here, and then finds the directory
# An environment cannot be moved, so the last file says that it is complete.
if [[ ! -f $directory/complete ]]; then
    rm -rf "$directory"
    install 9>&-
    touch "$directory/complete"
fi
echo "$directory"
