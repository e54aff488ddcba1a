"""One person, or one remote host, takes more than its share: open prompts, remotely caused key derivations."""

import concurrent.futures
import contextlib
import os
import signal
import subprocess

from attack.cores import slot_holders, slots, timed
from lab import hosts
from lab.processes import NAMES, running
from lab.table import must, row
from lab.waiting import until

PROMPTS = 100
# How many a uid may have through su and similar programs: PeerSlot.Way.caller.
PLACES = 16
PERMITS = ("account required pam_permit.so", "session required pam_permit.so")


def standing_su(caller, target):
    """A prompt of su that its caller never answers."""
    return subprocess.Popen(
        ["su", target.name, "-c", "true"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        user=caller.uid,
        group=caller.uid,
        extra_groups=[],
        cwd="/",
    )


def memory_mib(processes):
    """The private memory of processes."""
    total = 0
    for process in processes:
        try:
            with open(f"/proc/{process}/smaps_rollup") as lines:
                total += sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
        except OSError:
            pass
    return total / 1024


def end(processes):
    for process in processes:
        process.kill()
        process.communicate()


@row(
    "A54",
    f"{PROMPTS} prompts of su left open by one person",
    "the person has few of them, in bounded memory; the others are refused with a message; other people can log in, with su too",
    causes=("a local user",),
)
def standing_prompts(lab):
    caller, other, target = lab.person(registered=False), lab.person(registered=False), lab.person()
    lab.stack("su", "auth required pam_uaf.so", *PERMITS)
    standing = [standing_su(caller, target) for _ in range(PROMPTS)]
    try:
        # Each has its own core for a moment, which reports that there is no slot.
        until(
            lambda: sum(process.poll() is not None for process in standing) + len(running("uaf-fetch")) >= PROMPTS,
            "every su at its prompt, or refused",
            120,
        )
        until(lambda: len(running("uaf-helper")) <= len(running("uaf-fetch")), "the end of those that were refused", 60)
        cores, both = running("uaf-helper"), running(*NAMES)
        mib = memory_mib(both)
        seen = (
            f"{PROMPTS} prompts: {len(cores)} cores, {len(both)} processes of {mib:.0f} MiB "
            f"({memory_mib(cores[:1]):.1f} for a core)"
        )
        must(len(cores) <= PLACES, seen)
        # After a refusal su waits before it ends, so refused calls are recognised by their output.
        said = {process.stdout.read() for process in standing if process.poll() is not None}
        must(len(said) == 1 and b"You have too many logins" in next(iter(said)), f"the refused ones were told {said}")
        login = hosts.su(other, target, target.passcode)
        must(login.is_in, f"with {PROMPTS} prompts of one person, another by su: {login}")
        login = lab.login(target, target.passcode)
        must(login.is_in, f"with {PROMPTS} prompts of one person, another through a host of root's: {login}")
        own = hosts.su(caller, target, target.passcode)
        must(not own.is_in, "the person had yet another place")
    finally:
        end(standing)
    until(lambda: not running(*NAMES), "the end of every core")
    must(lab.status(target)["authenticators"][0]["remainingTries"] == 5, "what was turned away was counted")
    must(hosts.su(caller, target, target.passcode).is_in, "the person's own su, once the prompts are gone")
    return f"{seen}, {PROMPTS - len(cores)} refused with words and uncounted; in: another by su, and a host of root's"


MADE_UP, REMOTE = 40, 6


@row(
    "A55",
    f"{MADE_UP} logins from one host under made-up names, while {REMOTE} people log in from elsewhere",
    "all of them get in: because of one host, logins from elsewhere wait no longer than for one derivation",
    causes=("somebody remote",),
)
def made_up_names(lab):
    lab.configure(cost=16)
    people = [lab.person() for _ in range(REMOTE)]
    strangers = [hosts.start("uaf", f"nobody{number}", remote="198.51.100.7") for number in range(MADE_UP)]
    try:
        for process in strangers:
            process.stdin.write(b"wrong-guess-1\n")
            process.stdin.flush()
        until(slot_holders, "a derivation from afar")
        with concurrent.futures.ThreadPoolExecutor(REMOTE) as pool:
            ends = list(
                pool.map(
                    lambda number: timed(
                        lambda: lab.login(people[number], people[number].passcode, remote=f"203.0.113.{number + 1}")
                    ),
                    range(REMOTE),
                )
            )
    finally:
        end(strangers)
    # A core whose host is gone still waits for its turn; that takes seconds, which the row can spare.
    for process in running("uaf-helper"):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    until(lambda: not running(*NAMES), "the end of every core")
    late = [f"{login} after {seconds:.1f} s" for login, seconds in ends if not login.is_in]
    must(not late, f"{len(late)} of {REMOTE} were refused: {late}")
    return (
        f"{MADE_UP} made-up names from one host, {slots()} slots: {REMOTE} of {REMOTE} people in from elsewhere, the "
        f"slowest after {max(seconds for _, seconds in ends):.1f} s"
    )
