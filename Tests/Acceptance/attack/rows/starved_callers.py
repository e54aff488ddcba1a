"""A caller who starves the module, the core or their resources, so that something other than the passcode decides."""

import collections
import concurrent.futures
import contextlib
import itertools
import pathlib
import secrets
import subprocess

from attack.disks import Memory
from attack.rows.freezing import setuid_host
from lab import hosts, profile
from lab.listener import serve
from lab.machine import CONFIGURATION, PROGRAMS
from lab.table import must, row

AT_ONCE = 40
# The output of the shell after a successful login.
INSIDE = "is-inside"
# A lock refuses before the later steps are reached, so it is short, and there are several people.
LOCK, PEOPLE = "retry_count_to_lock = 10\nlock_time = 1\nmax_lock_count = 10", 8
KIB, MIB = 1024, 1024 * 1024

# The values of each limit: from one with which a host cannot even start to one with which everything works.
LIMITS = {
    "data": [number * KIB for number in (256, 384, 432, 448, 480, 512, 544, 560, 576, 592, 640, 768)],
    "as": [number * 128 * KIB for number in range(20, 72)],
    "nofile": list(range(3, 43)),
    "fsize": [0, 1, 4 * KIB, 64 * KIB, MIB, 16 * MIB],
    "stack": [number * 16 * KIB for number in range(2, 42)],
    "nproc": [0, 1, 2, 5],
    "memlock": [0, 4 * KIB, 64 * KIB],
    "cpu": [1],
    "sigpending": [0],
}
SHAPES = ("instead", "fallback", "second-factor")


def cheap_passwords(lab, people):
    """Passwords whose check needs no memory: with Debian's own hash (yescrypt, 16 MiB) a limit on memory stops it, too."""
    lab.run("chpasswd", "--crypt-method", "SHA512", answers="".join(f"{person.name}:{person.password}\n" for person in people))


def limits(lab, count):
    """The command prefixes that limit a caller: `count` values of each limit, as soft and as hard limits."""

    def some(values):
        if lab.thorough or len(values) <= count:
            return values
        return [values[number * (len(values) - 1) // (count - 1)] for number in range(count)]

    return [
        ["prlimit", f"--{limit}={value}{kind}"]
        for limit, values in LIMITS.items()
        for value in some(values)
        for kind in ("", ":")
    ]


def asked(command, person, answer, prefix=()):
    """Has a person start a program and give one answer to every prompt; returns the program's output."""
    return subprocess.run(
        [*prefix, *command],
        input=f"{answer}\n" * 4,
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        user=person.uid,
        group=person.uid,
        extra_groups=[],
        cwd="/",
        timeout=90,
        check=False,
    ).stdout


def su(caller, target, answer, prefix=()):
    return asked(["su", target.name, "-c", f"echo {INSIDE}"], caller, answer, prefix)


def sudo(person, answer, prefix=()):
    return asked(["sudo", "-S", "sh", "-c", f"echo {INSIDE}"], person, answer, prefix)


def small(service, target, answer, prefix=()):
    """Root's small host, which does not delay after a failure."""
    login = hosts.login(service, target.name, "\n".join([answer] * 4), prefix=prefix)
    return login.text + (f" {INSIDE} " if login.is_in else "")


class Sweep:
    """Attempts with the password alone; none may succeed."""

    def __init__(self):
        self.seen, self.inside = collections.Counter(), []

    def run(self, what, attempt, jobs):
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for job, text in zip(jobs, pool.map(attempt, jobs)):
                is_in = INSIDE in text.split()
                self.inside += [f"{what} {' '.join(map(str, job[1:] if job[:1] == ['prlimit'] else job))}"] if is_in else []
                self.seen[f"{what}: {'passcode asked' if 'asscode' in text else 'refused before'}"] += 1

    def must_hold(self):
        count = sum(self.seen.values())
        must(not self.inside, f"the password alone let in {len(self.inside)} times of {count}: {', '.join(self.inside)}")


@contextlib.contextmanager
def one_process():
    """A cgroup in which nothing can be started: the shell command that enters it, or None if there is no such cgroup."""
    folder = next(
        (
            root / f"attack-{secrets.token_hex(8)}"
            for root in map(pathlib.Path, ("/sys/fs/cgroup/pids", "/sys/fs/cgroup"))
            if (root / "cgroup.procs").exists()
        ),
        None,
    )
    if folder is None:
        yield None
        return
    made = False
    try:
        with contextlib.suppress(OSError):
            folder.mkdir()
            made = True
            (folder / "pids.max").write_text("1")
            yield f'echo 0 >{folder}/cgroup.procs && exec "$@"'
            return
        yield None
    finally:
        if made:
            folder.rmdir()


def controls(lab, caller, target):
    """Without limits: the passcode logs in, the password does not; root's own mistake leaves the password usable."""
    must(INSIDE in su(caller, target, target.passcode).split(), "without limits the passcode does not let in")
    must(INSIDE not in su(caller, target, target.password).split(), "without limits the password alone lets in")
    new = lab.person(registered=False)
    must(INSIDE in su(caller, new, new.password).split(), "somebody who never registered does not get in")
    text = CONFIGURATION.read_text()
    CONFIGURATION.write_text("nonsense\n" + text)
    must(INSIDE in su(caller, target, target.password).split(), "with root's configuration broken nobody gets in")
    CONFIGURATION.write_text(text + "[service.su]\nhide_state = true\n")
    must(INSIDE not in su(caller, target, target.password).split(), "with hidden states the password alone lets in")
    must(INSIDE in su(caller, target, target.passcode).split(), "with hidden states the passcode does not let in")
    CONFIGURATION.write_text(text)
    # Root does this here; any user could do it if fs.protected_hardlinks is 0.
    second = CONFIGURATION.with_name("second")
    second.hardlink_to(CONFIGURATION)
    must(
        INSIDE not in su(caller, target, target.password).split(), "with a second name of the configuration the password lets in"
    )
    second.unlink()


@row(
    "A44",
    "a caller starves the module by limits, a cgroup, signals or a full disk, and has only the password",
    "nobody gets in without the passcode in any shipped stack; after root's own mistake the password still works",
    causes=("a local user",),
)
def starved(lab):
    lab.configure(lock=LOCK)
    caller, *targets = [lab.person() for _ in range(PEOPLE + 1)]
    cheap_passwords(lab, targets)
    turns = itertools.cycle(targets)
    lab.stack("common-auth", *profile.common_auth())
    lab.stack("profiled", "@include common-auth")
    controls(lab, caller, targets[0])
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    sweep, password = Sweep(), caller.password
    sweep.run("su", lambda job: su(caller, next(turns), password, job), limits(lab, 4))
    sweep.run("host of root's", lambda job: small("profiled", next(turns), password, job), limits(lab, 6))
    sweep.run("sudo", lambda job: sudo(next(turns), password, job), limits(lab, 2))
    sweep.run(
        "su, no signals",
        lambda job: su(caller, next(turns), password, job),
        [["env", "--ignore-signal"], ["env", "--block-signal"]],
    )
    with one_process() as enter:
        if enter:
            sweep.run(
                "su, pids.max=1",
                lambda job: (
                    lab.run(
                        *job,
                        "setpriv",
                        f"--reuid={caller.uid}",
                        f"--regid={caller.uid}",
                        "--clear-groups",
                        "su",
                        next(turns).name,
                        "-c",
                        f"echo {INSIDE}",
                        answers=f"{password}\n" * 4,
                        check=False,
                    ).stdout
                ),
                [["sh", "-c", enter, "sh"]],
            )
    for shape in SHAPES:
        lines = pathlib.Path(hosts.STACKS, shape, "su").read_text().splitlines()
        # The password's own stack is pam_unix's, after or before these lines.
        lab.stack("common-auth", *profile.plain())
        lab.stack(f"starved-{shape}", *(line for line in lines if line.startswith(("auth", "@include common-auth"))))
        sweep.run(shape, lambda job: small(f"starved-{shape}", next(turns), password, job), limits(lab, 2)[::2])
    lab.stack("common-auth", *profile.common_auth())
    disk = Memory(lab, "4m")
    with contextlib.suppress(OSError), open("/var/lib/pam-uaf/filler", "wb") as filler:
        while True:
            filler.write(b"x" * 4096)
            filler.flush()
    sweep.run("su, full disk", lambda _: su(caller, next(turns), password), [[], []])
    disk.remove()
    sweep.must_hold()
    return f"{sum(sweep.seen.values())} attempts with the password, 0 in: " + ", ".join(
        f"{what} {count}" for what, count in sorted(sweep.seen.items())
    )


@row(
    "A61",
    "polkit's helper and a screen locker under the person's own limits, with only the password",
    "not let in without the passcode; somebody who never registered still unlocks with the password",
    causes=("a local user", "the person"),
)
def other_hosts(lab):
    lab.configure(lock=LOCK)
    people = [lab.person() for _ in range(4)]
    cheap_passwords(lab, people)
    turns, password = itertools.cycle(people), people[0].password
    lab.stack("common-auth", *profile.common_auth())
    lab.stack("polkit-1", "@include common-auth", "@include common-account")
    lab.stack("locker", "@include common-auth")
    helper, locker = setuid_host(lab), "/usr/local/bin/locker"
    lab.compile(PROGRAMS / "locker.c", locker)

    def polkit(person, answer, prefix=()):
        text = asked([helper, "/etc/pam.d", "polkit-1", person.name], person, answer, prefix)
        return text.replace("result 0\n", f" {INSIDE} ")

    def unlock(person, answer, prefix=()):
        status = subprocess.run(
            [*prefix, locker, "locker", person.name],
            input=answer + "\n",
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            user=person.uid,
            group=person.uid,
            extra_groups=[],
            cwd="/",
            timeout=90,
            check=False,
        )
        return status.stdout + (f" {INSIDE} " if status.returncode == 0 else "")

    serve(lab)
    new = lab.person(registered=False)
    for what, host in (("polkit", polkit), ("locker", unlock)):
        must(INSIDE in host(people[0], people[0].passcode).split(), f"{what}: the passcode does not let in")
        must(INSIDE in host(new, new.password).split(), f"{what}: somebody who never registered does not get in")
    sweep = Sweep()
    sweep.run("polkit", lambda job: polkit(next(turns), password, job), limits(lab, 4))
    sweep.run("locker", lambda job: unlock(next(turns), password, job), limits(lab, 4))
    sweep.must_hold()
    return f"{sum(sweep.seen.values())} attempts with the password, 0 in: " + ", ".join(
        f"{what} {count}" for what, count in sorted(sweep.seen.items())
    )
