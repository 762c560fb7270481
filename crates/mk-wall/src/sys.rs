//! The few system calls that no library offers safely: the filter and its notifications, another process's memory,
//! a fork, and a command's start.
//!
//! Everything else of this crate goes through `rustix` and `landlock`. Nothing here decides anything.

use std::io;
use std::mem;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};

use crate::door::Instruction;

mod spawn;

#[cfg(test)]
pub(crate) use spawn::is_alone;
pub(crate) use spawn::spawn_held;

/// What a notification carries, as `struct seccomp_notif` has it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Notification {
    pub(crate) id: u64,
    /// The calling thread.
    pub(crate) tid: u32,
    flags: u32,
    pub(crate) number: i32,
    arch: u32,
    instruction_pointer: u64,
    pub(crate) args: [u64; 6],
}

#[repr(C)]
struct Response {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

#[repr(C)]
struct AddDescriptor {
    id: u64,
    flags: u32,
    source: u32,
    target: u32,
    target_flags: u32,
}

#[repr(C)]
struct SockProgram {
    length: u16,
    instructions: *const Instruction,
}

// `_IOWR('!', …)` and its kin; `struct seccomp_notif` has 80 bytes, its answers 24.
const RECEIVE: libc::Ioctl = request(0xc050_2100);
const SEND: libc::Ioctl = request(0xc018_2101);
const IS_VALID: libc::Ioctl = request(0x4008_2102);
const ADD_DESCRIPTOR: libc::Ioctl = request(0x4018_2103);
const SET_FLAGS: libc::Ioctl = request(0x4008_2104);

/// A request has 32 bits; glibc's `ioctl` takes a long, musl's an int.
const fn request(code: u32) -> libc::Ioctl {
    code as libc::Ioctl
}

const SYNC_WAKE_UP: u64 = 1;
const CONTINUE: u32 = 1;
/// Adds the descriptor and answers with its number, in one step.
const ADD_AND_SEND: u32 = 2;
const SO_NETNS_COOKIE: libc::c_int = 71;

/// How a call is answered.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NotifyReply {
    /// The kernel goes on with the call, and the floor decides.
    Continue,
    Value(i64),
    Error(rustix::io::Errno),
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}

fn check_long(result: libc::c_long) -> io::Result<RawFd> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    RawFd::try_from(result).map_err(|_| io::Error::from_raw_os_error(libc::EOVERFLOW))
}

/// The version of Landlock in this kernel, or the error that says why there is none.
pub(crate) fn landlock_version() -> io::Result<i32> {
    const VERSION: libc::c_uint = 1;
    // SAFETY: with the version flag the kernel takes no structure, and both other arguments must be zero.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0_usize,
            VERSION,
        )
    };
    check_long(version)
}

/// Whether the kernel knows an action of the filter.
pub(crate) fn knows_action(action: u32) -> io::Result<()> {
    const GET_ACTION_AVAIL: libc::c_uint = 2;
    // SAFETY: the kernel reads four bytes behind the pointer, which outlives the call.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, GET_ACTION_AVAIL, 0, &raw const action) };
    check_long(result).map(|_| ())
}

/// Asks the question that only our own filter answers; the error it answers with.
pub(crate) fn ask_mark(mark: u32) -> Option<i32> {
    // SAFETY: the kernel knows no such request and looks at none of its arguments.
    let result = unsafe { libc::prctl(mark.cast_signed(), 0, 0, 0, 0) };
    (result < 0).then(io::Error::last_os_error)?.raw_os_error()
}

/// Installs a filter on the calling thread; with `notify`, answers with the listener.
pub(crate) fn install_filter(
    instructions: &[Instruction],
    notify: bool,
) -> io::Result<Option<OwnedFd>> {
    const SET_MODE_FILTER: libc::c_uint = 1;
    const NEW_LISTENER: libc::c_ulong = 1 << 3;
    /// A call that the clerk has taken is not interrupted by signals, or it would be made twice.
    const WAIT_KILLABLE: libc::c_ulong = 1 << 5;
    let length =
        u16::try_from(instructions.len()).map_err(|_| io::Error::from_raw_os_error(libc::E2BIG))?;
    let program = SockProgram {
        length,
        instructions: instructions.as_ptr(),
    };
    let install = |flags: libc::c_ulong| {
        // SAFETY: `program` has the layout of `struct sock_fprog`, and it and its instructions outlive the call; the
        // kernel copies and checks them.
        check_long(unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                SET_MODE_FILTER,
                flags,
                &raw const program,
            )
        })
    };
    if !notify {
        return install(0).map(|_| None);
    }
    let listener = match install(NEW_LISTENER | WAIT_KILLABLE) {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => install(NEW_LISTENER)?,
        other => other?,
    };
    // SAFETY: the kernel has just made this descriptor for us, and nothing else knows it.
    Ok(Some(unsafe { OwnedFd::from_raw_fd(listener) }))
}

/// The next call that waits for an answer.
pub(crate) fn receive(listener: BorrowedFd<'_>) -> io::Result<Notification> {
    let mut notification = Notification::default();
    // SAFETY: the structure has the kernel's layout and is zeroed, as the call demands.
    check(unsafe { libc::ioctl(listener.as_raw_fd(), RECEIVE, &raw mut notification) })?;
    Ok(notification)
}

/// Whether the caller still waits, so that its thread's number has not been given to another.
pub(crate) fn is_waiting(listener: BorrowedFd<'_>, id: u64) -> bool {
    // SAFETY: the kernel reads eight bytes behind the pointer.
    unsafe { libc::ioctl(listener.as_raw_fd(), IS_VALID, &raw const id) == 0 }
}

/// Answers a call. An error means that the caller has gone.
pub(crate) fn reply(listener: BorrowedFd<'_>, id: u64, reply: NotifyReply) -> io::Result<()> {
    let mut response = Response {
        id,
        value: 0,
        error: 0,
        flags: 0,
    };
    match reply {
        NotifyReply::Continue => response.flags = CONTINUE,
        NotifyReply::Value(value) => response.value = value,
        NotifyReply::Error(errno) => response.error = -errno.raw_os_error(),
    }
    // SAFETY: the structure has the kernel's layout and outlives the call.
    check(unsafe { libc::ioctl(listener.as_raw_fd(), SEND, &raw mut response) }).map(|_| ())
}

/// Answers an open with a descriptor of ours.
pub(crate) fn hand_over(
    listener: BorrowedFd<'_>,
    id: u64,
    descriptor: BorrowedFd<'_>,
    close_on_exec: bool,
) -> io::Result<()> {
    let cloexec = u32::try_from(libc::O_CLOEXEC).unwrap_or_default();
    let request = AddDescriptor {
        id,
        flags: ADD_AND_SEND,
        source: u32::try_from(descriptor.as_raw_fd()).unwrap_or(u32::MAX),
        target: 0,
        target_flags: if close_on_exec { cloexec } else { 0 },
    };
    // SAFETY: the structure has the kernel's layout and outlives the call.
    check(unsafe { libc::ioctl(listener.as_raw_fd(), ADD_DESCRIPTOR, &raw const request) })
        .map(|_| ())
}

/// Lets caller and clerk take turns on one processor; older kernels do without.
pub(crate) fn wake_in_step(listener: BorrowedFd<'_>) {
    // SAFETY: the argument is a number, not a pointer.
    unsafe { libc::ioctl(listener.as_raw_fd(), SET_FLAGS, SYNC_WAKE_UP) };
}

/// Copies out of another process; answers with how much could be copied.
pub(crate) fn read_memory(tid: u32, address: u64, buffer: &mut [u8]) -> usize {
    let (Ok(pid), Ok(address)) = (libc::pid_t::try_from(tid), usize::try_from(address)) else {
        return 0;
    };
    let local = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    let remote = libc::iovec {
        iov_base: address as *mut libc::c_void,
        iov_len: buffer.len(),
    };
    // SAFETY: the kernel writes at most `buffer.len()` bytes into `buffer`; the other address is only looked up in
    // the other process.
    let copied =
        unsafe { libc::process_vm_readv(pid, &raw const local, 1, &raw const remote, 1, 0) };
    usize::try_from(copied).unwrap_or(0)
}

/// Which network namespace a socket belongs to.
pub(crate) fn network_of(socket: BorrowedFd<'_>) -> io::Result<u64> {
    let mut cookie = 0_u64;
    let mut length = libc::socklen_t::try_from(mem::size_of::<u64>()).unwrap_or_default();
    // SAFETY: the kernel writes at most `length` bytes, which is the size of `cookie`.
    check(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            SO_NETNS_COOKIE,
            (&raw mut cookie).cast(),
            &raw mut length,
        )
    })?;
    Ok(cookie)
}

/// What a supervisor hears of itself instead of being ended by it.
const TAKEN: [libc::c_int; 6] = [
    libc::SIGCHLD,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    // A supervisor in the background may still write to its terminal and give it back.
    libc::SIGTTOU,
];

/// Blocks these signals or lets them through, and answers with their set.
fn mask(how: libc::c_int, signals: &[libc::c_int]) -> io::Result<libc::sigset_t> {
    // SAFETY: the set is initialised by `sigemptyset` before anything reads it, and outlives the calls.
    unsafe {
        let mut set: libc::sigset_t = mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in signals {
            libc::sigaddset(&raw mut set, *signal);
        }
        check(libc::sigprocmask(how, &raw const set, std::ptr::null_mut()))?;
        Ok(set)
    }
}

/// Blocks the signals that end or inform a supervisor, and answers with a descriptor that reads them.
pub(crate) fn take_signals() -> io::Result<OwnedFd> {
    let set = mask(libc::SIG_BLOCK, &TAKEN)?;
    let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
    // SAFETY: the set outlives the call, and nothing else knows the descriptor that it makes.
    unsafe {
        let descriptor = check(libc::signalfd(-1, &raw const set, flags))?;
        Ok(OwnedFd::from_raw_fd(descriptor))
    }
}

/// Lets a new process be ended by them again.
pub(crate) fn give_signals_back() -> io::Result<()> {
    mask(libc::SIG_UNBLOCK, &TAKEN).map(|_| ())
}

/// Runs `action` while the terminal cannot stop us for being in the background.
pub(crate) fn without_stop<T>(action: impl FnOnce() -> T) -> io::Result<T> {
    mask(libc::SIG_BLOCK, &[libc::SIGTTOU])?;
    let result = action();
    mask(libc::SIG_UNBLOCK, &[libc::SIGTTOU])?;
    Ok(result)
}

/// Moves this process into namespaces of its own.
pub(crate) fn unshare(flags: rustix::thread::UnshareFlags) -> rustix::io::Result<()> {
    // SAFETY: descriptors stay shared with no one: the flags used are those for users and mounts.
    unsafe { rustix::thread::unshare_unsafe(flags) }
}

/// Makes every descriptor from `first` on close when a program is started.
pub(crate) fn close_on_exec_from(first: u32) -> io::Result<()> {
    // SAFETY: the arguments are numbers; descriptors stay open in this process.
    let result = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            u32::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
    check_long(result).map(|_| ())
}

/// Which of two processes we are after [`fork`].
#[derive(Debug)]
pub(crate) enum Fork {
    Parent(rustix::process::Pid),
    Child,
}

/// Makes a second process.
pub(crate) fn fork() -> io::Result<Fork> {
    // SAFETY: `exec` has one thread. In tests, which have more, the C library's allocator is usable after a fork, and
    // no lock of another thread is taken by what the child runs.
    let pid = check(unsafe { libc::fork() })?;
    Ok(rustix::process::Pid::from_raw(pid).map_or(Fork::Child, Fork::Parent))
}

/// Ends this process at once, without destructors or exit handlers. Buffered output is lost.
pub fn leave(code: i32) -> ! {
    // SAFETY: it never returns and touches no memory.
    unsafe { libc::_exit(code) }
}
