"""Whether the time of a login reveals who has an account, and its state."""

import pathlib
import random
import shutil
import statistics
import time

from attack.recorder import request
from attack.rows.enumeration import server_states
from lab import hosts
from lab.table import Broken, must, row

REMOTE = "192.0.2.7"
LIMIT = 10
# A state counts as recognisable if the medians differ by more than a network and sshd vary, and if this is not an accident on a
# busy machine: the share of pairs in which the observation of the state is longer must be far from chance (0.5; 1 is certainty).
# If that share is extreme, even a difference that a network of one hop would hide is enough. A stranger has at most ten tries at
# an account before a lock changes its state.
MILLISECONDS, SHARE, RANK = 10, 0.05, 0.7
SMALL, EXTREME = 2, 0.85
# A suspected difference is measured again, with all observations so far: a chance difference then disappears, a real one stays.
ROUNDS = 4
SLOW_DISK = (
    "strace",
    "-f",
    "--seccomp-bpf",
    "-qq",
    "-o",
    "/dev/null",
    "-e",
    "trace=fsync,fdatasync",
    "-e",
    "inject=fsync,fdatasync:delay_exit=4000",
)


def once(name, prefix=()):
    """One remote login with a wrong value: milliseconds to the prompt, and from the answer to the verdict."""
    started = time.monotonic()
    process = hosts.start("uaf", name, REMOTE, prefix)
    must(process.stdout.readline().startswith(b"prompt"), "no prompt")
    asked = time.monotonic()
    process.stdin.write(f"guess-{random.random()}\n".encode())
    process.stdin.flush()
    while not (line := process.stdout.readline()).startswith(b"result"):
        must(line, "no result")
    ended = time.monotonic()
    process.stdin.close()
    process.stdout.close()
    process.wait()
    must(line == b"result 7\n", f"the verdict of a wrong value: {line}")
    return (asked - started) * 1000, (ended - asked) * 1000


def interleaved(lab, names, reset, runs, one):
    """Times of each state, in a new order each round; {state: ([to the prompt], [to the verdict])}."""
    times = {state: ([], []) for state in names}
    order = list(names)
    shuffle = random.Random(23).shuffle
    for number in range(runs + 1):
        if number % (LIMIT - 2) == 0:
            lab.run("uafctl", "unlock", reset.name)
        shuffle(order)
        for state in order:
            each = one(names[state])
            # The first round only fills caches.
            if number:
                for kept, value in zip(times[state], each):
                    kept.append(value)
    return times


def rank(first, second):
    """How often a value of the first is larger than one of the second (Mann and Whitney's U, as a share)."""
    pairs = [(a > b) + (a == b) / 2 for a in first for b in second]
    return sum(pairs) / len(pairs)


def is_told(difference, median, share):
    distance = max(share, 1 - share)
    return (abs(difference) > max(MILLISECONDS, SHARE * median) and distance > RANK) or (
        abs(difference) > SMALL and distance > EXTREME
    )


def compare(times):
    """The states that differ, the largest difference of medians, and the rank furthest from chance."""
    told, largest, furthest = [], (0.0, ""), 0.5
    for phase, part in enumerate(("prompt", "verdict")):
        own = times["registered"][phase]
        median = statistics.median(own)
        for state in times:
            difference = statistics.median(times[state][phase]) - median
            share = rank(times[state][phase], own)
            what = f"{state}, {part}, {difference:+.1f} of {median:.0f} ms"
            furthest = max(furthest, share, 1 - share)
            largest = max(largest, (abs(difference), what))
            if is_told(difference, median, share):
                told.append(f"{what}, rank {share:.2f}")
    return told, largest[1], furthest


def measure(lab, names, reset, runs, what, one=once):
    """Compares, and repeats while a difference is suspected; returns the observations."""
    times = {state: ([], []) for state in names}
    for number in range(ROUNDS):
        for state, parts in interleaved(lab, names, reset, runs, one).items():
            for kept, more in zip(times[state], parts):
                kept.extend(more)
        told, difference, furthest = compare(times)
        if not told:
            return f"{what}, {runs * (number + 1)} runs each: {difference}, rank {furthest:.2f}"
    raise Broken(f"{what}, {runs * ROUNDS} runs each: {'; '.join(told)}")


def states(lab, cost):
    """A name in each state that must look the same to a stranger, and the people who must be unlocked repeatedly."""
    lock = (
        f"retry_count_to_lock = {LIMIT}\nlock_time = 86400\nmax_lock_count = 0\n[lock.remote]\n"
        f"retry_count_to_lock = {LIMIT}\nlock_time = 86400"
    )
    lab.configure(lock=lock, cost=cost)
    people = {state: lab.person() for state in ("registered", "locked", "locked for good")}
    for number in range(LIMIT):
        lab.login(people["locked"], f"wrong-{number}", remote=REMOTE)
        lab.login(people["locked for good"], f"wrong-{number}")
    names = {state: person.name for state, person in people.items()}
    return people["registered"], names | {"never registered": lab.person(registered=False).name, "no account": "hana9"}


@row(
    "A23",
    "distinguishing accounts by time: wrong, locked, permanently locked, unregistered, unknown; interleaved, remotely",
    f"medians differ by at most {MILLISECONDS} ms or {SHARE:.0%} with a rank beyond {RANK}, or {SMALL} ms with one "
    f"beyond {EXTREME}; with a small and a large key derivation, a fast and a slow disk",
    causes=("somebody remote",),
)
def timing(lab):
    runs = 200 if lab.thorough else 30
    seen = []
    for what, cost, count, prefix in (
        ("cost 2^10", 10, runs, ()),
        ("cost 2^13", 13, runs * 2 // 3, ()),
        ("each sync 4 ms", 10, runs * 2 // 3, SLOW_DISK),
        *([("cost 2^16", 16, runs // 2, ())] if lab.thorough else []),
    ):
        if prefix and not shutil.which("strace"):
            seen.append("no strace: no slow disk")
            continue
        reset, names = states(lab, cost)
        seen.append(measure(lab, names, reset, count, what, lambda name: once(name, prefix)))
    if lab.thorough and pathlib.Path("/usr/sbin/sshd").exists():
        reset, names = states(lab, 14)
        hosts.ask_uaf(lab, "sshd")
        hosts.sshd(lab, 2223)
        seen.append(measure(lab, names, reset, 20, "sshd", through_sshd))
    person, names = server_states(lab)
    # An account has a rate limit: with more requests, the server would answer something else.
    seen.append(measure(lab, names, person, 30, "the server's own answer", at_the_server))
    return "largest difference: " + "; ".join(seen)


def at_the_server(name):
    """Times a login request that the row itself sends, without our client."""
    started = time.monotonic()
    must(isinstance(request({"username": name}), dict), f"the server gives no request for {name}")
    return 0.0, (time.monotonic() - started) * 1000


def through_sshd(name):
    """A whole login by ssh, with sshd's own delay after a failure in it."""
    started = time.monotonic()
    hosts.ssh(name, f"guess-{random.random()}", port=2223)
    return 0.0, (time.monotonic() - started) * 1000
