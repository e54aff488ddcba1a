"""What a login inherits from its starter: limits, descriptors, signals, timers."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import time

from attack import counting, faillock
from lab import hosts
from lab.machine import ROOT
from lab.table import baseline, must, row

LIMITS = {
    "file size 0": ["--fsize=0"],
    "1 s of processor": ["--cpu=1"],
    "60 MB of addresses": ["--as=60000000"],
    "3 descriptors": ["--nofile=3"],
    "20 descriptors": ["--nofile=20"],
    "64 KiB of stack": ["--stack=65536"],
    "1 process": ["--nproc=1"],
}
TROUBLES = {
    "0 closed": ["close=0"],
    "1 closed": ["close=1"],
    "2 closed": ["close=2"],
    "0, 1 and 2 closed": ["close=0,1,2"],
    "500 descriptors leaked": ["leak"],
    "SIGCHLD ignored": ["sigchld"],
    "every signal ignored": ["ignored"],
    "every signal blocked": ["blocked"],
    "a timer each 2 ms": ["timer"],
    "a timer that kills": ["timer-kills"],
    "its folder gone, umask 0": ["folder"],
    "all of it": ["close=0,1,2", "leak", "ignored", "blocked", "folder"],
}


def su(person, limits, value):
    """Starts su from the person's shell to their own account, under limits that they chose. Returns whether it logged in."""
    reported = "is-inside"
    result = subprocess.run(
        ["prlimit", *limits, "su", person.name, "-c", f"echo {reported}"],
        input=value + "\n",
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        user=person.uid,
        group=person.uid,
        extra_groups=[],
        cwd="/",
        check=False,
    )
    return result.returncode == 0 or reported in result.stdout.split(), result.stdout


def under_su(lab, person, limits):
    """Simultaneous guesses by su, a few more than there are tries, then the right value."""
    mark = lab.log.mark()
    with concurrent.futures.ThreadPoolExecutor(counting.LIMIT + 2) as pool:
        wrong = list(pool.map(lambda number: su(person, limits, f"wrong-{number}"), range(counting.LIMIT + 2)))
    must(not any(is_in for is_in, _ in wrong), f"a wrong value got in: {wrong}")
    looked = lab.verdicts(mark, person).count(hosts.WRONG)
    left = lab.status(person)["authenticators"][0]["remainingTries"]
    must(looked <= counting.LIMIT - left, f"{looked} guesses were looked at, and {left} tries are left")
    is_in, text = su(person, limits, person.passcode)
    must(not is_in or looked < counting.LIMIT, "the right value got in past the limit")
    if looked == counting.LIMIT:
        return f"{looked} counted and then locked"
    must(looked == 0, f"{looked} of {counting.LIMIT} guesses were looked at: {wrong}")
    must(is_in or {text} == {said for _, said in wrong}, f"the right value is told apart: {text!r}, not {wrong}")
    return "none looked at, right and wrong refused alike"


def hard(lab, person, limits):
    """From root's host under hard limits: the login raises them if root is allowed to, and is refused otherwise."""
    return counting.counts_or_refuses(lab, person, prefix=["prlimit", *limits])


def soft(lab, person, limits):
    """From root's host under soft limits, which every process may raise again: every login that can start works as usual."""
    prefix = ["prlimit", *(f"{limit}:" for limit in limits if "nofile" not in limit)]
    return counting.counts(lab, person, prefix=prefix) if len(prefix) > 1 else "not tried"


def hard_without(lab, person, limits):
    """From root's host without the privilege to raise limits."""
    prefix = ["setpriv", "--bounding-set=-sys_resource", "--inh-caps=-sys_resource", "prlimit", *limits]
    return counting.counts_or_refuses(lab, person, prefix=prefix)


HOSTS = {
    "su": under_su,
    "host of root's": hard,
    "without the right to raise": hard_without,
    "soft limit": soft,
}


def may_raise():
    """Whether root of this machine may raise limits (CAP_SYS_RESOURCE); in a container it often may not."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.partition("CapEff:")[2].split()[0], 16) >> 24 & 1 == 1


@row(
    "A8",
    "limits of the caller: file size, processor, memory, descriptors, stack, processes",
    "the limit is raised, or the login is refused; nothing is uncounted, and a refused right value cannot be "
    "distinguished from a wrong one",
    causes=("a local user",),
)
def limits(lab):
    lab.stack("su", "auth required pam_uaf.so", "account required pam_permit.so", "session required pam_permit.so")
    ways = {name: attempt for name, attempt in HOSTS.items() if may_raise() or attempt is not hard_without}
    jobs = [(limit, way, lab.person()) for limit in LIMITS for way in ways]

    def attempt(job):
        limit, way, person = job
        try:
            return ways[way](lab, person, LIMITS[limit])
        except Exception as reason:
            reason.args = (f"{limit}, {way}: {reason}",)
            raise

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        ends = list(pool.map(attempt, jobs))
    told = {}
    for (limit, way, _), end in zip(jobs, ends):
        told.setdefault(end, []).append(f"{limit} ({way})")
    return "; ".join(f"{end}: {', '.join(names)}" for end, names in told.items()) + (
        "" if may_raise() else "; root of this machine may not raise limits"
    )


@baseline("A8")
def limits_baseline(lab):
    faillock.install(lab)
    person = lab.person(registered=False)
    prefix = ["prlimit", "--fsize=0"]
    # Without a handler the write kills the host, and a killed host has counted nothing either.
    for number in range(20):
        faillock.login(person, f"wrong-guess-{number}", prefix=prefix)
    counted = faillock.count(lab, person)
    is_in = faillock.login(person, person.password).is_in
    return not is_in, f"file size 0: 20 wrong guesses, {counted} counted, and the right one then " + (
        "got in" if is_in else "was refused"
    )


def core_of(host):
    """Waits for the core that a host starts, and returns it."""
    deadline = time.monotonic() + 10
    while host.poll() is None and time.monotonic() < deadline:
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                fields = (process / "stat").read_text().rpartition(")")[2].split()
                if int(fields[1]) == host.pid and os.readlink(process / "exe").endswith("/uaf-helper"):
                    return process
            except OSError:
                continue
        time.sleep(0.005)
    return None


def check_descriptors(core, name):
    """Checks that 0-2 are /dev/null, 3 is the module's socket, and the core opened the rest itself."""
    found = {int(entry.name): os.readlink(entry) for entry in (core / "fd").iterdir()}
    must(all(found.get(number) == "/dev/null" for number in range(3)), f"{name}: 0-2 of the core are {found}")
    must("socket:" in found.get(3, ""), f"{name}: descriptor 3 of the core is {found.get(3)}")
    own = ("/dev/null", "socket:", "/var/lib/pam-uaf")
    strange = [target for target in found.values() if not target.startswith(own)]
    must(not strange, f"{name}: the core has {strange}")


def troubled(lab, name, person, value):
    """A login by the host in a bad state; returns PAM's code, or None if the host was killed."""
    fifo = f"/tmp/answer-{person.name}"
    os.mkfifo(fifo)
    host = subprocess.Popen(
        [sys.executable, "-I", str(ROOT / "Tests/Acceptance/attack/bare_host.py"), "uaf", person.name, fifo, *TROUBLES[name]],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 30
        while host.poll() is None:
            # Opens only once the host waits for its answer.
            try:
                answer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                must(time.monotonic() < deadline, f"{name}: the host never asks")
                time.sleep(0.005)
                continue
            core = core_of(host)
            must(core is not None or host.poll() is not None, f"{name}: the host asks, and there is no core")
            if core is not None:
                check_descriptors(core, name)
            os.write(answer, value.encode())
            os.close(answer)
            break
        code = host.wait(60)
    finally:
        host.kill()
        os.unlink(fifo)
    return None if code < 0 else code


def trouble(lab, name, wrong, right):
    code = troubled(lab, name, wrong, "wrong-guess")
    must(code != hosts.SUCCESS, f"{name}: a wrong value got in")
    left = lab.status(wrong)["authenticators"][0]["remainingTries"]
    must(code != hosts.AUTH_ERR or left == counting.LIMIT - 1, f"{name}: told wrong, and {left} tries are left")
    must(left in (counting.LIMIT, counting.LIMIT - 1), f"{name}: {left} tries are left after one guess")
    code = troubled(lab, name, right, right.passcode)
    must(code in (hosts.SUCCESS, hosts.SYSTEM_ERR, None), f"{name}: the right value ends with {code}")
    must(code is not None or name == "a timer that kills", f"{name}: the host died")
    must(lab.login(right, right.passcode).is_in, f"{name}: afterwards the right value is refused")
    return {hosts.SUCCESS: "in", hosts.SYSTEM_ERR: "refused", None: "dead"}[code]


@row(
    "A20",
    "a host with closed or leaked descriptors, ignored or blocked signals, timers, no folder",
    "a wrong value never gets in, and is counted; the core has only its own descriptors; 0-2 are /dev/null",
    causes=("a local user",),
)
def bad_state(lab):
    people = {name: (lab.person(), lab.person()) for name in TROUBLES}
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        ends = list(pool.map(lambda name: trouble(lab, name, *people[name]), TROUBLES))
    return "the right value: " + ", ".join(f"{name}: {end}" for name, end in zip(TROUBLES, ends))
