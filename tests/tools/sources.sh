#!/usr/bin/env bash
# Fetches source code of other people, by name and version, for the tests of the code tools, and prints its directory:
# one subdirectory for each language. Nothing of it is built or run.
#
#   python      Django                     PyPI
#   rust        tokio, clap_builder        crates.io
#   c           zstd-sys                   crates.io
#   typescript  rxjs, zod                  npm
#   javascript  express, lodash            npm
#   java        @capacitor/android         npm
#   kotlin      expo-modules-core          npm
#   swift       expo-modules-core          npm
#   csharp      react-native-windows       npm
#   go          cobra                      Debian
#   ruby        activerecord               Debian
#   php         symfony                    Debian
#   cpp         fmt, spdlog, nlohmann      Debian
#   lua         penlight                   Debian
#   haskell     aeson, xmonad-contrib      Debian, source packages
#
# <directory>/bin/ctags is universal-ctags, from Debian. Not to be had this way: Dart, Scala, Elixir, Zig.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/once.sh"

directory=$tools/sources-$(version "${BASH_SOURCE[0]}")

# pypi <language> <requirement> <suffix>: the files of a package that end so.
pypi() {
    local fetched=$directory/fetched/$1
    mkdir -p "$fetched"
    (cd "$fetched" && python3 -m pip download --quiet --disable-pip-version-check --no-deps "$2") >&2
    python3 - "$fetched" "$directory/$1" "$3" <<'END'
import pathlib, sys, zipfile

fetched, to, suffix = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
for wheel in fetched.glob("*.whl"):
    opened = zipfile.ZipFile(wheel)
    opened.extractall(to, [name for name in opened.namelist() if name.endswith(suffix)])
END
}

# npm_package <language> <name@version> <suffix>
npm_package() {
    local fetched=$directory/fetched/$1/${2//\//-}
    mkdir -p "$fetched"
    (cd "$fetched" && cp "$here/.npmrc" . && npm pack --silent --ignore-scripts "$2" >&2 && tar -xzf ./*.tgz && rm ./*.tgz)
    take "$1" "$fetched" "$3"
}

# crates <language> <suffix> <name=version>…
crates() {
    local language=$1 suffix=$2 fetched=$directory/fetched/$1 one
    shift 2
    mkdir -p "$fetched/src"
    touch "$fetched/src/lib.rs"
    {
        printf '[package]\nname = "sources"\nversion = "0.0.0"\nedition = "2021"\n\n[workspace]\n\n[dependencies]\n'
        for one in "$@"; do
            printf '%s = "=%s"\n' "${one%=*}" "${one#*=}"
        done
    } >"$fetched/Cargo.toml"
    (cd "$fetched" && cargo vendor --quiet vendor >/dev/null)
    for one in "$@"; do
        take "$language" "$fetched/vendor/${one%=*}" "$suffix" "${one%=*}"
    done
}

# deb <language> <package> <suffix>…: Debian has one version of each at a time.
deb() {
    local language=$1 package=$2 fetched=$directory/fetched/$1/$2 suffix
    shift 2
    mkdir -p "$fetched"
    (cd "$fetched" && { apt-get download --quiet "$package" || { apt-get update && apt-get download --quiet "$package"; }; } >&2 &&
        dpkg-deb -x ./*.deb tree)
    for suffix in "$@"; do
        take "$language" "$fetched/tree" "$suffix" "$package"
    done
}

# deb_source <language> <package> <suffix>: the source that Debian builds a package from, from where its packages come.
deb_source() {
    local fetched=$directory/fetched/$1/$2 uri file source version
    mkdir -p "$fetched"
    uri=$(cd "$fetched" && { apt-get download --print-uris "$2" || { apt-get update >&2 && apt-get download --print-uris "$2"; }; } | cut -d "'" -f 2)
    file=${uri##*/} && version=${file#*_} && version=${version%%-*}
    source=$(basename "$(dirname "$uri")")
    /usr/lib/apt/apt-helper download-file "$(dirname "$uri")/${source}_$version.orig.tar.gz" "$fetched/source.tar.gz" >&2
    tar -xzf "$fetched/source.tar.gz" -C "$fetched"
    take "$1" "$fetched" "$3" "$source"
}

# take <language> <from> <suffix> [<under>]: copies regular files; links and empty files say nothing.
take() {
    local to=$directory/$1/${4-}
    mkdir -p "$to"
    (cd "$2" && find . -type f -size +0 -size -400k -name "*$3" ! -name '*.min.js' -print0 | tar -cf - --null -T -) | tar -xf - -C "$to"
}

install() {
    mkdir -p "$directory/bin"
    command -v ctags-universal >/dev/null || debian universal-ctags
    ln -sfn "$(command -v ctags-universal)" "$directory/bin/ctags"
    pypi python Django==5.2.9 .py
    npm_package csharp react-native-windows@0.80.0 .cs
    npm_package typescript rxjs@7.8.2 .ts
    npm_package typescript zod@4.1.12 .ts
    rm -rf "$directory"/typescript/package/dist
    npm_package javascript express@5.1.0 .js
    npm_package javascript lodash@4.17.21 .js
    npm_package java @capacitor/android@7.4.4 .java
    npm_package kotlin expo-modules-core@3.0.25 .kt
    npm_package swift expo-modules-core@3.0.25 .swift
    crates rust .rs tokio=1.48.0 clap_builder=4.5.53
    crates c .c zstd-sys=2.0.16+zstd.1.5.7
    deb go golang-github-spf13-cobra-dev .go
    deb go golang-github-spf13-pflag-dev .go
    deb ruby ruby-activerecord .rb
    deb php php-symfony-console .php
    deb php php-symfony-http-kernel .php
    deb cpp libfmt-dev .h
    deb cpp libspdlog-dev .h
    deb cpp nlohmann-json3-dev .hpp
    deb lua lua-penlight .lua
    deb_source haskell libghc-aeson-dev .hs
    deb_source haskell libghc-xmonad-contrib-dev .hs
    rm -rf "$directory/fetched"
}

once "$directory" install
echo "$directory"
