#!/usr/bin/python3
# Makes system calls that no tool makes. Run by the tests of the wall, inside and outside of it.
import ctypes
import mmap
import os
import platform
import select
import socket
import struct
import sys
import threading

libc = ctypes.CDLL(None, use_errno=True)
verb, args = sys.argv[1], sys.argv[2:]
arm = platform.machine() == "aarch64"


def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def name(text):
    return "\0" + text[1:] if text.startswith("@") else text


def serve(target, control):
    """Waits to be reached, and tells those who ask on `control` whether it was."""
    asked = socket.socket(socket.AF_UNIX)
    asked.bind(control)
    asked.listen()
    print("ready", flush=True)
    while True:
        question, _ = asked.accept()
        # Whatever was sent before the question is in the queue by now.
        arrived = select.select([target], [], [], 0)[0]
        question.sendall(b"reached" if arrived else b"nothing")
        question.close()


def tcp(address, port, make=socket.SOCK_STREAM, protocol=0):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    connection = socket.socket(family, make, protocol)
    connection.connect((address, int(port)))


if verb == "truncate":
    os.truncate(args[0], 0)
elif verb == "read-truncate":
    os.open(args[0], os.O_RDONLY | os.O_TRUNC)
elif verb == "openat2":
    how = struct.pack("QQQ", os.O_WRONLY | os.O_TRUNC, 0, 0)
    call(437, -100, args[0].encode(), how, 24)
elif verb == "tmpfile":
    file = os.open(args[0], os.O_TMPFILE | os.O_RDWR)
    number = 37 if arm else 265
    call(number, -100, f"/proc/self/fd/{file}".encode(), -100, f"{args[0]}/{args[1]}".encode(), 0x400)
elif verb == "openat":
    directory = os.open(args[0], os.O_RDONLY)
    os.open(args[1], os.O_WRONLY | os.O_TRUNC, dir_fd=directory)
elif verb == "reopen":
    file = os.open(args[0], os.O_RDONLY)
    os.open(f"/proc/self/fd/{file}", os.O_WRONLY | os.O_TRUNC)
elif verb == "exchange":
    number = 276 if arm else 316
    call(number, -100, args[0].encode(), -100, args[1].encode(), 2)
elif verb == "mmap":
    file = os.open(args[0], os.O_RDWR)
    mmap.mmap(file, 6)[0:1] = b"V"
elif verb == "memfd":
    file = os.memfd_create("x", 0)
    os.write(file, f"#!/bin/sh\necho x > {args[0]}\n".encode())
    os.execv(f"/proc/self/fd/{file}", ["x"])
elif verb == "fchmod":
    os.fchmod(os.open(args[0], os.O_RDONLY), 0o777)
elif verb == "fchmodat2":
    call(452, -100, args[0].encode(), 0o777, 0)
elif verb == "chroot-chmod":
    if os.getuid() != 0:
        user = os.getuid()
        os.unshare(os.CLONE_NEWUSER) if hasattr(os, "unshare") else libc.unshare(0x10000000)
    top = "/" + args[0].split("/")[1]
    os.chroot(top)
    os.chdir("/")
    os.chmod(args[0][len(top):], 0o777)
elif verb == "futimens":
    os.utime(os.open(args[0], os.O_RDONLY), (1000, 1000))
elif verb == "utimes":
    times = struct.pack("qqqq", 1000, 0, 1000, 0)
    if arm:
        os.utime(args[0], (1000, 1000))
    else:
        call(235, args[0].encode(), times)
elif verb == "setxattr":
    os.setxattr(args[0], "user.x", b"x")
elif verb == "getxattr":
    os.getxattr(args[0], "user.x")
elif verb == "serve-unix":
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(name(args[0]))
    listener.listen()
    if len(args) > 2:
        with open(args[2], "w") as file:
            file.write(args[0])
    serve(listener, args[1])
elif verb == "connect-unix":
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(name(args[0]))
elif verb == "swap-unix":
    # One thread connects to a name of its own while another writes the victim's path over it.
    mine = socket.socket(socket.AF_UNIX)
    mine.bind("\0mk-own-%d" % os.getpid())
    mine.listen(1000)
    harmless = struct.pack("H", 1) + b"\0mk-own-%d" % os.getpid()
    wanted = struct.pack("H", 1) + args[0].encode() + b"\0"
    size = max(len(harmless), len(wanted))
    buffer = ctypes.create_string_buffer(size)
    stop = False

    def swap():
        while not stop:
            ctypes.memmove(buffer, wanted, len(wanted))
            ctypes.memmove(buffer, harmless, len(harmless))

    sys.setswitchinterval(1e-5)
    threading.Thread(target=swap, daemon=True).start()
    for _ in range(3000):
        connection = socket.socket(socket.AF_UNIX)
        connection.setblocking(False)
        reached = libc.connect(connection.fileno(), buffer, len(wanted)) == 0
        if reached and connection.getpeername() == args[0]:
            break
        connection.close()
    stop = True
elif verb == "serve-dgram":
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    listener.bind(args[0])
    serve(listener, args[1])
elif verb in ("send-dgram", "send-pair"):
    if verb == "send-pair":
        sender, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    else:
        sender = socket.socket(socket.AF_UNIX, int(args[1]))
    sender.sendto(b"x", args[0])
elif verb == "serve-tcp":
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.setsockopt(6, 23, 5)
    listener.listen()
    with open(args[0], "w") as file:
        file.write(str(listener.getsockname()[1]))
    serve(listener, args[1])
elif verb == "ask":
    question = socket.socket(socket.AF_UNIX)
    question.connect(args[0])
    sys.exit(question.recv(10) != b"reached")
elif verb == "connect-tcp":
    tcp(args[0], args[1])
elif verb == "bind-then-connect":
    family = socket.AF_INET6 if ":" in args[0] else socket.AF_INET
    own = socket.socket(family)
    if family == socket.AF_INET6:
        own.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    own.bind((args[0], int(args[1])))
    own.listen()
    tcp("127.0.0.1", args[1])
elif verb == "datagram-then-connect":
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.bind(("127.0.0.1", int(args[0])))
    tcp("127.0.0.1", args[0])
elif verb == "connect-udp":
    name_server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    name_server.bind(("127.0.0.1", 0))
    asker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asker.connect(name_server.getsockname())
    asker.send(b"x")
    name_server.recv(1)
elif verb == "terminal":
    number = ctypes.c_int()
    libc.ioctl(int(args[0]), 0x40045431, ctypes.byref(ctypes.c_int(0)))
    libc.ioctl(int(args[0]), 0x80045430, ctypes.byref(number))
    print(f"/dev/pts/{number.value}")
elif verb == "swap-directory":
    # A file of our own and a stranger's have one name; a link on the way leads to one, then to the other.
    scratch = os.environ["TMPDIR"]
    own = "/tmp/" + args[0] + "-own"
    os.mkdir(own)
    links = [f"{scratch}/one".encode(), f"{scratch}/other".encode()]
    os.symlink(own, links[0])
    os.symlink("/tmp", links[1])
    stop = False

    def exchange():
        while not stop:
            libc.renameat2(-100, links[0], -100, links[1], 2)

    sys.setswitchinterval(1e-5)
    swapping = threading.Thread(target=exchange, daemon=True)
    swapping.start()
    for _ in range(1500):
        try:
            open(f"{own}/{args[0]}", "w").close()
            os.unlink(f"{scratch}/one/{args[0]}")
        except OSError:
            pass
    stop = True
    swapping.join()
    for path in (f"{own}/{args[0]}", own):
        if os.path.isdir(path):
            os.rmdir(path)
        elif os.path.exists(path):
            os.unlink(path)
elif verb == "netns-then-connect":
    if os.fork() == 0:
        libc.unshare(0x10000000 | 0x40000000)
        own = socket.socket()
        own.bind(("127.0.0.1", int(args[0])))
        os._exit(0)
    os.wait()
    tcp("127.0.0.1", args[0])
elif verb == "fast-open":
    sender = socket.socket()
    sender.sendto(b"x", 0x20000000, ("127.0.0.1", int(args[0])))
elif verb == "mptcp":
    tcp("127.0.0.1", args[0], socket.SOCK_STREAM, 262)
elif verb == "serve-udp":
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind(("127.0.0.1", 0))
    with open(args[0], "w") as file:
        file.write(str(listener.getsockname()[1]))
    serve(listener, args[1])
elif verb == "send-udp":
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", int(args[0])))
elif verb in ("poke", "peek"):
    with open(f"/proc/{args[0]}/maps") as maps:
        stack = next(line for line in maps if "[stack]" in line)
    at = int(stack.split("-")[0], 16)
    with open(f"/proc/{args[0]}/mem", "r+b" if verb == "poke" else "rb", buffering=0) as memory:
        memory.seek(at)
        if verb == "poke":
            memory.write(b"poked")
        else:
            sys.exit(memory.read(5) != b"poked")
elif verb == "steal":
    pidfd = os.pidfd_open(int(args[0]))
    file = call(438, pidfd, int(args[1]), 0)
    os.write(file, b"stolen\n")
elif verb == "ring":
    parameters = ctypes.create_string_buffer(120)
    call(425, 4, parameters)
else:
    sys.exit(f"unknown verb {verb}")
