//! The calls the filter knows, with their numbers on x86-64 and ARM64, and the lists that are refused whole.
//!
//! Numbers are data and not taken from the target's C library, so that both filters are tested on any machine.

/// An architecture the wall is built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arch {
    X86_64,
    Aarch64,
}

impl Arch {
    /// The one this program runs on; `None` where there is no table.
    pub(crate) const fn native() -> Option<Self> {
        if cfg!(target_arch = "x86_64") {
            Some(Self::X86_64)
        } else if cfg!(target_arch = "aarch64") {
            Some(Self::Aarch64)
        } else {
            None
        }
    }

    /// The kernel's `AUDIT_ARCH_*`.
    pub(crate) const fn audit(self) -> u32 {
        match self {
            Self::X86_64 => 0xc000_003e,
            Self::Aarch64 => 0xc000_00b7,
        }
    }
}

macro_rules! calls {
    ($($name:ident $x86_64:literal $aarch64:tt,)*) => {
        /// A system call by name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Call {
            $($name,)*
        }

        impl Call {
            /// `None` where the architecture has no such call.
            pub(crate) const fn number(self, arch: Arch) -> Option<u32> {
                match (self, arch) {
                    $((Self::$name, Arch::X86_64) => Some($x86_64),
                    (Self::$name, Arch::Aarch64) => calls!(@ $aarch64),)*
                }
            }

            pub(crate) const ALL: &'static [Self] = &[$(Self::$name,)*];
        }
    };
    (@ -) => { None };
    (@ $number:literal) => { Some($number) };
}

calls! {
    Open 2 -,
    Openat 257 56,
    Openat2 437 437,
    Creat 85 -,
    Truncate 76 45,
    Rename 82 -,
    Renameat 264 38,
    Renameat2 316 276,
    Unlink 87 -,
    Unlinkat 263 35,
    Rmdir 84 -,
    Mkdir 83 -,
    Mkdirat 258 34,
    Link 86 -,
    Linkat 265 37,
    Symlink 88 -,
    Symlinkat 266 36,
    Mknod 133 -,
    Mknodat 259 33,
    Chmod 90 -,
    Fchmod 91 52,
    Fchmodat 268 53,
    Fchmodat2 452 452,
    Chown 92 -,
    Fchown 93 55,
    Lchown 94 -,
    Fchownat 260 54,
    Utime 132 -,
    Utimes 235 -,
    Utimensat 280 88,
    Futimesat 261 -,
    Connect 42 203,
    Bind 49 200,
    Socket 41 198,
    Socketpair 53 199,
    Ioctl 16 29,
    Sendto 44 206,
    Sendmsg 46 211,
    Sendmmsg 307 269,
    Prlimit64 302 261,
    Setpriority 141 140,
    SchedSetparam 142 118,
    SchedSetscheduler 144 119,
    SchedSetaffinity 203 122,
    SchedSetattr 314 274,
    IoprioSet 251 30,
    Prctl 157 167,
    Clone 56 220,
    Clone3 435 435,
    Unshare 272 97,
    Setns 308 268,
    Chroot 161 51,
    Seccomp 317 277,
    Umask 95 166,
    Setuid 105 146,
    Setgid 106 144,
    Setreuid 113 145,
    Setregid 114 143,
    Setresuid 117 147,
    Setresgid 119 149,
    Setfsuid 122 151,
    Setfsgid 123 152,
    Setgroups 116 159,
    Mount 165 40,
    Umount2 166 39,
    PivotRoot 155 41,
    OpenTree 428 428,
    OpenTreeAttr 467 467,
    MoveMount 429 429,
    Fsopen 430 430,
    Fsconfig 431 431,
    Fsmount 432 432,
    Fspick 433 433,
    MountSetattr 442 442,
    OpenByHandleAt 304 265,
    Bpf 321 280,
    PerfEventOpen 298 241,
    InitModule 175 105,
    FinitModule 313 273,
    DeleteModule 176 106,
    KexecLoad 246 104,
    KexecFileLoad 320 294,
    Reboot 169 142,
    Swapon 167 224,
    Swapoff 168 225,
    Settimeofday 164 170,
    ClockSettime 227 112,
    Iopl 172 -,
    Ioperm 173 -,
    Sethostname 170 161,
    Setdomainname 171 162,
    Quotactl 179 60,
    QuotactlFd 443 443,
    Acct 163 89,
    AddKey 248 217,
    Keyctl 250 219,
    RequestKey 249 218,
    Userfaultfd 323 282,
    FanotifyInit 300 262,
    Vhangup 153 58,
    ProcessMadvise 440 440,
    IoUringSetup 425 425,
    IoUringEnter 426 426,
    IoUringRegister 427 427,
    Setxattr 188 5,
    Lsetxattr 189 6,
    Fsetxattr 190 7,
    Setxattrat 463 463,
    Removexattr 197 14,
    Lremovexattr 198 15,
    Fremovexattr 199 16,
    Removexattrat 466 466,
    FileSetattr 469 469,
}

impl Call {
    /// The call behind a number of the native architecture.
    pub(crate) fn of(number: i32, arch: Arch) -> Option<Self> {
        let number = u32::try_from(number).ok()?;
        let mut all = Self::ALL.iter();
        all.find(|it| it.number(arch) == Some(number)).copied()
    }

    /// Whether a process may be another one for files after it, or may start such a one.
    pub(crate) fn changes_identity(self) -> bool {
        IDENTITY.contains(&self) || matches!(self, Self::Clone | Self::Unshare | Self::Prctl)
    }
}

/// What only an administrator does to the machine; none of it belongs to a command.
pub(crate) const KERNEL: &[Call] = &[
    Call::Mount,
    Call::Umount2,
    Call::PivotRoot,
    Call::OpenTree,
    Call::OpenTreeAttr,
    Call::MoveMount,
    Call::Fsopen,
    Call::Fsconfig,
    Call::Fsmount,
    Call::Fspick,
    Call::MountSetattr,
    Call::OpenByHandleAt,
    Call::Bpf,
    Call::PerfEventOpen,
    Call::InitModule,
    Call::FinitModule,
    Call::DeleteModule,
    Call::KexecLoad,
    Call::KexecFileLoad,
    Call::Reboot,
    Call::Swapon,
    Call::Swapoff,
    Call::Settimeofday,
    Call::ClockSettime,
    Call::Iopl,
    Call::Ioperm,
    Call::Sethostname,
    Call::Setdomainname,
    Call::Quotactl,
    Call::QuotactlFd,
    Call::Acct,
    Call::AddKey,
    Call::Keyctl,
    Call::RequestKey,
    Call::Userfaultfd,
    Call::FanotifyInit,
    Call::Vhangup,
    Call::ProcessMadvise,
];

/// Calls through a ring pass no filter. Programs fall back when the kernel has none.
pub(crate) const RINGS: &[Call] = &[
    Call::IoUringSetup,
    Call::IoUringEnter,
    Call::IoUringRegister,
];

/// Landlock does not hold attributes; programs take the answer for a file system that has none.
pub(crate) const ATTRIBUTES: &[Call] = &[
    Call::Setxattr,
    Call::Lsetxattr,
    Call::Fsetxattr,
    Call::Setxattrat,
    Call::Removexattr,
    Call::Lremovexattr,
    Call::Fremovexattr,
    Call::Removexattrat,
    Call::FileSetattr,
];

/// What the clerk answers whatever the arguments are.
pub(crate) const PATHS: &[Call] = &[
    Call::Openat2,
    Call::Creat,
    Call::Truncate,
    Call::Rename,
    Call::Renameat,
    Call::Renameat2,
    Call::Unlink,
    Call::Unlinkat,
    Call::Rmdir,
    Call::Mkdir,
    Call::Mkdirat,
    Call::Link,
    Call::Linkat,
    Call::Symlink,
    Call::Symlinkat,
    Call::Mknod,
    Call::Mknodat,
    Call::Chmod,
    Call::Fchmod,
    Call::Fchmodat,
    Call::Fchmodat2,
    Call::Chown,
    Call::Fchown,
    Call::Lchown,
    Call::Fchownat,
    Call::Utime,
    Call::Utimes,
    Call::Utimensat,
    Call::Futimesat,
];

/// What makes a process another than the command was at its start: for its files, its root, its filters.
pub(crate) const IDENTITY: &[Call] = &[
    Call::Setns,
    Call::Chroot,
    Call::Seccomp,
    Call::Setuid,
    Call::Setgid,
    Call::Setreuid,
    Call::Setregid,
    Call::Setresuid,
    Call::Setresgid,
    Call::Setfsuid,
    Call::Setfsgid,
    Call::Setgroups,
];

/// How a process is scheduled, by its number; zero is the caller.
pub(crate) const SCHEDULING: &[Call] = &[
    Call::SchedSetparam,
    Call::SchedSetscheduler,
    Call::SchedSetaffinity,
    Call::SchedSetattr,
];

/// Requests that change a file through a descriptor that may only read.
pub(crate) const FILE_FLAG_REQUESTS: &[u32] = &[
    0x4008_6602, // FS_IOC_SETFLAGS
    0x4004_6602, // FS_IOC32_SETFLAGS
    0x401c_5820, // FS_IOC_FSSETXATTR
    0x4008_7602, // FS_IOC_SETVERSION
    0x4004_7602, // FS_IOC32_SETVERSION
    0x4008_6604, // EXT4_IOC_SETVERSION
    0x4080_6685, // FS_IOC_ENABLE_VERITY
    0x800c_6613, // FS_IOC_SET_ENCRYPTION_POLICY
    0x4100_9432, // FS_IOC_SETFSLABEL
    0x6609,      // EXT4_IOC_MIGRATE
    0xc050_6617, // FS_IOC_ADD_ENCRYPTION_KEY
    0xc040_6618, // FS_IOC_REMOVE_ENCRYPTION_KEY
    0x4004_7211, // FAT_IOCTL_SET_ATTRIBUTES
    0x5000_9401, // BTRFS_IOC_SNAP_CREATE
    0x5000_9417, // BTRFS_IOC_SNAP_CREATE_V2
    0x5000_940e, // BTRFS_IOC_SUBVOL_CREATE
    0x5000_9418, // BTRFS_IOC_SUBVOL_CREATE_V2
    0x5000_940f, // BTRFS_IOC_SNAP_DESTROY
    0x5000_943f, // BTRFS_IOC_SNAP_DESTROY_V2
    0x4008_941a, // BTRFS_IOC_SUBVOL_SETFLAGS
    0xc0c8_9425, // BTRFS_IOC_SET_RECEIVED_SUBVOL
    0x4018_6f04, // OCFS2_IOC_REFLINK
];

/// Requests by which a terminal or its keyboard runs something later, or shows it elsewhere.
pub(crate) const TERMINAL_REQUESTS: &[u32] = &[
    0x5412, // TIOCSTI
    0x541c, // TIOCLINUX
    0x541d, // TIOCCONS
    0x5423, // TIOCSETD
    0x4b47, // KDSKBENT
    0x4b49, // KDSKBSENT
    0x4b4b, // KDSKBDIACR
    0x4bfb, // KDSKBDIACRUC
    0x4b4d, // KDSETKEYCODE
];
