#!/usr/bin/env bash
# Installs the programs that the tests of the wall run, from Debian; most machines have some of them. Prints nothing.
#
# Only root can install. Who is not root finds them installed, or is told what is missing.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/once.sh"

# program:package
readonly programs=(
    zsh:zsh mksh:mksh busybox:busybox lua5.4:lua5.4 gawk:gawk mawk:mawk tclsh:tcl expect:expect sqlite3:sqlite3
    gdb:gdb vim:vim ed:ed patch:patch cpio:cpio zip:zip unzip:unzip bzip2:bzip2 xz:xz-utils zstd:zstd lz4:lz4
    rsync:rsync socat:socat curl:curl strace:strace script:bsdutils gcc:gcc make:make git:git openssl:openssl
    ssh:openssh-client xxd:xxd m4:m4 man:man-db busybox:busybox chattr:e2fsprogs python3:python3 perl:perl tmux:tmux
    unshare:util-linux
)

missing=()
for row in "${programs[@]}"; do
    command -v "${row%%:*}" >/dev/null || missing+=("${row#*:}")
done
[[ ${#missing[@]} == 0 ]] || debian "${missing[@]}"
