"""An escape artist: what code that has taken over a worker could try, one attempt at a time.

An attempt that is refused raises OSError. The variable ESCAPE_WALLS opens walls of the cage of the
worker that runs this module, to see that the attempts succeed without them.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import resource
import signal
import socket
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from elsewhere.album import worker
from elsewhere.album.worker import read, warm_up
from elsewhere.platform import cage

__all__ = ["ATTEMPTS", "CREATED", "SECRET", "act", "read", "warm_up"]

SECRET = b"only this process knows"
CREATED = "created"
"""What an attempt creates in the folder, if it can."""

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
MACHINE = os.uname().machine
NUMBERS = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "rt_sigqueueinfo": (129, 138),
    "mount": (165, 40),
    "unshare": (272, 97),
    "setns": (308, 268),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "keyctl": (250, 219),
    "userfaultfd": (323, 282),
    "chroot": (161, 51),
    "clone": (56, 220),
    "tkill": (200, 130),
    "vmsplice": (278, 75),
    "shmget": (29, 194),
    "shmctl": (31, 195),
    "msgget": (68, 186),
    "msgctl": (71, 187),
    "inotify_init1": (294, 26),
    "prctl": (157, 167),
    "personality": (135, 92),
    "pidfd_send_signal": (424, 424),
    "io_uring_setup": (425, 425),
    "pidfd_open": (434, 434),
    "clone3": (435, 435),
    "openat2": (437, 437),
    "pidfd_getfd": (438, 438),
}

walls = os.environ.get("ESCAPE_WALLS", "all")
if walls != "all":
    sys.modules["resource"] = None  # type: ignore[assignment]
if walls == "none":
    vars(worker)["close_cage"] = cage.Cage
if walls == "landlock":
    cage._MACHINES.clear()
if walls == "seccomp":
    vars(cage)["_close_landlock"] = lambda call, *, reading: 0
if walls == "limits":
    sys.modules["resource"] = resource
    vars(worker)["close_cage"] = cage.Cage


def call(name: str, *arguments: object) -> int:
    """A system call; numbers are passed as long ones."""
    number = NUMBERS[name][MACHINE == "aarch64"]
    words = [ctypes.c_long(part) if isinstance(part, int) else part for part in arguments]
    result: int = libc.syscall(ctypes.c_long(number), *words)
    if result == -1:
        raise OSError(ctypes.get_errno(), name)
    return result


Request = dict[str, Any]
ATTEMPTS: dict[str, Callable[[Request], object]] = {}


def attempt(action: Callable[[Request], object]) -> Callable[[Request], object]:
    ATTEMPTS[action.__name__] = action
    return action


def act(request: Request) -> tuple[dict[str, Any], list[bytes]]:
    try:
        result = ATTEMPTS[request["do"]](request)
    except OSError as problem:
        return {"errno": problem.errno}, []
    return {"done": result if isinstance(result, str | int) else True}, []


def list_variables(request: Request) -> tuple[dict[str, Any], list[bytes]]:
    """What the environment has."""
    return {"names": sorted(os.environ)}, []


def list_descriptors(request: Request) -> tuple[dict[str, Any], list[bytes]]:
    """What is open, by what the cage allows."""
    return {"kinds": sorted(kind for _, kind in descriptors())}, []


def descriptors() -> list[tuple[int, str]]:
    """The open descriptors: pipes, /dev/null, or something of some length."""
    found = []
    for descriptor in range(1024):
        try:
            end = os.lseek(descriptor, 0, os.SEEK_END)
            found.append((descriptor, "a file" if end else "null"))
        except OSError as problem:
            if problem.errno == errno.ESPIPE:
                found.append((descriptor, "pipe"))
    return found


def pipes() -> list[int]:
    """The pipes from and to the parent."""
    return [descriptor for descriptor, kind in descriptors() if kind == "pipe"]


def new(request: Request) -> Path:
    return Path(request["folder"], CREATED)


def existing(request: Request) -> Path:
    return Path(request["folder"], "existing")


# files


@attempt
def create_file(request: Request) -> None:
    new(request).touch()


@attempt
def write_file(request: Request) -> None:
    descriptor = os.open(new(request), os.O_WRONLY | os.O_CREAT)
    if os.write(descriptor, b"taken over") < 1:
        raise OSError


@attempt
def overwrite_file(request: Request) -> None:
    descriptor = os.open(existing(request), os.O_WRONLY)
    os.write(descriptor, b"taken over")


@attempt
def truncate_file(request: Request) -> None:
    os.truncate(existing(request), 3)


@attempt
def truncate_by_opening(request: Request) -> None:
    os.open(existing(request), os.O_RDONLY | os.O_TRUNC)


@attempt
def map_over_file(request: Request) -> None:
    descriptor = os.open(existing(request), os.O_RDWR)
    mmap.mmap(descriptor, 0)[:5] = b"taken"


@attempt
def open_in_the_newer_way(request: Request) -> None:
    how = (ctypes.c_uint64 * 3)(os.O_WRONLY | os.O_CREAT, 0o600, 0)
    call("openat2", -100, os.fsencode(new(request)), ctypes.byref(how), 24)


@attempt
def create_nameless_file(request: Request) -> None:
    os.open(request["folder"], os.O_RDWR | os.O_TMPFILE)


@attempt
def create_file_in_memory(request: Request) -> None:
    os.memfd_create("taken")


@attempt
def make_folder(request: Request) -> None:
    new(request).mkdir()


@attempt
def make_symbolic_link(request: Request) -> None:
    new(request).symlink_to("some text")


@attempt
def make_hard_link(request: Request) -> None:
    os.link(existing(request), new(request))


@attempt
def make_pipe_in_folder(request: Request) -> None:
    os.mkfifo(new(request))


@attempt
def rename_file(request: Request) -> None:
    existing(request).rename(new(request))


@attempt
def remove_file(request: Request) -> None:
    existing(request).unlink()


@attempt
def remove_folder(request: Request) -> None:
    Path(request["folder"], "empty").rmdir()


@attempt
def change_mode(request: Request) -> None:
    existing(request).chmod(0o777)


@attempt
def change_owner(request: Request) -> None:
    os.chown(existing(request), os.getuid(), os.getgid())


@attempt
def change_times(request: Request) -> None:
    os.utime(existing(request), (0, 0))


@attempt
def set_attribute(request: Request) -> None:
    os.setxattr(existing(request), "user.taken", b"over")


@attempt
def read_file(request: Request) -> None:
    existing(request).read_bytes()


@attempt
def list_folder(request: Request) -> None:
    list(Path(request["folder"]).iterdir())


@attempt
def see_whether_file_exists(request: Request) -> None:
    existing(request).stat()


@attempt
def change_folder(request: Request) -> None:
    os.chdir(request["folder"])


# sockets


@attempt
def connect_by_tcp(request: Request) -> None:
    with socket.socket() as client:
        client.connect(("127.0.0.1", request["tcp"]))
        client.sendall(b"taken")


@attempt
def listen_by_tcp(request: Request) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))


@attempt
def send_by_udp(request: Request) -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as client:
        client.sendto(b"taken", ("127.0.0.1", request["tcp"]))


@attempt
def connect_to_unix_socket(request: Request) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(request["unix"])


@attempt
def bind_abstract_unix_socket(request: Request) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0elsewhere-{os.getpid()}")


@attempt
def make_socket_pair(request: Request) -> None:
    for end in socket.socketpair():
        end.close()


@attempt
def ask_the_kernel(request: Request) -> None:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()


# programs and processes


@attempt
def start_program(request: Request) -> None:
    command = ["/bin/sh", "-c", f"echo > '{new(request)}'"]
    os.waitpid(os.posix_spawn("/bin/sh", command, {}), 0)


@attempt
def become_program(request: Request) -> None:
    with suppress(OSError):  # the parent ends a worker whose pipes are closed
        for descriptor in range(3, 10):
            os.set_inheritable(descriptor, True)
    os.execv("/bin/sh", ["/bin/sh", "-c", f"echo > '{new(request)}'"])


@attempt
def fork_process(request: Request) -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


@attempt
def fork_in_the_newer_way(request: Request) -> None:
    arguments = (ctypes.c_uint64 * 8)(0, 0, 0, 0, signal.SIGCHLD)
    child = call("clone3", ctypes.byref(arguments), 64)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


@attempt
def clone_into_namespace(request: Request) -> None:
    new_user = 0x1000_0000
    child = call("clone", new_user | signal.SIGCHLD, None, None, None, None)
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


@attempt
def signal_parent(request: Request) -> None:
    os.kill(os.getppid(), signal.SIGURG)  # which is ignored


@attempt
def kill_process(request: Request) -> None:
    os.kill(request["victim"], signal.SIGKILL)


@attempt
def kill_process_group(request: Request) -> None:
    os.killpg(request["victim"], signal.SIGKILL)


@attempt
def kill_by_queue(request: Request) -> None:
    info = (ctypes.c_int * 32)(signal.SIGKILL, 0, -1)
    call("rt_sigqueueinfo", request["victim"], int(signal.SIGKILL), ctypes.byref(info))


@attempt
def kill_by_descriptor(request: Request) -> None:
    descriptor = call("pidfd_open", request["victim"], 0)
    call("pidfd_send_signal", descriptor, int(signal.SIGKILL), None, 0)


@attempt
def signal_own_group(request: Request) -> None:
    """The parent and the other workers are in it."""
    os.kill(0, signal.SIGURG)


@attempt
def signal_thread(request: Request) -> None:
    call("tkill", os.getppid(), int(signal.SIGURG))


@attempt
def ask_of_a_pipe(request: Request) -> None:
    """The call by which text is typed into a terminal."""
    fcntl.ioctl(pipes()[0], termios.FIONREAD, b"    ")


@attempt
def give_pages_to_a_pipe(request: Request) -> None:
    call("vmsplice", pipes()[-1], None, 0, 0)


@attempt
def copy_descriptor(request: Request) -> None:
    os.close(os.dup(0))


@attempt
def share_memory(request: Request) -> None:
    create_private, remove = 0o1600, 0
    call("shmctl", call("shmget", 0, 4096, create_private), remove, None)


@attempt
def send_message(request: Request) -> None:
    create_private, remove = 0o1600, 0
    call("msgctl", call("msgget", 0, create_private), remove, None)


@attempt
def watch_folder(request: Request) -> None:
    os.close(call("inotify_init1", 0))


@attempt
def leave_group(request: Request) -> None:
    """Then whoever ends the group of the program misses it."""
    os.setpgid(0, 0)


@attempt
def be_traced_by_anybody(request: Request) -> None:
    set_dumpable = 4
    call("prctl", set_dumpable, 1, 0, 0, 0)


@attempt
def run_older_programs(request: Request) -> None:
    """Memory that may be read may then be executed."""
    call("personality", call("personality", 0xFFFFFFFF))


@attempt
def signal_by_owning_a_pipe(request: Request) -> None:
    """The pipe from the parent sends a signal of choice to its owner whenever bytes arrive."""
    fcntl.fcntl(0, fcntl.F_SETOWN, request["victim"])
    set_signal = 10
    fcntl.fcntl(0, set_signal, signal.SIGKILL)


@attempt
def limit_parent(request: Request) -> None:
    parent = os.getppid()
    resource.prlimit(parent, resource.RLIMIT_CORE, resource.prlimit(parent, resource.RLIMIT_CORE))


@attempt
def raise_own_limit(request: Request) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft + 1, hard + 1))
    except ValueError:  # Python's word for EPERM
        raise PermissionError from None


@attempt
def slow_process_down(request: Request) -> None:
    os.setpriority(os.PRIO_PROCESS, request["victim"], 19)


@attempt
def move_process_to_one_core(request: Request) -> None:
    os.sched_setaffinity(request["victim"], os.sched_getaffinity(0))


@attempt
def read_memory(request: Request) -> str:
    return vectored("process_vm_readv", request, ctypes.create_string_buffer(len(SECRET))).decode()


@attempt
def write_memory(request: Request) -> None:
    vectored("process_vm_writev", request, ctypes.create_string_buffer(SECRET, len(SECRET)))


def vectored(name: str, request: Request, buffer: ctypes.Array[ctypes.c_char]) -> bytes:
    here = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), len(SECRET))
    there = (ctypes.c_void_p * 2)(request["address"], len(SECRET))
    call(name, request["victim"], ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    return buffer.raw


@attempt
def read_memory_by_file(request: Request) -> str:
    descriptor = os.open(f"/proc/{request['victim']}/mem", os.O_RDONLY)
    return os.pread(descriptor, len(SECRET), request["address"]).decode()


@attempt
def read_environment(request: Request) -> None:
    Path(f"/proc/{os.getppid()}/environ").read_bytes()


@attempt
def trace_process(request: Request) -> None:
    attach, detach = 16, 17
    call("ptrace", attach, request["victim"], None, None)
    os.waitpid(request["victim"], 0)
    call("ptrace", detach, request["victim"], None, None)


@attempt
def take_descriptor(request: Request) -> None:
    call("pidfd_getfd", call("pidfd_open", request["victim"], 0), 0, 0)


# the kernel


@attempt
def mount_folder(request: Request) -> None:
    folder = os.fsencode(Path(request["folder"], "empty"))
    call("mount", b"none", folder, b"tmpfs", 0, None)
    libc.umount(folder)


@attempt
def load_bpf(request: Request) -> None:
    array_map = (ctypes.c_uint32 * 16)(2, 4, 4, 1)
    os.close(call("bpf", 0, ctypes.byref(array_map), 64))


@attempt
def watch_events(request: Request) -> None:
    software_clock = (ctypes.c_uint32 * 32)(1, 128)
    os.close(call("perf_event_open", ctypes.byref(software_clock), 0, -1, -1, 0))


@attempt
def use_io_uring(request: Request) -> None:
    os.close(call("io_uring_setup", 1, ctypes.byref((ctypes.c_uint32 * 30)())))


@attempt
def use_keys(request: Request) -> None:
    session_keyring = -3
    call("keyctl", 0, session_keyring, 0, 0, 0)


@attempt
def handle_page_faults(request: Request) -> None:
    os.close(call("userfaultfd", 0))


@attempt
def call_as_32_bit_program(request: Request) -> None:
    """Numbers of another architecture mean other calls: 20 is getpid on i386, writev on x86_64."""
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20; int 0x80; ret
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    if function() != os.getpid():
        raise OSError


# last, as the worker stays changed


@attempt
def leave_namespace(request: Request) -> None:
    new_user = 0x1000_0000
    call("unshare", new_user)


@attempt
def change_root(request: Request) -> None:
    call("chroot", b"/")
