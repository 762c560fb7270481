#!/usr/bin/env bash
# Installs what `cargo xtask bench symbols` is measured beside, outside the checkout, and prints its directory:
#
#   PATH=$(tests/tools/peers.sh)/bin:$PATH cargo xtask bench symbols
#
#   <directory>/bin/serena    with uv, which it starts language servers with, from PyPI
#   <directory>/bin/python3.13    which it starts them on; PyPI has none, so pyenv's or that of PATH is linked
#   <directory>/bin/rg        ripgrep, from PyPI

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/once.sh"

readonly serena_version=2.1.0
directory=$tools/peers-$(version "${BASH_SOURCE[0]}")

# A shim of pyenv is on PATH also where the version is not chosen, so it has to answer.
find_python() {
    local python
    for python in python3.13 "$HOME"/.pyenv/versions/3.13*/bin/python3.13; do
        if "$python" --version >/dev/null 2>&1; then
            "$python" -c 'import sys; print(sys.executable)'
            return
        fi
    done
    echo "Serena needs Python 3.13: put python3.13 on PATH" >&2
    return 1
}

install() {
    local python
    python=$(find_python)
    "$python" -m venv python
    python/bin/python -m pip install --quiet --disable-pip-version-check "serena-agent==$serena_version" uv ripgrep
    mkdir bin
    ln -s "$python" bin/python3.13
    local program
    for program in serena uv uvx rg; do
        ln -s "../python/bin/$program" "bin/$program"
    done
}

once "$directory" install
echo "$directory"
