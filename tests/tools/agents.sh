#!/usr/bin/env bash
# Installs the coding agents that the slow tests hold in a mode, outside the checkout, once for each version of the lock
# file, and prints their directory.
#
#   <directory>/bin/claude, codex, gemini, qwen, copilot, opencode, cline
#   <directory>/bin/node                 the Node that some of them need
#
# Nothing of theirs runs while they are installed: Claude Code's and OpenCode's own scripts would only put the program
# of this platform where the links below point.
#
# MODEKEEPER_TOOLS: where; ~/.cache/modekeeper-test-tools if it is not set.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tools=${MODEKEEPER_TOOLS:-$HOME/.cache/modekeeper-test-tools}
files=("$here/agents/package.json" "$here/agents/package-lock.json" "$here/agents/.npmrc")
directory=$tools/agents-$(cat "${files[@]}" "${BASH_SOURCE[0]}" | sha256sum | cut -c1-16)
# The agents need a newer Node than Debian has; the conformance suite brings one.
conformance=$("$here/../conformance/install.sh")

# link <name> <path below node_modules>: fails if the package of this platform was left out.
link() {
    [[ -e $directory.partial/node_modules/$2 ]] || {
        echo "the package of $1 has no $2" >&2
        return 1
    }
    ln -sfn "../node_modules/$2" "$directory.partial/bin/$1"
}

install() {
    local platform
    platform=linux-$("$conformance/node" -p process.arch)
    rm -rf "$directory.partial"
    mkdir -p "$directory.partial/bin"
    cp "${files[@]}" "$directory.partial"
    # Not `npm ci`: see ../conformance/install.sh.
    (cd "$directory.partial" &&
        npm install --no-save --ignore-scripts --engine-strict=false --loglevel=error) >&2
    link claude "@anthropic-ai/claude-code-$platform/claude"
    link codex @openai/codex/bin/codex.js
    link gemini @google/gemini-cli/bundle/gemini.js
    link qwen @qwen-code/qwen-code/cli-entry.js
    link copilot "@github/copilot-$platform/copilot"
    link opencode "opencode-$platform/bin/opencode"
    link cline "@cline/cli-$platform/bin/cline"
    ln -sfn "$conformance/node" "$directory.partial/bin/node"
    mv "$directory.partial" "$directory"
}

mkdir -p "$tools"
exec 9>"$tools/agents.lock"
flock 9 # a second run waits here, and then finds the directory
if [[ ! -d $directory ]]; then
    install 9>&-
fi
echo "$directory"
