# Sourced by the scripts next to it: what tests need is installed outside the checkout, once, by one process at a time.
# shellcheck shell=bash
#
# MODEKEEPER_TOOLS: where; ~/.cache/modekeeper-test-tools if it is not set.
set -euo pipefail

tools=${MODEKEEPER_TOOLS:-$HOME/.cache/modekeeper-test-tools}

# version <file>…: a name for this state of the files.
version() {
    cat "$@" | sha256sum | cut -c1-16
}

# once <directory> <command>…: runs the command in the new directory, unless that was done. An environment of Python
# cannot be moved, and links name absolute paths: so the directory has its name from the start, and its last file says
# that it is complete.
once() {
    local directory=$1
    shift
    mkdir -p "$tools"
    # A second process waits here, and then finds the directory; what the command leaves running does not hold the lock.
    (
        flock 9
        [[ -f $directory/complete ]] && exit
        rm -rf "$directory"
        mkdir -p "$directory"
        cd "$directory"
        "$@" >&2 9>&-
        touch complete
    ) 9>"$directory.lock"
}

# npm_install <option or package>…: here. Not `npm ci`: it refuses a lock file where a registry lacks the optional
# packages of other platforms. This takes the same locked versions and checks the same hashes.
npm_install() {
    npm install --no-save --no-audit --no-fund --prefer-offline --loglevel=error "$@"
}

# pip_install <directory> <option or requirement>…: in an environment that is made there. Debian keeps the part of Python
# that makes environments in a package of its own. Nothing is compiled: neither extensions nor, before they are used,
# modules.
pip_install() {
    local directory=$1
    shift
    python3 -c 'import ensurepip' 2>/dev/null || debian python3-venv
    python3 -m venv "$directory"
    "$directory/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-compile "$@"
}

# debian <package>…: installs them, which needs root; a list of packages may be too old to find them.
debian() {
    if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
        echo "these are missing, and only root can install them: $*" >&2
        return 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get install --yes --no-install-recommends "$@" >&2 && return
    { apt-get update && apt-get install --yes --no-install-recommends "$@"; } >&2
}
