//! A small assembler for the filter: rows of conditions over a call's arguments, each with an answer.
//!
//! It knows no call and no policy. Calls are found by halving their sorted numbers: the kernel runs the filter once for
//! every number it has when it is installed, and a chain of comparisons took half of that time. Conditions jump inside the
//! rows of one call, so none is longer than the machine allows.

use std::collections::BTreeMap;

use super::table::{Arch, Call};

/// One instruction, as `struct sock_filter` has it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instruction {
    code: u16,
    if_true: u8,
    if_false: u8,
    value: u32,
}

const LOAD: u16 = 0x20;
const RETURN: u16 = 0x06;
const AND: u16 = 0x54;
const JUMP: u16 = 0x05;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const JUMP_IF_SET: u16 = 0x45;

// Offsets in `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;

/// Where the lower half of an argument is; both architectures are little-endian.
const fn low(arg: u32) -> u32 {
    16 + arg * 8
}

/// Something about one argument. The kernel takes flags and numbers from the lower half only, and so do we.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Condition {
    Equals(u32, u32),
    /// The bits of the mask have this value.
    Masked {
        arg: u32,
        mask: u32,
        value: u32,
    },
    AnyOf(u32, u32),
    /// Both halves are zero.
    IsNull(u32),
}

/// A filter in the making.
#[derive(Debug)]
pub(crate) struct FilterProgram {
    arch: Arch,
    /// What comes before any call is told from another.
    instructions: Vec<Instruction>,
    /// What is done for a call, by its number. It always ends with an answer.
    calls: BTreeMap<u32, Vec<Instruction>>,
}

impl FilterProgram {
    pub(crate) const fn new(arch: Arch) -> Self {
        Self {
            arch,
            instructions: Vec::new(),
            calls: BTreeMap::new(),
        }
    }

    pub(crate) fn refuse_other_architectures(&mut self, answer: u32) {
        self.instructions.extend([
            load(ARCH),
            jump(JUMP_IF_EQUAL, self.arch.audit(), 1, 0),
            give(answer),
            load(NUMBER),
        ]);
    }

    /// Answers all numbers from `first` on. The number must be loaded.
    pub(crate) fn refuse_from(&mut self, first: u32, answer: u32) {
        self.instructions
            .extend([jump(JUMP_IF_AT_LEAST, first, 0, 1), give(answer)]);
    }

    /// Answers a call whatever its arguments are. An architecture without the call needs no answer; what was said first
    /// about a call counts.
    pub(crate) fn call(&mut self, call: Call, answer: u32) {
        if let Some(number) = call.number(self.arch) {
            let body = self.calls.entry(number);
            body.or_insert_with(|| vec![give(answer)]);
        }
    }

    /// Answers a call by the first row whose conditions all hold, else with `otherwise`.
    pub(crate) fn rows(&mut self, call: Call, rows: &[(Vec<Condition>, u32)], otherwise: u32) {
        let Some(number) = call.number(self.arch) else {
            return;
        };
        let mut body = Vec::new();
        for (conditions, answer) in rows {
            let tests: Vec<Vec<Instruction>> = conditions.iter().map(|it| test(*it)).collect();
            // From the end of a test, how far it is to the next row.
            let mut left: usize = tests.iter().map(Vec::len).sum::<usize>() + 1;
            for mut test in tests {
                left -= test.len();
                retarget(&mut test, left);
                body.extend(test);
            }
            body.push(give(*answer));
        }
        body.push(give(otherwise));
        debug_assert!(
            body.len() <= usize::from(u8::MAX),
            "{call:?} has too many rows"
        );
        self.calls.entry(number).or_insert(body);
    }

    pub(crate) fn finish(self, otherwise: u32) -> Vec<Instruction> {
        let mut instructions = self.instructions;
        let calls: Vec<(u32, Vec<Instruction>)> = self.calls.into_iter().collect();
        instructions.extend(search(&calls, otherwise));
        instructions
    }
}

/// Finds the number that is loaded among sorted calls.
fn search(calls: &[(u32, Vec<Instruction>)], otherwise: u32) -> Vec<Instruction> {
    match calls {
        [] => vec![give(otherwise)],
        [(number, body)] => {
            let skipped = u8::try_from(body.len()).unwrap_or(u8::MAX);
            let mut instructions = vec![jump(JUMP_IF_EQUAL, *number, 0, skipped)];
            instructions.extend(body);
            instructions.push(give(otherwise));
            instructions
        }
        several => {
            let (below, above) = several.split_at(several.len() / 2);
            let first_above = above.first().map_or(u32::MAX, |(number, _)| *number);
            let below = search(below, otherwise);
            let mut instructions = match u8::try_from(below.len()) {
                Ok(length) => vec![jump(JUMP_IF_AT_LEAST, first_above, length, 0)],
                // Only an unconditional jump goes that far.
                Err(_) => {
                    let length = u32::try_from(below.len()).unwrap_or(u32::MAX);
                    vec![
                        jump(JUMP_IF_AT_LEAST, first_above, 0, 1),
                        jump(JUMP, length, 0, 0),
                    ]
                }
            };
            instructions.extend(below);
            instructions.extend(search(above, otherwise));
            instructions
        }
    }
}

/// Stands for «to the next row» until the row's length is known.
const NEXT_ROW: u8 = u8::MAX;

fn test(condition: Condition) -> Vec<Instruction> {
    match condition {
        Condition::Equals(arg, value) => {
            vec![load(low(arg)), jump(JUMP_IF_EQUAL, value, 0, NEXT_ROW)]
        }
        Condition::Masked { arg, mask, value } => vec![
            load(low(arg)),
            Instruction {
                code: AND,
                if_true: 0,
                if_false: 0,
                value: mask,
            },
            jump(JUMP_IF_EQUAL, value, 0, NEXT_ROW),
        ],
        Condition::AnyOf(arg, mask) => {
            vec![load(low(arg)), jump(JUMP_IF_SET, mask, 0, NEXT_ROW)]
        }
        Condition::IsNull(arg) => vec![
            load(low(arg)),
            jump(JUMP_IF_EQUAL, 0, 0, NEXT_ROW),
            load(low(arg) + 4),
            jump(JUMP_IF_EQUAL, 0, 0, NEXT_ROW),
        ],
    }
}

/// Points the jumps to the next row, `left` instructions after the test.
fn retarget(test: &mut [Instruction], left: usize) {
    let length = test.len();
    for (index, instruction) in test.iter_mut().enumerate() {
        if instruction.if_false == NEXT_ROW {
            let distance = length - index - 1 + left;
            instruction.if_false = u8::try_from(distance).unwrap_or(NEXT_ROW);
        }
    }
}

const fn load(offset: u32) -> Instruction {
    Instruction {
        code: LOAD,
        if_true: 0,
        if_false: 0,
        value: offset,
    }
}

const fn give(answer: u32) -> Instruction {
    Instruction {
        code: RETURN,
        if_true: 0,
        if_false: 0,
        value: answer,
    }
}

const fn jump(code: u16, value: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction {
        code,
        if_true,
        if_false,
        value,
    }
}

/// A call as the filter sees it, for tests of either architecture on any machine.
#[cfg(test)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Input {
    pub(crate) number: u32,
    pub(crate) audit: u32,
    pub(crate) args: [u64; 6],
}

/// Runs a filter as the kernel would.
#[cfg(test)]
pub(crate) fn evaluate(program: &[Instruction], input: &Input) -> u32 {
    let word = |offset: u32| match offset {
        NUMBER => input.number,
        ARCH => input.audit,
        _ => {
            let arg = input.args[usize::try_from((offset - 16) / 8).unwrap()];
            let half = if (offset - 16).is_multiple_of(8) {
                arg
            } else {
                arg >> 32
            };
            u32::try_from(half & u64::from(u32::MAX)).unwrap()
        }
    };
    let (mut position, mut value) = (0, 0_u32);
    loop {
        let it = program[position];
        position += 1;
        let jumps = match it.code {
            LOAD => {
                value = word(it.value);
                continue;
            }
            AND => {
                value &= it.value;
                continue;
            }
            RETURN => return it.value,
            JUMP => {
                position += usize::try_from(it.value).unwrap();
                continue;
            }
            JUMP_IF_EQUAL => value == it.value,
            JUMP_IF_AT_LEAST => value >= it.value,
            JUMP_IF_SET => value & it.value != 0,
            other => panic!("unknown instruction {other}"),
        };
        position += usize::from(if jumps { it.if_true } else { it.if_false });
    }
}
