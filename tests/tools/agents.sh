#!/usr/bin/env bash
# Installs the coding agents that the slow tests hold in a mode, outside the checkout, once for each version of the lock
# file, and prints their directory.
#
#   <directory>/bin/claude, codex, gemini, qwen, copilot, opencode, cline
#   <directory>/bin/node                 the Node that some of them need
#
# Nothing of theirs runs while they are installed: Claude Code's and OpenCode's own scripts would only put the program
# of this platform where the links below point.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/once.sh"

files=("$here/agents/package.json" "$here/agents/package-lock.json" "$here/agents/.npmrc")
directory=$tools/agents-$(version "${files[@]}" "${BASH_SOURCE[0]}")
# The agents need a newer Node than Debian has; the conformance suite brings one.
conformance=$("$here/../conformance/install.sh")

# link <name> <path below node_modules>: fails if the package of this platform was left out.
link() {
    [[ -e node_modules/$2 ]] || {
        echo "the package of $1 has no $2" >&2
        return 1
    }
    ln -s "../node_modules/$2" "bin/$1"
}

install() {
    local platform
    platform=linux-$("$conformance/node" -p process.arch)
    cp "${files[@]}" .
    npm_install --ignore-scripts --engine-strict=false
    mkdir bin
    link claude "@anthropic-ai/claude-code-$platform/claude"
    link codex @openai/codex/bin/codex.js
    link gemini @google/gemini-cli/bundle/gemini.js
    link qwen @qwen-code/qwen-code/cli-entry.js
    link copilot "@github/copilot-$platform/copilot"
    link opencode "opencode-$platform/bin/opencode"
    link cline "@cline/cli-$platform/bin/cline"
    ln -s "$conformance/node" bin/node
}

once "$directory" install
echo "$directory"
