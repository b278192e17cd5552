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

A program of others (`become_caged`) is shut in more loosely, as it has to open what it is made of:
it may read files and start programs, which are in the cage too. It writes no file, opens no socket,
touches no other process and does not leave its group of processes. Its processor time and its
memory are limited.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn


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

_FORBIDDEN = {
    "socket": (41, 198), "ptrace": (101, 117), "userfaultfd": (323, 282),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "bpf": (321, 280),
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "perf_event_open": (298, 241), "setsid": (112, 157), "setpgid": (109, 154),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "chroot": (161, 51),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "semget": (64, 190), "semop": (65, 193), "semtimedop": (220, 192), "semctl": (66, 191),
    "mq_open": (240, 180), "mq_unlink": (241, 181),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53),
    "chown": (92, None), "lchown": (94, None), "fchown": (93, 55), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "setpriority": (141, 140), "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119), "sched_setparam": (142, 118), "sched_setattr": (314, 274),
    "ioprio_set": (251, 30), "migrate_pages": (256, 238), "move_pages": (279, 239),
}  # fmt: skip
"""System calls that a program of others may not make, as above."""
_RESTRICTED_READING = {
    "clone": (56, 220, 0, _CLONE_NEW, 0),  # a process, in no namespace of its own
    "prlimit64": _RESTRICTED["prlimit64"],
}
"""Its system calls that depend on an argument, as above."""

_MACHINES = {"x86_64": (0, 0xC000_003E, 317, 110), "aarch64": (1, 0xC000_00B7, 277, 173)}
"""The column in the tables, the audit number, and the numbers of seccomp and getppid."""

# classic BPF
_LOAD, _AND, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER_OFFSET, _MACHINE_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
_ALLOW, _EPERM, _ENOSYS, _KILL = 0x7FFF_0000, 0x0005_0001, 0x0005_0026, 0x8000_0000
_FIRST_NEW = 424
"""From here on calls have the same number everywhere: pidfds, io_uring, clone3, openat2 …"""
_FIRST_X32 = 0x4000_0000


def build_filter(machine: str, *, reading: bool = False) -> bytes:
    """The seccomp filter for a machine: instructions of eight bytes.

    The one for `reading` forbids some calls instead of allowing some.
    """
    column, audit_number, _, _ = _MACHINES[machine]
    steps = [
        (_LOAD, 0, 0, _MACHINE_OFFSET),
        (_IF_EQUAL, 1, 0, audit_number),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_OFFSET),
        (_IF_AT_LEAST, 0, 1, _FIRST_X32),
        (_RETURN, 0, 0, _KILL),
    ]
    listed, found = (_FORBIDDEN, _EPERM) if reading else (_ALLOWED, _ALLOW)
    for numbers in listed.values():
        if (number := numbers[column]) is not None:
            steps += [(_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, found)]
    for *both, argument, mask, value in (_RESTRICTED_READING if reading else _RESTRICTED).values():
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
        (_RETURN, 0, 0, _ALLOW if reading else _EPERM),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


_PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION = 0x2008_0522
_SECCOMP_SET_MODE_FILTER, _SECCOMP_ALL_THREADS = 1, 1
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT, _LANDLOCK_VERSION = 444, 445, 446, 1
_LANDLOCK_READING, _LANDLOCK_WRITING, _LANDLOCK_BENEATH = 0b1101, 0b10, 1
"""The rights to execute, to read a file and a folder; to write a file; a rule about a path."""
_LANDLOCK_FILES = ((5, 16), (3, 15), (2, 14), (1, 13))
"""From which version on there are how many rights about files."""
_ALL_NETWORK, _ALL_SCOPES = 0b11, 0b11
"""Binding and connecting by TCP; abstract Unix sockets and signals."""


def close_cage(*, reading: bool = False) -> Cage:
    """Shut this process in, as far as the system can; what holds then.

    With `reading` it may read files and start programs; what holds then is not tried out.
    """
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
    landlock = _close_landlock(call, reading=reading)
    seccomp = False
    machine = os.uname().machine
    if machine in _MACHINES and sys.maxsize > 2**32:
        *_, seccomp_number, getppid_number = _MACHINES[machine]
        instructions = build_filter(machine, reading=reading)
        text = ctypes.create_string_buffer(instructions, len(instructions))
        program = struct.pack("@HP", len(instructions) // 8, ctypes.addressof(text))
        call(seccomp_number, _SECCOMP_SET_MODE_FILTER, _SECCOMP_ALL_THREADS, program)
        seccomp = call(getppid_number) < 0  # it never fails but in the cage
    return Cage(no_new_privileges=True, landlock=landlock, seccomp=seccomp)


_PROGRAM_SECONDS, _PROGRAM_BYTES = 30, 2 << 30
"""Processor time and memory of a program of others, each process of it by itself."""


def become_caged(command: Sequence[str]) -> NoReturn:
    """Become a program of others that may read files and use the pipes that it has, and no more."""
    try:
        import resource
    except ImportError:  # Windows
        pass
    else:
        limits = {
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_FSIZE: 0,
            resource.RLIMIT_CPU: _PROGRAM_SECONDS,
            resource.RLIMIT_AS: _PROGRAM_BYTES,
        }
        for limit, value in limits.items():
            with suppress(OSError, ValueError):  # it is lower already
                resource.setrlimit(limit, (value, value))
    close_cage(reading=True)
    os.execv(command[0], list(command))


def _close_landlock(call: Any, *, reading: bool = False) -> int:
    """Forbid every path, with all the rights that this kernel's Landlock knows; its version.

    With `reading`, only those that change something, but for /dev/null.
    """
    version = call(_LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION)
    if version < 1:
        return 0
    files = next(count for first, count in _LANDLOCK_FILES if version >= first)
    words = [(1 << files) - 1 & ~(_LANDLOCK_READING if reading else 0)]
    words += [_ALL_NETWORK] if version >= 4 else []
    words += [_ALL_SCOPES] if version >= 6 else []
    rights = struct.pack(f"={len(words)}Q", *words)
    ruleset = call(_LANDLOCK_CREATE, rights, len(rights), 0)
    if ruleset < 0:
        return 0
    if reading:
        null = os.open(os.devnull, os.O_PATH)
        call(
            _LANDLOCK_ADD,
            ruleset,
            _LANDLOCK_BENEATH,
            struct.pack("=Qi", _LANDLOCK_WRITING, null),
            0,
        )
        os.close(null)
    call(_LANDLOCK_RESTRICT, ruleset, 0)
    os.close(ruleset)
    try:
        os.close(os.open("/", os.O_RDONLY))
    except PermissionError:
        return int(version)
    return 0
