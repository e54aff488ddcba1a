"""A login that is killed, or in which one system call fails, at each step."""

import dataclasses
import functools

from attack import faillock, faults
from lab.table import baseline, must, row

KILL = "signal=KILL"
# The errors of a call when the disk is full or broken, memory is short, or a resource is in use.
ERRORS = {
    "pwrite64": ("ENOSPC", "EIO"),
    "write": ("ENOSPC", "EIO"),
    "ftruncate": ("ENOSPC", "EIO"),
    "fsync": ("EIO", "ENOSPC"),
    "fdatasync": ("EIO", "ENOSPC"),
    "read": ("EIO", "EINTR"),
    "pread64": ("EIO", "EINTR"),
    "lseek": ("EIO",),
    "mmap": ("ENOMEM",),
    "brk": ("ENOMEM",),
    "mprotect": ("ENOMEM",),
    "mremap": ("ENOMEM",),
    "munmap": ("ENOMEM",),
    "mlock": ("ENOMEM", "EPERM"),
    "madvise": ("EINVAL",),
    "open": ("EMFILE", "EACCES"),
    "openat": ("EMFILE", "EACCES", "ENOSPC"),
    "close": ("EIO", "EINTR"),
    "fcntl": ("EAGAIN", "ENOLCK", "EINTR"),
    "flock": ("EAGAIN", "ENOLCK", "EINTR"),
    "poll": ("EINTR", "ENOMEM"),
    "recvmsg": ("EINTR", "ENOMEM", "EAGAIN"),
    "sendto": ("EINTR", "EAGAIN", "ENOBUFS"),
    "socket": ("EMFILE",),
    "socketpair": ("EMFILE",),
    "connect": ("EAGAIN",),
    "clone": ("EAGAIN",),
    "clone3": ("EAGAIN",),
    "vfork": ("EAGAIN",),
    "wait4": ("EINTR", "ECHILD"),
    "getrandom": ("ENOSYS",),
    "prctl": ("EINVAL",),
    "prlimit64": ("EPERM",),
    "setrlimit": ("EPERM",),
}
OTHERS = ("EIO",)


@dataclasses.dataclass(frozen=True)
class Fault:
    side: str  # core or host
    right: bool  # whether the right value is typed
    call: str
    number: int
    what: str  # strace's

    def __str__(self):
        value = "right" if self.right else "wrong"
        return f"{self.what} in call {self.number} of {self.call} of the {self.side}, {value} value"


def plan(lab, core, effects, counts):
    """The faults to try: `counts` for the core and for the host, or all. `effects` gives the errors of a call."""
    person = lab.person()
    jobs = []
    for side, count in counts.items():
        for right in (False, True):
            found, since = faults.learn(core, person, person.passcode if right else "wrong-guess", side)
            picked = found if lab.thorough else faults.sample(found, count // 2, since)
            for place, (call, number, _) in enumerate(picked):
                kinds = effects(call)
                # A sample alternates between the errors of one call, so that each occurs.
                chosen = kinds if lab.thorough else (kinds[place % len(kinds)],)
                jobs += [Fault(side, right, call, number, kind) for kind in chosen]
    return jobs


def suffer(lab, core, person, fault):
    """Runs one login with the fault and checks what must be true whatever its result. Returns the Run."""
    before = 5
    if fault.right:
        # One wrong guess first, so that a count taken back differs from no count.
        lab.login(person, "wrong-guess")
        before = 4
    mark = lab.log.mark()
    value = person.passcode if fault.right else "wrong-guess"
    options = f"-e trace=all -e inject={fault.call}:{fault.what}:when={fault.number}"
    run = core.attempt(person, value, **{fault.side: options}, before=before)
    faults.judge(run, fault.right, str(fault))
    # A host that cannot wait kills strace with the core, sometimes before strace has logged what was sent.
    word = run.said_yes or (fault.side == "host" and "0" in lab.verdicts(mark, person))
    must(word or not run.login.is_in, f"{fault}: let in without the whole word of the core")
    after = lab.login(person, person.passcode)
    must(after.is_in, f"{fault}: afterwards the right value is refused: {after}")
    return run


def told(jobs, runs):
    reached = [(job, run) for job, run in zip(jobs, runs) if run.reached]
    return (
        f"{len(reached)} points: {sum(run.after < run.before for _, run in reached)} counted, "
        f"{sum(not run.looked for _, run in reached)} never looked at, "
        f"{sum(job.right and run.after == 5 for job, run in reached)} found right and taken back, "
        f"{sum(run.login.is_in for _, run in reached)} let in, all with the right value; the next login always worked"
    )


def everywhere(lab, effects, counts):
    core = faults.Core(lab)
    jobs = plan(lab, core, effects, counts)
    runs = faults.everywhere(lab, jobs, functools.partial(suffer, lab, core))
    must(sum(run.reached for run in runs) * 2 > len(runs), "most faults did not happen: a login is not what was learnt")
    return told(jobs, runs)


@row(
    "A2",
    "kill -9 of the core and of the host at each step of a login",
    "counted, or never checked; no success without the core's complete message; the next login works",
    causes=("a local user", "the machine"),
)
def killed(lab):
    return everywhere(lab, lambda call: (KILL,), {"core": 48, "host": 16})


@baseline("A2")
def killed_baseline(lab):
    """Kills the host at the point where pam_faillock would count: the user who started the host may do that."""
    faillock.install(lab)
    person = lab.person(registered=False)
    trace = "/tmp/faillock.trace"
    faillock.login(person, "wrong-guess", prefix=["strace", "-o", trace])
    with open(trace, encoding="utf-8", errors="replace") as lines:
        opens = [line for line in lines if line.startswith("openat(")]
    # Once for preauth, once for authfail, which runs when the password is wrong.
    starts = [number for number, line in enumerate(opens, 1) if "/faillock.conf" in line]
    must(len(starts) == 2, f"the calls of pam_faillock are not as they were: {starts}")
    lab.run("faillock", "--user", person.name, "--reset")
    inject = f"inject=openat:signal=KILL:when={starts[1]}"
    for _ in range(5):
        faillock.login(person, "wrong-guess", prefix=["strace", "-o", trace, "-e", inject])
    counted = faillock.count(lab, person)
    is_in = faillock.login(person, person.password).is_in
    return counted == 5, f"5 wrong guesses, {counted} counted, and the right one then " + ("got in" if is_in else "was refused")


def lying_disk(lab):
    """Writes that are reported as done but never happen: the check below must notice them, or it is worthless."""
    run = faults.Core(lab).attempt(lab.person(), "wrong-guess", core="-e inject=pwrite64:retval=4096")
    must(run.looked and run.after == run.before, "the harness does not notice a disk that lies")
    return "a disk that lies about its writes is noticed"


@row(
    "A42",
    "one system call fails: full disk, broken disk, no memory, locks held, interruptions",
    "refused and counted, or never checked; a wrong value never gets in; the next login works",
    causes=("the machine",),
)
def failing_calls(lab):
    noticed = lying_disk(lab)
    seen = everywhere(lab, lambda call: tuple(f"error={name}" for name in ERRORS.get(call, OTHERS)), {"core": 72, "host": 16})
    return f"{seen}; {noticed}"
