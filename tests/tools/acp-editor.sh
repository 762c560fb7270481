#!/usr/bin/env bash
# Builds an editor of the protocol's own Rust crate (tests/tools/acp/editor) outside the checkout, once for each version
# of its files, and prints the path of the program.
#
# MODEKEEPER_TOOLS: where; ~/.cache/modekeeper-test-tools if it is not set.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/acp/editor
tools=${MODEKEEPER_TOOLS:-$HOME/.cache/modekeeper-test-tools}
files=("$here/Cargo.toml" "$here/Cargo.lock" "$here/src/main.rs")
directory=$tools/acp-editor-$(cat "${files[@]}" | sha256sum | cut -c1-16)
program=$directory/modekeeper-test-acp-editor

mkdir -p "$tools"
exec 9>"$tools/acp-editor.lock"
flock 9 # a second run waits here, and then finds the program
if [[ ! -x $program ]]; then
    # Built in a directory of its own, so that the workspace's flags and its target are not used.
    rm -rf "$directory.partial"
    mkdir -p "$directory.partial"
    cp -r "$here/." "$directory.partial"
    (cd "$directory.partial" &&
        env -u CARGO_TARGET_DIR -u RUSTFLAGS cargo build --locked --quiet --target-dir target) >&2 9>&-
    mv "$directory.partial/target/debug/modekeeper-test-acp-editor" "$directory.partial/"
    rm -rf "$directory.partial/target"
    mv "$directory.partial" "$directory"
fi
echo "$program"
