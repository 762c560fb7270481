//! Asks what a line would do before anyone runs it.

use mk_shell::{
    FileUse, Form, NameExtent, Operands, OptionEffect, OptionStyle, ProgramRow, ProgramScope,
    ProgramTable, UnlistedOptions, UseOfFile, analyse,
};

/// `tee [-a] file…` writes its operands.
const TEE: ProgramRow = ProgramRow {
    operands: Operands::Write,
    skip: 0,
    unless: &[],
    options: &[("a", OptionEffect::Flag)],
    unlisted: UnlistedOptions::Doubt,
    style: OptionStyle::Getopt,
    scope: ProgramScope::Words,
    subcommands: &[],
};

/// `cat file…` reads them.
const CAT: ProgramRow = ProgramRow {
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
        extent: NameExtent::Itself,
    };
    assert_eq!(line.doubt, None);
    assert_eq!(line.commands[1].program(), "tee");
    assert!(line.files.contains(&file("src/a.txt", UseOfFile::Read)));
    assert!(line.files.contains(&file("src/b c.txt", UseOfFile::Write)));
    assert!(line.files.contains(&file("src/log", UseOfFile::Write)));

    // No row, no proof: treat a doubt as the worst that could happen.
    let line = analyse(KNOWN, "make install", "");
    assert!(line.doubt.is_some());
    let line = analyse(KNOWN, "eval \"$(cat script)\"", "");
    assert!(line.doubt_about_commands().is_some());
}
