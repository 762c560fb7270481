#!/usr/bin/env bash
# Builds an editor of the protocol's own Rust crate (tests/tools/acp/editor) outside the checkout, once for each version
# of its files, and prints the path of the program.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/once.sh"

editor=$here/acp/editor
directory=$tools/acp-editor-$(version "$editor/Cargo.toml" "$editor/Cargo.lock" "$editor/src/main.rs")

# In a directory of its own, so that the workspace's flags and its target are not used.
install() {
    cp -r "$editor/." build
    (cd build && env -u CARGO_TARGET_DIR -u RUSTFLAGS cargo build --locked --quiet --target-dir target)
    mv build/target/debug/modekeeper-test-acp-editor .
    rm -rf build
}

once "$directory" install
echo "$directory/modekeeper-test-acp-editor"
