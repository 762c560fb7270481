#!/usr/bin/env bash
# Installs what `cargo xtask bench symbols` is measured beside, outside the checkout, and prints its directory:
#
#   PATH=$(tests/tools/peers.sh)/bin:$PATH cargo xtask bench symbols
#
#   <directory>/bin/serena    with uv, which it starts language servers with, from PyPI
#   <directory>/bin/python3.13    which it starts them on; PyPI has none, so pyenv's or that of PATH is linked
#   <directory>/bin/rg        ripgrep, from PyPI
#
# MODEKEEPER_TOOLS: where; ~/.cache/modekeeper-test-tools if it is not set.
set -euo pipefail

readonly serena_version=2.1.0

tools=${MODEKEEPER_TOOLS:-$HOME/.cache/modekeeper-test-tools}
directory=$tools/peers-$(sha256sum <"${BASH_SOURCE[0]}" | cut -c1-16)

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
    mkdir -p "$directory/bin"
    "$python" -m venv "$directory/python" >&2
    "$directory/python/bin/python" -m pip install --quiet --disable-pip-version-check \
        "serena-agent==$serena_version" uv ripgrep >&2
    ln -sfn "$python" "$directory/bin/python3.13"
    local program
    for program in serena uv uvx rg; do
        ln -sfn "../python/bin/$program" "$directory/bin/$program"
    done
}

mkdir -p "$tools"
exec 9>"$tools/peers.lock"
flock 9 # a second run waits here, and then finds the directory
# An environment cannot be moved, so the last file says that it is complete.
if [[ ! -f $directory/complete ]]; then
    rm -rf "$directory"
    install 9>&-
    touch "$directory/complete"
fi
echo "$directory"
