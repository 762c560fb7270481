#!/bin/sh
# Installs Modekeeper from its release: no Rust, no root. It verifies the archive's checksum before it unpacks it.
#
#   sh dist/install.sh                       from the archives next to this script
#   sh install.sh --from URL_OR_DIRECTORY    from there
#   sh install.sh --to DIRECTORY             the directory for the program (default: ~/.local/bin)
set -eu

from=$(cd "$(dirname "$0")" && pwd)
to=${HOME:?HOME is not set}/.local/bin
while [ $# -gt 0 ]; do
    case $1 in
    --from) from=$2 && shift 2 ;;
    --to) to=$2 && shift 2 ;;
    *)
        sed -n '2,7s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
    esac
done

fail() {
    echo "install.sh: $1" >&2
    exit 1
}

case $(uname -s)-$(uname -m) in
# Static, whichever C library is inside.
Linux-x86_64 | Linux-amd64) target='x86_64-unknown-linux-[a-z]*' ;;
Linux-aarch64 | Linux-arm64) target='aarch64-unknown-linux-[a-z]*' ;;
Darwin-arm64) target=aarch64-apple-darwin ;;
Darwin-x86_64) target=x86_64-apple-darwin ;;
*) fail "there is no release for $(uname -s) on $(uname -m)" ;;
esac

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM
get() {
    case $from in
    http://* | https://*) curl --fail --silent --show-error --location --output "$scratch/$1" "$from/$1" ;;
    *) cp "$from/$1" "$scratch/$1" ;;
    esac
}

get SHA256SUMS || fail "there is no SHA256SUMS at $from"
line=$(grep -- "-$target\.tar\.gz\$" "$scratch/SHA256SUMS") || fail "$from has no archive for $(uname -s) on $(uname -m)"
archive=${line##* }
get "$archive" || fail "cannot get $archive"
if command -v sha256sum >/dev/null; then
    sum=$(sha256sum "$scratch/$archive")
else
    sum=$(shasum -a 256 "$scratch/$archive")
fi
[ "${sum%% *}" = "${line%% *}" ] || fail "$archive has the wrong checksum: nothing was installed"

tar -xzf "$scratch/$archive" -C "$scratch"
mkdir -p "$to"
# A running program keeps its old file.
cp "$scratch/${archive%.tar.gz}/modekeeper" "$to/.modekeeper.new"
chmod 755 "$to/.modekeeper.new"
mv -f "$to/.modekeeper.new" "$to/modekeeper"
echo "installed $to/modekeeper"
case :$PATH: in
*:"$to":*) ;;
*) echo "add $to to PATH: export PATH=\"$to:\$PATH\"" ;;
esac
echo "next: modekeeper init"
