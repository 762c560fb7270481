//! One small project for each server: a function is defined in one file and used in others.

/// A server and a project for it.
#[derive(Debug)]
pub(super) struct Example {
    /// As answers name it.
    pub(super) server: &'static str,
    pub(super) language: &'static str,
    /// What of the installed programs it needs.
    pub(super) programs: &'static [&'static str],
    /// Its files; `{root}` stands for the project's folder.
    pub(super) files: &'static str,
    /// What is asked about.
    pub(super) name: &'static str,
    /// Where it is defined.
    pub(super) definition: (&'static str, u32),
    /// A file that uses it.
    pub(super) user: &'static str,
    /// Every line that names it, in order, as often as it does.
    pub(super) references: &'static [(&'static str, u32)],
    /// A line that is wrong at the end of `user`.
    pub(super) mistake: &'static str,
    /// What makes `user` wrong from elsewhere: in which file, what is replaced, and with what.
    pub(super) break_elsewhere: (&'static str, &'static str, &'static str),
}

const PYTHON: &str = "
//- /hello.py
def greet(name: str) -> str:
    return 'Hello, ' + name
//- /main.py
from hello import greet

print('é😀', greet('you'))
//- /deep/more.py
import hello

everybody = [hello.greet(name) for name in ['you', 'me']]
";

pub(super) const TY: Example = Example {
    server: "ty",
    language: "python",
    programs: &["ty"],
    files: PYTHON,
    name: "greet",
    definition: ("hello.py", 1),
    user: "main.py",
    references: &[
        ("deep/more.py", 3),
        ("hello.py", 1),
        ("main.py", 1),
        ("main.py", 3),
    ],
    mistake: "greet(1)\n",
    break_elsewhere: ("hello.py", "name: str", "name: int"),
};

pub(super) const PYRIGHT: Example = Example {
    server: "pyright",
    programs: &["pyright-langserver"],
    ..TY
};

pub(super) const TYPESCRIPT: Example = Example {
    server: "typescript",
    language: "typescript",
    programs: &["tsc"],
    files: r#"
//- /tsconfig.json
{"compilerOptions": {"strict": true, "module": "nodenext", "types": [], "noEmit": true}}
//- /package.json
{"type": "module"}
//- /src/hello.ts
export function greet(name: string): string {
    return "Hello, " + name;
}
//- /src/main.ts
import { greet } from "./hello.js";

export const both = ["é😀", greet("you")];
//- /src/more.tsx
import * as hello from "./hello.js";

export const everybody = ["you", "me"].map((name) => hello.greet(name));
"#,
    name: "greet",
    definition: ("src/hello.ts", 1),
    user: "src/main.ts",
    references: &[
        ("src/hello.ts", 1),
        ("src/main.ts", 1),
        ("src/main.ts", 3),
        ("src/more.tsx", 3),
    ],
    mistake: "greet(1);\n",
    break_elsewhere: ("src/hello.ts", "name: string", "name: number"),
};

pub(super) const RUST_ANALYZER: Example = Example {
    server: "rust-analyzer",
    language: "rust",
    programs: &["rust-analyzer"],
    files: r#"
//- /Cargo.toml
[package]
name = "hello"
version = "0.1.0"
edition = "2021"
//- /src/lib.rs
pub fn greet(name: &str) -> usize {
    name.len()
}

pub mod more;
//- /src/more.rs
pub fn everybody() -> [usize; 2] {
    ["you", "me"].map(crate::greet)
}
//- /src/main.rs
use hello::greet;

fn main() {
    let _ = ("é😀", greet("you"));
}
"#,
    name: "greet",
    definition: ("src/lib.rs", 1),
    user: "src/main.rs",
    references: &[
        ("src/lib.rs", 1),
        ("src/main.rs", 1),
        ("src/main.rs", 4),
        ("src/more.rs", 2),
    ],
    mistake: "const WRONG: usize = greet(\"you\", \"me\");\n",
    break_elsewhere: ("src/lib.rs", "name: &str", "name: &str, _: u8"),
};

pub(super) const CLANGD: Example = Example {
    server: "clangd",
    language: "cpp",
    programs: &["clangd"],
    files: r#"
//- /compile_commands.json
[
  {"directory": "{root}", "file": "src/hello.c", "command": "cc -c src/hello.c"},
  {"directory": "{root}", "file": "src/main.c", "command": "cc -c src/main.c"},
  {"directory": "{root}", "file": "src/more.c", "command": "cc -c src/more.c"}
]
//- /src/hello.h
#pragma once
int greet(const char *name);
//- /src/hello.c
#include "hello.h"

int greet(const char *name) {
    return name[0];
}
//- /src/main.c
#include "hello.h"

int main(void) {
    return sizeof "é😀" + greet("you");
}
//- /src/more.c
#include "hello.h"

int everybody(void) {
    return greet("you") + greet("me");
}
"#,
    name: "greet",
    definition: ("src/hello.c", 3),
    user: "src/main.c",
    references: &[
        ("src/hello.c", 3),
        ("src/hello.h", 2),
        ("src/main.c", 4),
        ("src/more.c", 4),
        ("src/more.c", 4),
    ],
    mistake: "int wrong = \"you\" * 2;\n",
    break_elsewhere: (
        "src/hello.h",
        "const char *name);",
        "const char *name, int);",
    ),
};

pub(super) const GOPLS: Example = Example {
    server: "gopls",
    language: "go",
    programs: &["gopls", "go"],
    files: r#"
//- /go.mod
module example.com/hello

go 1.18
//- /hello.go
package hello

func Greet(name string) string {
	return "Hello, " + name
}
//- /more.go
package hello

func Everybody() []string {
	return []string{Greet("you"), Greet("me")}
}
//- /cmd/main.go
package main

import "example.com/hello"

func main() {
	println("é😀", hello.Greet("you"))
}
"#,
    name: "Greet",
    definition: ("hello.go", 3),
    user: "cmd/main.go",
    references: &[
        ("cmd/main.go", 6),
        ("hello.go", 3),
        ("more.go", 4),
        ("more.go", 4),
    ],
    mistake: "var wrong int = hello.Greet(\"you\")\n",
    break_elsewhere: ("hello.go", "name string", "name string, _ int"),
};
