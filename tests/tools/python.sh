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

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/once.sh"

case ${1-} in
1 | 2 | acp | schemathesis | uv | zig) versions=("$1") ;;
"") versions=(1 2 schemathesis) ;;
*)
    echo "usage: python.sh [1|2|acp|schemathesis|uv|zig]" >&2
    exit 2
    ;;
esac

for name in "${versions[@]}"; do
    requirements=$here/requirements-$name.txt
    directory=$tools/python-$name-$(version "$requirements")
    once "$directory" pip_install "$directory" --requirement "$requirements"
    echo "$directory/bin/python"
done
