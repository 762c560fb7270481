#!/usr/bin/env bash
# Installs what the tests need of Python outside the checkout, once for each list of requirements,
# and prints the interpreter that has it.
#
#   tests/tools/python.sh 1                the interpreter with mcp 1.x
#   tests/tools/python.sh 2                the interpreter with mcp 2.x
#   tests/tools/python.sh acp              the interpreter with the SDK of the Agent Client Protocol
#   tests/tools/python.sh schemathesis     the interpreter with schemathesis
#   tests/tools/python.sh uv               the interpreter with uv
#   tests/tools/python.sh zig              the interpreter with zig and cargo-zigbuild, for `cargo xtask dist`
#   tests/tools/python.sh                  the first three, one in a line
#
# MODEKEEPER_TOOLS: where; ~/.cache/modekeeper-test-tools if it is not set.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=${MODEKEEPER_TOOLS:-$HOME/.cache/modekeeper-test-tools}

# Debian keeps the part of Python that makes environments in a package of its own.
make_environment() {
    python3 -m venv "$1" >&2 && return
    rm -rf "$1"
    if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
        echo "python3 cannot make virtual environments: install python3-venv" >&2
        return 1
    fi
    { apt-get update && apt-get install --yes python3-venv; } >&2
    python3 -m venv "$1" >&2
}

install() {
    local requirements=$here/requirements-$1.txt
    local directory
    directory=$tools/python-$1-$(sha256sum <"$requirements" | cut -c1-16)
    # An environment cannot be moved, so the last file says that it is complete.
    if [[ ! -f $directory/complete ]]; then
        rm -rf "$directory"
        make_environment "$directory"
        "$directory/bin/python" -m pip install --quiet --disable-pip-version-check \
            --requirement "$requirements" >&2
        touch "$directory/complete"
    fi
    echo "$directory/bin/python"
}

case ${1-} in
1 | 2 | acp | schemathesis | uv | zig) versions=("$1") ;;
"") versions=(1 2 schemathesis) ;;
*)
    echo "usage: python.sh [1|2|acp|schemathesis|uv|zig]" >&2
    exit 2
    ;;
esac

mkdir -p "$tools"
exec 9>"$tools/python.lock"
flock 9 # a second run waits here, and then finds the environment
for version in "${versions[@]}"; do
    install "$version" 9>&-
done
