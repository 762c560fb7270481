//! Modekeeper's command line: parse, log, one `match`, an exit code.

mod approver;
mod build_dirs;
mod cli;
mod code_pages;
mod config;
mod env;
#[cfg(target_os = "linux")]
mod exec;
mod hook;
mod log;
mod next_step;
mod output;
mod process;
mod telemetry;
mod version;

use std::process::ExitCode;

use crate::env::Env;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // Every line of an agent's shell comes through here: nothing else may cost before it.
    #[cfg(target_os = "linux")]
    {
        let mut words = std::env::args_os().skip(1);
        if words.next().is_some_and(|word| word == exec::NAME) {
            return leave(exec::run(words, &Env::read()));
        }
    }
    if let Some(code) = hook::dispatch() {
        return leave(code);
    }
    let env = Env::read();
    let arguments = match cli::parse(&env) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let outcome = cli::run(arguments, &env);
    log::finish();
    match outcome {
        Ok(code) => code,
        Err(error) => {
            output::print_error(&error);
            ExitCode::FAILURE
        }
    }
}

/// Ends a process that an agent waits for at every call: freeing its memory first takes a twentieth of a hook's time.
fn leave(code: u8) -> ExitCode {
    #[cfg(target_os = "linux")]
    mk_wall::leave(code.into());
    #[cfg(not(target_os = "linux"))]
    ExitCode::from(code)
}
