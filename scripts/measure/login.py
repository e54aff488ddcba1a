"""The login path through libpam, of our module and of others, interleaved: `bench.py login`.

Each login is a process of its own, as with sudo: Tests/Bench/pam-login has the conversation, answers immediately and measures the
times. Everything happens in a separate mount namespace: the machine keeps its /run, passwd and shadow.
"""

import ctypes
import os
import pathlib
import platform
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time

from measure import doors, plot
from measure.derivation import DerivationTime

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = ROOT / "build/bench"
SOCKET = pathlib.Path("/run/pam-uaf/helper.sock")
# The files that /etc has in the namespace in addition to the machine's own.
OVERLAY = pathlib.Path("/run/bench-etc")
SUBREAPER, NEW_MOUNTS, PRIVATE = 36, 0x20000, 1 << 18 | 1 << 14
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
COLUMNS = ("first prompt", "answer to verdict", "whole", "less scrypt", "processor")
NOTES = (
    "A person who answers at once; the whole is from pam_start. Processor: of the host and all that was started for it.",
    "'again' is the same build and account a second time: what its ratio differs from 1 by is noise.",
    "Memory: proportional, of the host and what was started for it, at the first prompt; the listener itself is left out.",
    "The derivation is timed inside the core, by a library that is loaded into every program here.",
    "pam_u2f is left out: it asks a device, and an assertion without a touch needs one too.",
    "pam_yubico speaks HTTP without TLS to a validation server of this program's own, whose time is not in 'processor'.",
)


def private_mounts(files, preloaded):
    """A namespace in which /run is empty, and /etc has these files instead of its own and loads a library into every program."""
    libc = ctypes.CDLL(None, use_errno=True)

    def check(result):
        if result != 0:
            sys.exit(f"bench: no mount namespace can be made here: {os.strerror(ctypes.get_errno())}")

    def mount(source, target, kind, flags, options=None):
        check(libc.mount(source, target, kind, ctypes.c_ulong(flags), options))

    check(libc.unshare(NEW_MOUNTS))
    mount(b"none", b"/", None, PRIVATE)
    mount(b"run", b"/run", b"tmpfs", 0)
    upper, work = OVERLAY / "upper", OVERLAY / "work"
    for made in (OVERLAY, upper, work):
        made.mkdir()
    # It becomes /etc, which programs without root privileges read too.
    upper.chmod(0o755)
    for file in files:
        shutil.copy(file, upper)
    # The list reads a path with a space as two.
    library = shutil.copy(preloaded, OVERLAY)
    (upper / "ld.so.preload").write_text(f"{library}\n")
    mount(b"overlay", b"/etc", b"overlay", 0, f"lowerdir=/etc,upperdir={upper},workdir={work}".encode())
    # Once a core is gone, the processes that it started become our children, so their processor time is known.
    check(libc.prctl(SUBREAPER, ctypes.c_ulong(1), 0, 0, 0))
    return library


class Listener:
    """Plays systemd: holds the socket, and starts the listener at the first connection."""

    def __init__(self, helper):
        SOCKET.parent.mkdir(mode=0o755)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.bind(str(SOCKET))
        SOCKET.chmod(0o666)
        self.socket.listen(128)
        # The listener ends after 20 minutes without a connection, and is started by the next one as here.
        self._command = [helper, "--listen"]
        self.process: subprocess.Popen[bytes] | None = None

    def awake(self):
        """Starts it unless it runs."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                self._command, env=ENVIRONMENT, pass_fds=(3,), preexec_fn=lambda: os.dup2(self.socket.fileno(), 3)
            )
            time.sleep(0.2)

    def number(self):
        assert self.process
        return self.process.pid

    def processor(self):
        """Milliseconds of the cores that have ended, in ticks of 10 ms: a mean over many logins is right, one value is not."""
        # The listener checks every 100 ms which cores have ended.
        time.sleep(0.25)
        fields = pathlib.Path(f"/proc/{self.number()}/stat").read_text().rpartition(")")[2].split()
        return sum(int(field) for field in fields[11:15]) * 1000 / os.sysconf("SC_CLK_TCK")

    def end(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
        self.socket.close()


class Door:
    """One stack of PAM, and how its login went each time."""

    def __init__(self, folder, name, module, arguments, answer, derived=None, listener=None):
        self.name, self.answer, self.derived, self.listener = name, answer, derived, listener
        self.folder = folder / f"stack-{name.replace(' ', '-').replace('/', '-').replace('^', '')}"
        self.folder.mkdir()
        if isinstance(module, pathlib.Path):
            # libpam reads a path with a space as two words, so a link is used.
            link = self.folder / "module.so"
            link.symlink_to(module)
            module = link
        (self.folder / "bench").write_text(f"auth required {module} {arguments}\naccount required pam_permit.so\n")
        self.samples, self.memory, self.resident = [], [], 0

    def command(self, *options):
        return [BUILT / "pam-login", *options, self.folder, "bench", "root", self.answer()]

    def login(self, environment):
        """One login; its times go to the samples, in milliseconds."""
        if self.listener:
            self.listener.awake()
        before = self.listener.processor() if self.listener else 0
        if self.derived:
            self.derived.take()
        done = subprocess.run(self.command(), env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"bench: {self.name}: the login was refused: {done.stderr.strip()}")
        first, verdict, whole, user, system, resident = (float(number) for number in done.stdout.split())
        processor = (user + system) / 1000
        if self.listener:
            processor += self.listener.processor() - before + adopted()
        derived = self.derived.take() if self.derived else 0
        if self.derived and derived == 0:
            sys.exit(f"bench: {self.name}: no derivation was timed: the library that times it was not loaded")
        self.samples.append((first / 1000, verdict / 1000, whole / 1000, whole / 1000 - derived, processor))
        self.resident = max(self.resident, int(resident))

    def look(self, environment):
        """Memory at the first prompt, in KiB, if it has one."""
        if self.listener:
            self.listener.awake()
        held = subprocess.Popen(self.command("-h"), env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert held.stdout and held.stdin
        if held.stdout.readline() == "prompt\n":
            of = descendants(held.pid)
            if self.listener:
                of += descendants(self.listener.number())[1:]
            self.memory.append(sum(proportional(process) for process in of))
            held.stdin.write("\n")
        held.communicate()
        adopted()

    def medians(self):
        return [statistics.median(column) for column in zip(*self.samples)]


def adopted():
    """Processor milliseconds of the processes that cores left to us and that have ended."""
    used, deadline = 0.0, time.monotonic() + 1
    while time.monotonic() < deadline:
        try:
            process, _, usage = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            break
        if process == 0:
            # The listener and the server stay; an orphan ends within a moment.
            if not any(name.startswith("uaf-fetch") for name in names_of_children()):
                break
            time.sleep(0.005)
        used += (usage.ru_utime + usage.ru_stime) * 1000
    return used


def processes():
    """number, parent and name of every process."""
    for entry in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = entry.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        yield int(entry.parent.name), int(rest.split()[1]), name


def names_of_children():
    return [name for _, parent, name in processes() if parent == os.getpid()]


def descendants(process):
    """The process and everything below it."""
    found, table = [process], list(processes())
    for parent in found:
        found += [number for number, above, _ in table if above == parent]
    return found


def proportional(process):
    """PSS in KiB: what several processes share is divided among them."""
    try:
        lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def ours(folder, register, module, reached, listener, passcode, derived):
    """Our module at three costs, started by itself and through the socket; the first one twice."""
    configurations = {cost: register(cost) for cost in (16, 14, 10)}

    def door(name, cost, program, through=None):
        return Door(folder, name, program, f"conf={configurations[cost]}", lambda: passcode, derived, through)

    return [
        door("ours 2^16", 16, module),
        door("ours 2^16 again", 16, module),
        door("ours 2^14", 14, module),
        door("ours 2^10", 10, module),
        door("ours 2^16, socket", 16, reached, listener),
        door("ours 2^10, socket", 10, reached, listener),
    ]


def page(all_doors, rounds):
    """The results as text: median, quartiles, and the ratio to the first row as the median over the rounds."""
    reference = all_doors[0]
    lines = [
        f"logins through libpam, {rounds} rounds in a drawn order, milliseconds: median (quartiles) and ratio to the first row",
        f"{platform.platform()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end",
    ]
    lines.append(f"{'':<26}" + "".join(f"{name:>30}" for name in COLUMNS) + f"{'memory MiB':>12}")
    for door in all_doors:
        cells = ""
        for own, base in zip(zip(*door.samples), zip(*reference.samples)):
            low, middle, high = statistics.quantiles(own, n=4)
            ratio = statistics.median(a / b for a, b in zip(own, base))
            cells += f"{f'{middle:.1f} ({low:.1f}-{high:.1f}) x{ratio:.2f}':>30}"
        memory = f"{statistics.median(door.memory) / 1024:.1f}" if door.memory else "-"
        lines.append(f"{door.name:<26}{cells}{memory:>12}")
    return "\n".join([*lines, "", *NOTES, ""])


def compile_c(source, name, *options):
    """Builds one file of Tests/Bench into build/bench."""
    command = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", ROOT / "Tests/Bench" / source, *options, "-o", BUILT / name]
    subprocess.run(command, check=True)


def measure(folder, rounds, register, modules, helper, passcode):
    """Measures, prints the page, and leaves it with two plots in build/bench.

    `register(cost)` registers root and returns the path of the configuration; `modules` are the one that starts the core by
    itself and the one that reaches it over the socket.
    """
    BUILT.mkdir(parents=True, exist_ok=True)
    compile_c("pam-login/pam-login.c", "pam-login", "-lpam")
    compile_c("scrypt-time/scrypt-time.c", "scrypt-time.so", "-shared", "-fPIC")
    root = doors.unpack(BUILT / "others")
    derived = DerivationTime(private_mounts(doors.passwords(folder / "passwords"), BUILT / "scrypt-time.so"))
    environment = {**ENVIRONMENT, "LD_LIBRARY_PATH": str(doors.libraries(root))}
    rounds = max(rounds, 2)  # The least that has quartiles.
    listener = Listener(helper)
    try:
        everything = ours(folder, register, modules[0], modules[1], listener, passcode, derived)
        count = len(everything)
        everything += [Door(folder, *stack) for stack in doors.stacks(folder, root)]
        environments = [ENVIRONMENT if number < count else environment for number in range(len(everything))]
        for number in range(rounds + 1):
            for door, own in random.sample(list(zip(everything, environments)), len(everything)):
                door.login(own)
                if number < 3:
                    door.look(own)
            if number == 0:
                # The first round fills the caches.
                for door in everything:
                    door.samples.clear()
    finally:
        listener.end()
    text = page(everything, rounds)
    print(text)
    (BUILT / "login.txt").write_text(text)
    for title, column in (("first prompt", 0), ("whole login", 2)):
        bars = [(door.name, *statistics.quantiles(list(zip(*door.samples))[column], n=4)) for door in everything]
        (BUILT / f"{title.replace(' ', '-')}.svg").write_text(plot.bars(f"{title}, milliseconds: median and quartiles", bars))
