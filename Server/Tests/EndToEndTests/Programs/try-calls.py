"""Makes a running process try what its sandbox forbids: try-calls.py core|network PID STATE FOLDER, as root, on x86-64.

Works like a debugger: stops the process, makes it execute one system call after the other with arguments chosen here, restores
its registers and memory, and lets it continue. FOLDER is an empty folder of the caller's. Prints a line for each call: "refused
NAME ERRNO" if it failed as a forbidden call does (EPERM, EACCES, ENOSYS), otherwise "passed NAME RESULT". A call that must work
has the line "works NAME" or "broken NAME ERRNO". The last line is "end".
"""

import ctypes
import errno
import os
import re
import signal
import struct
import subprocess
import sys

REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOSYS)
PTRACE_SINGLESTEP, PTRACE_GETREGS, PTRACE_SETREGS, PTRACE_ATTACH, PTRACE_DETACH = 9, 12, 13, 16, 17
WALL = 0x40000000
REGISTERS = "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs"

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


class Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in REGISTERS.split()]


class Process:
    """A stopped process that can be made to execute system calls."""

    def __init__(self, pid):
        self.pid = pid
        self.ask(PTRACE_ATTACH)
        os.waitpid(pid, WALL)
        self.before = self.registers()
        # Below the red zone of the stack; what is there is saved and put back.
        self.scratch = (self.before.rsp - 65536) & ~4095
        self.memory = os.open(f"/proc/{pid}/mem", os.O_RDWR)
        self.saved = os.pread(self.memory, 4096, self.scratch)
        self.instruction = self.find(b"\x0f\x05")
        self.old_instruction = self.find(b"\xcd\x80")

    def ask(self, request, data=None):
        if libc.ptrace(request, self.pid, None, data) != 0:
            raise OSError(ctypes.get_errno(), f"ptrace {request}")

    def registers(self):
        registers = Registers()
        self.ask(PTRACE_GETREGS, ctypes.addressof(registers))
        return registers

    def find(self, code):
        for line in open(f"/proc/{self.pid}/maps"):
            if match := re.match(r"(\w+)-(\w+) r-xp .*/libc[.-]", line):
                start, end = (int(part, 16) for part in match.groups())
                place = os.pread(self.memory, end - start, start).find(code)
                return start + place if place >= 0 else None
        return None

    def call(self, number, *arguments, instruction=None):
        """Makes a system call; an argument of bytes is written into the process's memory and passed as its address."""
        registers = Registers.from_buffer_copy(self.before)
        place, values = self.scratch, []
        for argument in arguments:
            if isinstance(argument, bytes):
                os.pwrite(self.memory, argument, place)
                values.append(place)
                place += (len(argument) + 63) & ~63
            else:
                values.append(argument & 0xFFFFFFFFFFFFFFFF)
        values += [0] * (6 - len(values))
        registers.rax, registers.orig_rax = number, 0xFFFFFFFFFFFFFFFF
        registers.rdi, registers.rsi, registers.rdx, registers.r10, registers.r8, registers.r9 = values
        registers.rip = instruction or self.instruction
        self.ask(PTRACE_SETREGS, ctypes.addressof(registers))
        self.ask(PTRACE_SINGLESTEP)
        signal.alarm(20)
        _, status = os.waitpid(self.pid, WALL)
        signal.alarm(0)
        if not os.WIFSTOPPED(status):
            raise SystemExit(f"the process ended in call {number}: status {status}")
        result = ctypes.c_longlong(self.registers().rax).value
        return ctypes.c_int(result).value if instruction else result

    def let_go(self):
        os.pwrite(self.memory, self.saved, self.scratch)
        self.ask(PTRACE_SETREGS, ctypes.addressof(self.before))
        self.ask(PTRACE_DETACH)


role, pid, state, folder = sys.argv[1], int(sys.argv[2]), os.fsencode(sys.argv[3]), os.fsencode(sys.argv[4])
core = role == "core"
victim = subprocess.Popen(["sleep", "600"])
mine = folder + b"/mine\0"
other = folder + b"/other\0"
os.close(os.open(mine[:-1], os.O_CREAT | os.O_WRONLY, 0o666))
os.chmod(folder, 0o777)
process = Process(pid)
HERE, READ, WRITE = -100, os.O_RDONLY, os.O_WRONLY | os.O_CREAT
address = struct.pack("H", 1) + b"/run/pam-uaf-nobody-listens\0"
vector = struct.pack("QQ", process.scratch, 8)
zeros = bytes(256)

calls = [
    ("socket AF_VSOCK", 41, 40, 1, 0),
    ("socket AF_PACKET", 41, 17, 3, 0),
    ("socket AF_ALG", 41, 38, 5, 0),
    ("socket AF_KEY", 41, 15, 3, 2),
    ("socket AF_BLUETOOTH", 41, 31, 3, 1),
    ("listen", 50, 3, 1),
    ("accept", 43, 3, 0, 0),
    ("accept4", 288, 3, 0, 0, 0),
    ("execve", 59, b"/bin/sh\0", 0, 0),
    ("execveat", 322, HERE, b"/bin/true\0", 0, 0, 0),
    ("clone", 56, signal.SIGCHLD, 0, 0, 0, 0),
    ("clone of a namespace", 56, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0),
    ("clone3", 435, struct.pack("11Q", *[0] * 4, signal.SIGCHLD, *[0] * 6), 88),
    ("fork", 57),
    ("vfork", 58),
    ("ptrace", 101, 0x4206, victim.pid, 0, 0),
    ("process_vm_readv", 310, victim.pid, vector, 1, vector, 1, 0),
    ("process_vm_writev", 311, victim.pid, vector, 1, vector, 1, 0),
    ("kcmp", 312, victim.pid, victim.pid, 0, 0, 0),
    ("kill", 62, victim.pid, 0),
    ("kill of the tracer", 62, os.getpid(), 0),
    ("tkill", 200, victim.pid, 0),
    ("tgkill", 234, victim.pid, victim.pid, 0),
    ("pidfd_open", 434, victim.pid, 0),
    ("pidfd_getfd", 438, 3, 0, 0),
    ("pidfd_send_signal", 424, 3, 0, 0, 0),
    ("rt_sigqueueinfo", 129, victim.pid, 10, zeros),
    ("open /etc/shadow", 2, b"/etc/shadow\0", READ, 0),
    ("open /root", 2, b"/root\0", os.O_DIRECTORY, 0),
    ("open /", 2, b"/\0", os.O_DIRECTORY, 0),
    ("openat of /etc", 257, HERE, b"/etc\0", os.O_DIRECTORY, 0),
    ("open /proc/1/environ", 2, b"/proc/1/environ\0", READ, 0),
    ("open /proc/self/mem", 2, b"/proc/self/mem\0", 2, 0),
    ("open of another's file", 2, mine, READ, 0),
    ("write to another's file", 2, mine, os.O_WRONLY, 0),
    ("making a file", 2, other, WRITE, 0o600),
    ("openat2", 437, HERE, mine, zeros, 24),
    ("creat", 85, other, 0o600),
    ("mkdir", 83, other, 0o700),
    ("mkdirat", 258, HERE, other, 0o700),
    ("rename", 82, mine, other),
    ("renameat2", 316, HERE, mine, HERE, other, 0),
    ("link", 86, mine, other),
    ("symlink", 88, mine, other),
    ("mknod", 133, other, 0o10600, 0),
    ("unlink", 87, mine),
    ("unlinkat", 263, HERE, mine, 0),
    ("rmdir", 84, folder + b"\0"),
    ("chmod", 90, mine, 0o777),
    ("chown", 92, mine, 1, 1),
    ("truncate", 76, mine, 0),
    ("setxattr", 188, mine, b"user.x\0", b"x", 1, 0),
    ("mount", 165, b"none\0", folder + b"\0", b"tmpfs\0", 0, 0),
    ("umount2", 166, b"/proc\0", 8),
    ("chroot", 161, b"/\0"),
    ("pivot_root", 155, b"/\0", b"/\0"),
    ("open_tree", 428, HERE, b"/\0", 1),
    ("fsopen", 430, b"tmpfs\0", 0),
    ("unshare user", 272, 0x10000000),
    ("unshare mount", 272, 0x00020000),
    ("unshare network", 272, 0x40000000),
    ("setns", 308, 3, 0),
    ("bpf", 321, 0, zeros, 64),
    ("perf_event_open", 298, zeros, 0, -1, -1, 0),
    ("io_uring_setup", 425, 1, zeros),
    ("io_uring_enter", 426, 3, 0, 0, 0, 0, 0),
    ("userfaultfd", 323, 1),
    ("keyctl", 250, 0, -3, 0),
    ("add_key", 248, b"user\0", b"x\0", b"x", 1, -3),
    ("request_key", 249, b"user\0", b"x\0", 0, -3),
    ("open_by_handle_at", 304, HERE, zeros, READ),
    ("name_to_handle_at", 303, HERE, mine, zeros, zeros, 0),
    ("memfd_create", 319, b"x\0", 0),
    ("init_module", 175, zeros, 0, b"\0"),
    ("kexec_load", 246, 0, 0, 0, 0),
    ("syslog", 103, 10, 0, 0),
    ("iopl", 172, 0),
    ("personality", 135, 0xFFFFFFFF),
    ("modify_ldt", 154, 0, zeros, 0),
    ("setuid", 105, 0),
    ("setresuid", 117, -1, -1, -1),
    ("setgroups", 116, 0, 0),
    ("capset", 126, zeros, 0),
    ("mmap of writable code", 9, 0, 4096, 7, 0x22, -1, 0),
    ("mmap of code without a file", 9, 0, 4096, 5, 0x22, -1, 0),
    ("mprotect to code", 10, process.scratch, 4096, 5),
    ("mprotect to writable code", 10, process.scratch, 4096, 7),
    ("pkey_mprotect", 329, process.scratch, 4096, 7, -1),
    ("remap_file_pages", 216, process.scratch, 4096, 0, 0, 0),
    ("prctl PR_SET_DUMPABLE", 157, 4, 1, 0, 0, 0),
    ("prctl PR_SET_PDEATHSIG", 157, 1, 0, 0, 0, 0),
    ("prctl PR_CAP_AMBIENT", 157, 47, 4, 0, 0, 0),
    ("prctl PR_SET_PTRACER", 157, 0x59616D61, -1, 0, 0, 0),
    ("seccomp", 317, 2, 0, zeros),
    ("shmget", 29, 0, 4096, 0o1600),
    ("mq_open", 240, b"x\0", WRITE, 0o600, 0),
    ("prlimit64 of its own", 302, 0, 4, struct.pack("QQ", 0, 0), 0),
    ("prlimit64 of another", 302, victim.pid, 4, 0, zeros),
    ("setrlimit", 160, 4, struct.pack("QQ", 0, 0)),
    ("ioctl TIOCSTI", 16, 0, 0x5412, b"x"),
    ("ioctl FS_IOC_GETFLAGS", 16, 3, 0x80086601, zeros),
    ("a call no kernel has", 999),
    ("getpid by the numbers of x32", 0x40000000 + 39),
]
if core:
    calls += [
        ("socket AF_INET", 41, 2, 1, 0),
        ("socket AF_INET6", 41, 10, 2, 0),
        ("socket AF_UNIX", 41, 1, 1, 0),
        ("socket AF_NETLINK", 41, 16, 3, 0),
        ("socketpair", 53, 1, 1, 0, zeros),
        ("connect", 42, 3, address, len(address)),
        ("bind", 49, 3, address, len(address)),
        ("sendto an address", 44, 3, b"x", 1, 0, address, len(address)),
        ("sendmsg", 46, 3, zeros, 0),
        ("sendmmsg", 307, 3, zeros, 1, 0),
        ("clone of a thread", 56, 0x50F00, 0, 0, 0, 0),
        ("prctl PR_SET_NAME", 157, 15, b"x\0", 0, 0, 0),
        ("open /etc/hosts", 2, b"/etc/hosts\0", READ, 0),
        ("mmap of a file's code", 9, 0, 4096, 5, 2, 3, 0),
    ]
else:
    calls += [
        ("open of the device key", 2, state + b"/device.key\0", READ, 0),
        ("open of the state", 2, state + b"\0", os.O_DIRECTORY, 0),
        ("open of an account", 2, state + b"/accounts/4242.db\0", os.O_RDWR, 0),
        ("open /etc/passwd", 2, b"/etc/passwd\0", READ, 0),
        ("open /tmp", 2, b"/tmp\0", os.O_DIRECTORY, 0),
        ("open /usr/bin/env", 2, b"/usr/bin/env\0", READ, 0),
        ("writing /etc/hosts", 2, b"/etc/hosts\0", os.O_WRONLY, 0),
        ("flock", 73, 3, 1),
        ("fsync", 74, 3),
    ]
needed: list[tuple] = [
    ("getpid", 39),
    ("clock_gettime", 228, 0, zeros),
    ("getrandom", 318, zeros, 16, 0),
    ("munmap", 11, 0x10000, 4096),
]
if core:
    needed += [
        ("open of the device key", 2, state + b"/device.key\0", READ, 0),
        ("making a file of the state", 2, state + b"/try-calls\0", WRITE, 0o600),
        ("renaming it", 82, state + b"/try-calls\0", state + b"/tried-calls\0"),
        ("removing it", 87, state + b"/tried-calls\0"),
    ]
else:
    needed += [
        ("socket AF_INET", 41, 2, 1, 0),
        ("socket AF_NETLINK", 41, 16, 3, 0),
        ("open /etc/hosts", 2, b"/etc/hosts\0", READ, 0),
        ("open of a library", 2, b"/lib/x86_64-linux-gnu/libc.so.6\0", READ, 0),
    ]


def audit_sockets(process):
    """The descriptors of a process that are sockets to the kernel's audit. /proc lists no such socket before its first use."""

    def option(descriptor, number):
        result = process.call(55, descriptor, 1, number, bytes(4), struct.pack("=I", 4))
        return struct.unpack("=i", os.pread(process.memory, 4, process.scratch))[0] if result == 0 else None

    descriptors = map(int, os.listdir(f"/proc/{process.pid}/fd"))
    return [one for one in descriptors if (option(one, 39), option(one, 38)) == (16, 9)]  # SO_DOMAIN, SO_PROTOCOL


def ask_audit(process, descriptor):
    """Makes the process ask the audit for its state (AUDIT_GET); returns the error number of the reply, or 0."""
    question = struct.pack("=IHHII", 16, 1000, 5, 1, 0)
    result = process.call(44, descriptor, question, len(question), 0x40, 0, 0)
    if result < 0:
        return -result
    count = process.call(45, descriptor, bytes(512), 512, 0x40, 0, 0)
    answer = os.pread(process.memory, max(0, count), process.scratch)
    return -struct.unpack_from("=i", answer, 16)[0] if struct.unpack_from("=H", answer, 4)[0] == 2 else 0


def name(result):
    return errno.errorcode.get(-result, str(result))


try:
    for label, number, *arguments in needed:
        result = process.call(number, *arguments)
        print(f"works {label}" if result >= 0 else f"broken {label} {name(result)}", flush=True)
    for label, number, *arguments in calls:
        result = process.call(number, *arguments)
        print("refused" if -result in REFUSALS else "passed", label, name(result), flush=True)
    for descriptor in audit_sockets(process) if core else ():
        # A process that may read the state of the audit could also switch the audit off.
        answer = ask_audit(process, descriptor)
        print("refused" if answer in REFUSALS else "passed", "control of the audit", name(-answer), flush=True)
    if process.old_instruction:
        result = process.call(20, instruction=process.old_instruction)
        print("refused" if -result in REFUSALS else "passed", "getpid by the numbers of i386", name(result), flush=True)
    process.let_go()
finally:
    victim.kill()
print("end")
