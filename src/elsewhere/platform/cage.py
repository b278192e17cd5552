"""A cage for code that may have been taken over: it computes, and it uses the pipes that it has.

`close_cage` shuts the calling process in for good, on Linux. From then on it opens no file, for
reading or for writing, and creates, changes or removes none; it opens no socket, starts no program
and no process, and neither signals, traces nor reads another process. What it needs later (modules,
codecs, time zones) has to be loaded before.

Three walls, each used where the kernel has it:

no_new_privs  no program could gain rights by being started; the other two require it
Landlock      no path can be opened or changed; on newer kernels neither TCP nor signals
seccomp       only the system calls in `_ALLOWED`, and those in `_RESTRICTED` with their arguments

Capabilities are given up, so that the administrator's process cannot raise its own limits.

A refused call gets EPERM and the process goes on: libraries ask for small conveniences (the
processors, a locale) and do without them, so that a photo is not lost for it. Calls of 2019 and
later get ENOSYS, on which libc uses the older ones. Only a call by the numbers of another
architecture, which no library makes, ends the process.

Landlock binds the thread that calls and those that it starts later, so close the cage before
starting any.
"""

from __future__ import annotations

import os
import struct
import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Cage:
    """What holds in a process, tried out after it was set."""

    no_new_privileges: bool = False
    landlock: int = 0
    """The version of Landlock's interface; 0: none."""
    seccomp: bool = False


_ALLOWED = {
    # bytes through the pipes that are open
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66),
    "close": (3, 57), "fstat": (5, 80), "lseek": (8, 62),
    "poll": (7, None), "ppoll": (271, 73),
    # memory
    "mmap": (9, 222), "munmap": (11, 215), "mprotect": (10, 226), "mremap": (25, 216),
    "madvise": (28, 233), "brk": (12, 214),
    # threads; new ones are in `_RESTRICTED`
    "futex": (202, 98), "sched_yield": (24, 124), "sched_getaffinity": (204, 123),
    "getpid": (39, 172), "gettid": (186, 178), "getcpu": (309, 168),
    "set_robust_list": (273, 99), "rseq": (334, 293), "membarrier": (324, 283),
    # its own signals and its end
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132), "restart_syscall": (219, 128),
    "exit": (60, 93), "exit_group": (231, 94),
    # time, chance, what it has used and where it was started
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101), "gettimeofday": (96, 169), "time": (201, None),
    "getrandom": (318, 278), "getrusage": (98, 165), "getcwd": (79, 17),
}  # fmt: skip
"""System calls with their numbers on x86_64 and aarch64."""

_CLONE_THREAD = 0x0001_0000
_CLONE_NEW = 0x7E02_0000
"""New namespaces."""
_PR_SET_NAME = 15
_RESTRICTED = {
    "clone": (56, 220, 0, _CLONE_THREAD | _CLONE_NEW, _CLONE_THREAD),  # a thread, no process
    "prlimit64": (302, 261, 0, 0xFFFF_FFFF, 0),  # its own limits
    "prctl": (157, 167, 0, 0xFFFF_FFFF, _PR_SET_NAME),  # threads of decoders take names
}
"""Numbers as above, then: which argument, its bits that count, and the value they must have."""

_MACHINES = {"x86_64": (0, 0xC000_003E, 317, 110), "aarch64": (1, 0xC000_00B7, 277, 173)}
"""The column in the tables, the audit number, and the numbers of seccomp and getppid."""

# classic BPF
_LOAD, _AND, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER_OFFSET, _MACHINE_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
_ALLOW, _EPERM, _ENOSYS, _KILL = 0x7FFF_0000, 0x0005_0001, 0x0005_0026, 0x8000_0000
_FIRST_NEW = 424
"""From here on calls have the same number everywhere: pidfds, io_uring, clone3, openat2 …"""
_FIRST_X32 = 0x4000_0000


def build_filter(machine: str) -> bytes:
    """The seccomp filter for a machine: instructions of eight bytes."""
    column, audit_number, _, _ = _MACHINES[machine]
    steps = [
        (_LOAD, 0, 0, _MACHINE_OFFSET),
        (_IF_EQUAL, 1, 0, audit_number),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_OFFSET),
        (_IF_AT_LEAST, 0, 1, _FIRST_X32),
        (_RETURN, 0, 0, _KILL),
    ]
    for numbers in _ALLOWED.values():
        if (number := numbers[column]) is not None:
            steps += [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    for *both, argument, mask, value in _RESTRICTED.values():
        steps += [
            (_IF_EQUAL, 0, 5, both[column]),
            # the lower half of the argument: both machines are little-endian
            (_LOAD, 0, 0, _ARGUMENTS_OFFSET + 8 * argument),
            (_AND, 0, 0, mask),
            (_IF_EQUAL, 0, 1, value),
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _EPERM),
        ]
    steps += [
        (_IF_AT_LEAST, 0, 1, _FIRST_NEW),
        (_RETURN, 0, 0, _ENOSYS),
        (_RETURN, 0, 0, _EPERM),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


_PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION = 0x2008_0522
_SECCOMP_SET_MODE_FILTER, _SECCOMP_ALL_THREADS = 1, 1
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT, _LANDLOCK_VERSION = 444, 446, 1
_LANDLOCK_FILES = ((5, 16), (3, 15), (2, 14), (1, 13))
"""From which version on there are how many rights about files."""
_ALL_NETWORK, _ALL_SCOPES = 0b11, 0b11
"""Binding and connecting by TCP; abstract Unix sockets and signals."""


def close_cage() -> Cage:
    """Shut this process in, as far as the system can; what holds then."""
    if sys.platform != "linux":
        return Cage()
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long

    def call(number: int, *arguments: Any) -> int:
        words = [ctypes.c_long(part) if isinstance(part, int) else part for part in arguments]
        result: int = libc.syscall(ctypes.c_long(number), *words)
        return result

    libc.capset(struct.pack("=Ii", _CAPABILITY_VERSION, 0), bytes(24))
    zeros = [ctypes.c_ulong(0)] * 3
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), *zeros) != 0:
        return Cage()
    landlock = _close_landlock(call)
    seccomp = False
    machine = os.uname().machine
    if machine in _MACHINES and sys.maxsize > 2**32:
        *_, seccomp_number, getppid_number = _MACHINES[machine]
        instructions = build_filter(machine)
        text = ctypes.create_string_buffer(instructions, len(instructions))
        program = struct.pack("@HP", len(instructions) // 8, ctypes.addressof(text))
        call(seccomp_number, _SECCOMP_SET_MODE_FILTER, _SECCOMP_ALL_THREADS, program)
        seccomp = call(getppid_number) < 0  # it never fails but in the cage
    return Cage(no_new_privileges=True, landlock=landlock, seccomp=seccomp)


def _close_landlock(call: Any) -> int:
    """Forbid every path, with all the rights that this kernel's Landlock knows; its version."""
    version = call(_LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION)
    if version < 1:
        return 0
    files = next(count for first, count in _LANDLOCK_FILES if version >= first)
    words = [(1 << files) - 1]
    words += [_ALL_NETWORK] if version >= 4 else []
    words += [_ALL_SCOPES] if version >= 6 else []
    rights = struct.pack(f"={len(words)}Q", *words)
    ruleset = call(_LANDLOCK_CREATE, rights, len(rights), 0)
    if ruleset < 0:
        return 0
    call(_LANDLOCK_RESTRICT, ruleset, 0)
    os.close(ruleset)
    try:
        os.close(os.open("/", os.O_RDONLY))
    except PermissionError:
        return int(version)
    return 0
