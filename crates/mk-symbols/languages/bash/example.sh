#!/usr/bin/env bash
set -e

VERSION=1.0
readonly ROOT="$(pwd)"
export PATH="$ROOT/bin:$PATH"

# Prints how to use it.
usage() {
  local name=x
  echo "usage"
}

function build_all {
  usage
}

usage "$@"
