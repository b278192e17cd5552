"""The filter of system calls, run by a small interpreter for both processors."""

from __future__ import annotations

import struct
import sys

import pytest

from elsewhere.platform.cage import Cage, build_filter, close_cage

ALLOW, EPERM, ENOSYS, KILL = "allow", "EPERM", "ENOSYS", "kill"
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7, "i386": 0x40000003, "arm": 0x40000028}
# Numbers from the kernel's own tables (asm/unistd_64.h and asm-generic/unistd.h).
NUMBERS = {
    "read": (0, 63), "write": (1, 64), "mmap": (9, 222), "futex": (202, 98),
    "exit_group": (231, 94), "getrandom": (318, 278), "clock_nanosleep": (230, 115),
    "openat": (257, 56), "newfstatat": (262, 79), "unlinkat": (263, 35), "mkdirat": (258, 34),
    "symlinkat": (266, 36), "linkat": (265, 37), "renameat2": (316, 276), "fchmodat": (268, 53),
    "fchmod": (91, 52), "fchownat": (260, 54), "truncate": (76, 45), "ftruncate": (77, 46),
    "utimensat": (280, 88), "fsetxattr": (190, 7), "mknodat": (259, 33), "chdir": (80, 49),
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "socketpair": (53, 199),
    "sendmsg": (46, 211), "sendto": (44, 206), "execve": (59, 221), "execveat": (322, 281),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "fcntl": (72, 25), "ioctl": (16, 29), "mount": (165, 40), "unshare": (272, 97),
    "setns": (308, 268), "chroot": (161, 51), "bpf": (321, 280), "keyctl": (250, 219),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "memfd_create": (319, 279),
    "setuid": (105, 146), "setpriority": (141, 140), "sched_setaffinity": (203, 122),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "seccomp": (317, 277),
    "kexec_load": (246, 104), "init_module": (175, 105), "shmget": (29, 194), "dup": (32, 23),
    "clone": (56, 220), "prlimit64": (302, 261), "prctl": (157, 167),
}  # fmt: skip
ALLOWED = ("read", "write", "mmap", "futex", "exit_group", "getrandom", "clock_nanosleep")
NEW = {
    "pidfd_send_signal": 424, "io_uring_setup": 425, "open_tree": 428, "pidfd_open": 434,
    "clone3": 435, "openat2": 437, "pidfd_getfd": 438, "process_madvise": 440,
    "landlock_create_ruleset": 444, "memfd_secret": 447, "fchmodat2": 452, "later": 999,
}  # fmt: skip
MACHINES = ("x86_64", "aarch64")
THREAD = 0x3D0F00
"""The flags with which glibc starts a thread."""


def run(machine: str, number: int, *arguments: int, audit: int = 0, reading: bool = False) -> str:
    """What the filter says of a call."""
    padded = (arguments + (0,) * 6)[:6]
    data = struct.pack("<IIQ6Q", number, audit or AUDIT[machine], 0, *padded)
    steps = list(struct.iter_unpack("<HBBI", build_filter(machine, reading=reading)))
    value = at = 0
    while True:
        code, true_offset, false_offset, operand = steps[at]
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("<I", data, operand)
        elif code == 0x54:
            value &= operand
        elif code in (0x15, 0x35):
            is_true = value == operand if code == 0x15 else value >= operand
            at += true_offset if is_true else false_offset
        else:
            assert code == 0x06
            results = {0x7FFF0000: ALLOW, 0x50001: EPERM, 0x50026: ENOSYS, 0x80000000: KILL}
            return results[operand]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", NUMBERS)
def test_only_what_decoding_needs_is_allowed(machine: str, name: str) -> None:
    number = NUMBERS[name][MACHINES.index(machine)]
    arguments = (2**64 - 1,) * 6  # for calls whose arguments matter, none that is allowed
    assert run(machine, number, *arguments) == (ALLOW if name in ALLOWED else EPERM)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_list_is_short(machine: str) -> None:
    numbers = [number for number in range(1200) if run(machine, number, 1 << 40) == ALLOW]
    assert len(numbers) <= 45


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", NEW)
def test_newer_calls_seem_not_to_exist(machine: str, name: str) -> None:
    assert run(machine, NEW[name]) == ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_threads_but_no_processes(machine: str) -> None:
    number = NUMBERS["clone"][MACHINES.index(machine)]
    assert run(machine, number, THREAD) == ALLOW
    assert run(machine, number, THREAD | 0x400000) == ALLOW  # musl's
    for flags in (0, 17, 0x4111, 0x4000 | 0x100 | 17, THREAD & ~0x10000):
        assert run(machine, number, flags) == EPERM
    for namespace in (0x20000, *(1 << bit for bit in range(25, 31))):
        assert run(machine, number, THREAD | namespace) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_limits_of_its_own_and_names_of_threads_only(machine: str) -> None:
    column = MACHINES.index(machine)
    assert run(machine, NUMBERS["prlimit64"][column], 0) == ALLOW
    assert run(machine, NUMBERS["prlimit64"][column], 1) == EPERM
    assert run(machine, NUMBERS["prctl"][column], 15) == ALLOW
    for option in (1, 4, 22, 38, 0x59616D61):
        assert run(machine, NUMBERS["prctl"][column], option) == EPERM


FORBIDDEN = {
    "socket": (41, 198), "ptrace": (101, 117), "kill": (62, 129), "tgkill": (234, 131),
    "utimensat": (280, 88), "futimesat": (261, None), "fchmodat": (268, 53),
    "sched_setattr": (314, 274), "sched_setparam": (142, 118), "sched_setscheduler": (144, 119),
    "migrate_pages": (256, 238), "move_pages": (279, 239), "shmctl": (31, 195),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "unshare": (272, 97), "setns": (308, 268),
    "setsid": (112, 157), "setpgid": (109, 154),
}  # fmt: skip


@pytest.mark.parametrize("machine", MACHINES)
def test_a_program_of_others_may_read_and_start_programs_only(machine: str) -> None:
    column = MACHINES.index(machine)
    for numbers in FORBIDDEN.values():
        if (number := numbers[column]) is not None:
            assert run(machine, number, reading=True) == EPERM
    for name in ("read", "openat", "execve", "fcntl"):
        assert run(machine, NUMBERS[name][column], reading=True) == ALLOW
    clone = NUMBERS["clone"][column]
    for flags in (17, 0x4111, THREAD):  # fork, vfork, a thread
        assert run(machine, clone, flags, reading=True) == ALLOW
        for namespace in (0x20000, *(1 << bit for bit in range(25, 31))):
            assert run(machine, clone, flags | namespace, reading=True) == EPERM
    assert run(machine, NEW["clone3"], reading=True) == ENOSYS
    assert run(machine, NUMBERS["prlimit64"][column], 1, reading=True) == EPERM


def test_calls_of_another_processor_end_the_process() -> None:
    assert run("x86_64", 1, audit=AUDIT["i386"]) == KILL
    assert run("aarch64", 63, audit=AUDIT["arm"]) == KILL
    assert run("x86_64", 0x40000000) == KILL
    assert run("x86_64", 0xFFFFFFFF) == KILL


def test_elsewhere_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert close_cage() == Cage(no_new_privileges=False, landlock=0, seccomp=False)
