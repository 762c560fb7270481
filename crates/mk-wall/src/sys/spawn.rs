//! A command's start in a new process that holds itself first.
//!
//! The new process uses our memory while we wait for it to become the command. A copy would cost more than everything
//! that it does to hold itself: its tables, and a fault for each page that either of the two touches next. Where another
//! thread would use that memory meanwhile, the process is a copy.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions};

use super::{check, leave};

/// Starts a command after `hold` has run in the new process.
///
/// - The command's streams must be inherited, or files that are open already. Others would be opened after `hold`, and an
///   open that waits for an answer of ours waits for ever.
/// - Nothing may change the variables of this process later: the new process keeps the standard library's lock on them,
///   for reading, in our memory.
pub(crate) fn spawn_held(
    command: &mut Command,
    hold: impl Fn() -> io::Result<()> + Send + Sync + 'static,
) -> io::Result<Pid> {
    if is_alone() {
        return spawn_in_our_memory(command, &hold);
    }
    // SAFETY: the C library's allocator is usable after a fork, and `hold` takes no lock of another thread.
    let child = unsafe { command.pre_exec(hold) }.spawn()?;
    let pid = child.id().try_into().ok().and_then(Pid::from_raw);
    pid.ok_or_else(|| Errno::SRCH.into())
}

/// Whether this process has one thread. A database over the network, for example, has one of its own.
pub(crate) fn is_alone() -> bool {
    let threads = std::fs::read_dir("/proc/self/task");
    threads.is_ok_and(|threads| threads.count() == 1)
}

/// A command about to start, in the memory that both processes share.
struct HeldStart<'a> {
    command: &'a mut Command,
    hold: &'a dyn Fn() -> io::Result<()>,
    /// Why there is no command.
    failed: Option<io::Error>,
}

fn spawn_in_our_memory(
    command: &mut Command,
    hold: &dyn Fn() -> io::Result<()>,
) -> io::Result<Pid> {
    let stack = GuardedStack::map()?;
    let mut start = HeldStart {
        command,
        hold,
        failed: None,
    };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: this process has one thread, as the caller has seen, and the kernel stops it until the new process has left
    // this memory by its exec or its end; `start` and `stack` outlive that. So no two run at once here: the new process
    // may allocate, panic and use the thread's own variables as if it were that thread. Descriptors, signal handlers,
    // the working directory and everything that `hold` gives up are its own. To start a program, the standard library
    // points `environ` to the program's variables, which live on; ours is put back before anything reads it.
    let pid = unsafe {
        let own_variables = environ;
        let argument = (&raw mut start).cast();
        let pid = libc::clone(become_command, stack.top(), flags, argument);
        environ = own_variables;
        check(pid)?
    };
    let pid = Pid::from_raw(pid).ok_or(Errno::SRCH)?;
    match start.failed.take() {
        None => Ok(pid),
        Some(error) => {
            // It has ended; what it failed of is what the caller hears, whatever comes of this.
            rustix::io::retry_on_intr(|| rustix::process::waitpid(Some(pid), WaitOptions::empty()))
                .ok();
            Err(error)
        }
    }
}

unsafe extern "C" {
    /// The variables of this process, as the C library keeps them.
    static mut environ: *const *const libc::c_char;
}

/// The new process's life before it is the command.
extern "C" fn become_command(start: *mut libc::c_void) -> libc::c_int {
    // SAFETY: `spawn_in_our_memory` has passed this and waits.
    let start = unsafe { &mut *start.cast::<HeldStart<'_>>() };
    // A panic ends here, or the one that waits would have its counts and locks.
    let tried = catch_unwind(AssertUnwindSafe(|| match (start.hold)() {
        Ok(()) => start.command.exec(),
        Err(error) => error,
    }));
    let panicked = |_| io::Error::other("a panic before the command");
    start.failed = Some(tried.unwrap_or_else(panicked));
    leave(crate::exit_code::WALL)
}

/// The stack of a new process: too deep a call ends that process instead of writing over our memory.
struct GuardedStack(*mut libc::c_void);

impl GuardedStack {
    /// Only what is used is ever mapped.
    const LENGTH: usize = 1 << 20;
    /// Whole pages, whatever their size: 64 KiB are the largest.
    const GUARD: usize = 1 << 16;

    fn map() -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping touches no memory that is in use, and the guard is a part of it.
        unsafe {
            let start = libc::mmap(std::ptr::null_mut(), Self::LENGTH, access, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let stack = Self(start);
            check(libc::mprotect(start, Self::GUARD, libc::PROT_NONE))?;
            Ok(stack)
        }
    }

    /// Where it begins: stacks grow downwards.
    fn top(&self) -> *mut libc::c_void {
        // SAFETY: the end of the mapping.
        unsafe { self.0.byte_add(Self::LENGTH) }
    }
}

impl Drop for GuardedStack {
    fn drop(&mut self) {
        // SAFETY: the process that used it has left this memory.
        unsafe { libc::munmap(self.0, Self::LENGTH) };
    }
}
