//! One small project for each server: two types have a method of the same name, and one of them is asked about.

/// A server and a project for it.
#[derive(Debug)]
pub(super) struct Example {
    /// As answers name it.
    pub(super) server: &'static str,
    /// What of the installed programs it needs.
    pub(super) programs: &'static [&'static str],
    /// Its files; `{root}` stands for the project's folder.
    pub(super) files: &'static str,
    /// The method that is asked about, by its name path.
    pub(super) symbol: &'static str,
    /// Every line that names it, the definition first, in the order of answers; no other line does.
    pub(super) references: &'static [(&'static str, u32)],
    /// A line that uses it.
    pub(super) user: (&'static str, u32),
    /// What has implementations, and their lines.
    pub(super) interface: &'static str,
    /// `None` if the server does not know any.
    pub(super) implementations: Option<&'static [(&'static str, u32)]>,
    /// A line that is wrong at the end of the file of `user`.
    pub(super) mistake: &'static str,
    /// A file that uses it in its last line, if it were there; `None` where files are listed elsewhere.
    pub(super) newcomer: Option<(&'static str, &'static str)>,
}

impl Example {
    /// The method's name without its type.
    pub(super) fn name(&self) -> &'static str {
        self.symbol.rsplit('/').next().unwrap_or(self.symbol)
    }

    /// Which reference is in a file of its own that has no namesake.
    pub(super) fn apart(&self) -> usize {
        let known = [self.references[0].0, self.user.0];
        let places = &mut self.references.iter();
        places.position(|(file, _)| !known.contains(file)).unwrap()
    }
}

pub(super) const TY: Example = Example {
    server: "ty",
    programs: &["ty"],
    files: r#"
//- /bank.py
class Account:
    def total(self) -> int:
        return 1


class Basket:
    def total(self) -> int:
        return 2


class Greeter:
    def greet(self) -> str:
        raise NotImplementedError


class Polite(Greeter):
    def greet(self) -> str:
        return "Hello"
//- /deep/more.py
from bank import Account


def report(account: Account) -> int:
    return account.total() + 1
//- /main.py
from bank import Account, Basket

account = Account()
print("é😀", account.total())
print(Basket().total())
"#,
    symbol: "Account/total",
    references: &[("bank.py", 2), ("deep/more.py", 5), ("main.py", 4)],
    user: ("main.py", 4),
    interface: "Greeter",
    implementations: Some(&[("bank.py", 16)]),
    mistake: "account.nothing()\n",
    newcomer: Some((
        "new.py",
        "from bank import Account\n\nprint(Account().total())\n",
    )),
};

pub(super) const PYRIGHT: Example = Example {
    server: "pyright",
    programs: &["pyright-langserver"],
    implementations: None,
    ..TY
};

pub(super) const TYPESCRIPT: Example = Example {
    server: "typescript",
    programs: &["tsc"],
    files: r#"
//- /tsconfig.json
{"compilerOptions": {"strict": true, "module": "nodenext", "types": [], "noEmit": true}}
//- /package.json
{"type": "module"}
//- /src/bank.ts
export class Account {
    total(): number {
        return 1;
    }
}

export class Basket {
    total(): number {
        return 2;
    }
}

export interface Greeter {
    greet(): string;
}
//- /src/main.ts
import { Account, Basket } from "./bank.js";

const account = new Account();
export const both = ["é😀", account.total()];
export const other = new Basket().total();
//- /src/more.tsx
import type { Account, Greeter } from "./bank.js";

export class Polite implements Greeter {
    greet = () => "Hello";
}

export const report = (account: Account) => account.total() + 1;
"#,
    symbol: "Account/total",
    references: &[("src/bank.ts", 2), ("src/main.ts", 4), ("src/more.tsx", 7)],
    user: ("src/main.ts", 4),
    interface: "Greeter",
    implementations: Some(&[("src/more.tsx", 3)]),
    mistake: "account.nothing();\n",
    newcomer: Some((
        "src/new.ts",
        "import { Account } from \"./bank.js\";\nexport const more = new Account().total();\n",
    )),
};

pub(super) const RUST_ANALYZER: Example = Example {
    server: "rust-analyzer",
    programs: &["rust-analyzer"],
    files: r#"
//- /Cargo.toml
[package]
name = "bank"
version = "0.1.0"
edition = "2021"
//- /src/lib.rs
pub struct Account;

impl Account {
    pub fn total(&self) -> usize {
        1
    }
}

pub struct Basket;

impl Basket {
    pub fn total(&self) -> usize {
        2
    }
}

pub trait Greeter {
    fn greet(&self) -> usize;
}

pub mod more;
//- /src/main.rs
use bank::{Account, Basket};

fn main() {
    let _ = ("é😀", Account.total());
    let _ = Basket.total();
}
//- /src/more.rs
use crate::{Account, Greeter};

impl Greeter for Account {
    fn greet(&self) -> usize {
        self.total()
    }
}
"#,
    symbol: "Account/total",
    references: &[("src/lib.rs", 4), ("src/main.rs", 4), ("src/more.rs", 5)],
    user: ("src/main.rs", 4),
    interface: "Greeter",
    implementations: Some(&[("src/more.rs", 3)]),
    mistake: "const WRONG: usize = main(1);\n",
    newcomer: Some((
        "src/bin/new.rs",
        "fn main() {}\nconst _: fn(&bank::Account) -> usize = bank::Account::total;\n",
    )),
};

pub(super) const CLANGD: Example = Example {
    server: "clangd",
    programs: &["clangd"],
    files: r#"
//- /compile_commands.json
[
  {"directory": "{root}", "file": "src/main.cpp", "command": "c++ -c src/main.cpp"},
  {"directory": "{root}", "file": "src/more.cpp", "command": "c++ -c src/more.cpp"}
]
//- /src/bank.hpp
#pragma once

struct Account {
    int total() const { return 1; }
};

struct Basket {
    int total() const { return 2; }
};

struct Greeter {
    virtual int greet() const = 0;
};
//- /src/main.cpp
#include "bank.hpp"

int main() {
    Account account;
    return sizeof "é😀" + account.total()
        + Basket().total();
}
//- /src/more.cpp
#include "bank.hpp"

struct Polite : Greeter {
    int greet() const override { return Account().total(); }
};
"#,
    symbol: "Account/total",
    references: &[
        ("src/bank.hpp", 4),
        ("src/main.cpp", 5),
        ("src/more.cpp", 4),
    ],
    user: ("src/main.cpp", 5),
    interface: "Greeter",
    implementations: Some(&[("src/more.cpp", 3)]),
    mistake: "int wrong = \"you\" * 2;\n",
    newcomer: None,
};

pub(super) const GOPLS: Example = Example {
    server: "gopls",
    programs: &["gopls", "go"],
    files: r#"
//- /go.mod
module example.com/bank

go 1.18
//- /bank.go
package bank

type Account struct{}

func (Account) Total() int { return 1 }

type Basket struct{}

func (Basket) Total() int { return 2 }

type Greeter interface {
	Greet() string
}
//- /cmd/main.go
package main

import "example.com/bank"

func main() {
	println("é😀", bank.Account{}.Total())
	println(bank.Basket{}.Total())
}
//- /more.go
package bank

type Polite struct{}

func (Polite) Greet() string { return "Hello" }

func Report(account Account) int {
	return account.Total() + 1
}
"#,
    symbol: "Account/Total",
    references: &[("bank.go", 5), ("cmd/main.go", 6), ("more.go", 8)],
    user: ("cmd/main.go", 6),
    interface: "Greeter",
    implementations: Some(&[("more.go", 3)]),
    mistake: "var wrong string = bank.Account{}.Total()\n",
    newcomer: Some(("new.go", "package bank\n\nvar More = Account{}.Total()\n")),
};
