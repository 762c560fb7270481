//! Asks what a line would do before anyone runs it.

use mk_shell::{
    Effect, Extent, FileUse, Form, Operands, Program, ProgramTable, Scope, Style, Unlisted, Use,
    analyse,
};

/// `tee [-a] file…` writes its operands.
const TEE: Program = Program {
    operands: Operands::Write,
    skip: 0,
    unless: &[],
    options: &[("a", Effect::Flag)],
    unlisted: Unlisted::Doubt,
    style: Style::Getopt,
    scope: Scope::Words,
    subcommands: &[],
};

/// `cat file…` reads them.
const CAT: Program = Program {
    operands: Operands::Read,
    options: &[],
    ..TEE
};

/// Sorted by name.
const KNOWN: ProgramTable = ProgramTable::new(&[("cat", CAT), ("tee", TEE)], &["/usr/bin/"]);

pub(crate) fn main() {
    // Everything that the line names, from the directory that it starts in.
    let line = analyse(KNOWN, "cat a.txt | tee -a 'b c.txt' > log", "src");
    let file = |path: &str, access| FileUse {
        path: path.to_owned(),
        access,
        form: Form::Exact,
        extent: Extent::Itself,
    };
    assert_eq!(line.doubt, None);
    assert_eq!(line.commands[1].program(), "tee");
    assert!(line.files.contains(&file("src/a.txt", Use::Read)));
    assert!(line.files.contains(&file("src/b c.txt", Use::Write)));
    assert!(line.files.contains(&file("src/log", Use::Write)));

    // No row, no proof: treat a doubt as the worst that could happen.
    let line = analyse(KNOWN, "make install", "");
    assert!(line.doubt.is_some());
    let line = analyse(KNOWN, "eval \"$(cat script)\"", "");
    assert!(line.doubt_about_commands().is_some());
}
