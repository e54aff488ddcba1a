"""Ways around a lock other than waiting: a changed clock, a reboot."""

import shutil

from attack import clocks, faillock
from lab import hosts
from lab.table import baseline, must, row

LIMIT, LOCK = 3, 300
LOCKS = f"retry_count_to_lock = {LIMIT}\nlock_time = {LOCK}\nmax_lock_count = 10"
HOUR, YEAR = 3600, 365 * 86400


def locked(lab, prefix=()):
    """A person who has just been locked."""
    person = lab.person()
    lab.guesses(person, LIMIT, prefix=prefix)
    return person


def result(lab, person, **options):
    """The result of a wrong value: verified, or refused as locked."""
    mark = lab.log.mark()
    login = lab.login(person, "wrong-in-the-end", **options)
    results = lab.verdicts(mark, person)
    must(len(results) == 1, f"one guess ({login}) has {len(results)} lines in the log: {lab.log.since(mark)}")
    return results[0]


def left(lab, person, prefix=()):
    """How many seconds a lock still lasts, as reported by the core."""
    return lab.status(person, prefix=prefix)["authenticators"][0]["remainingLockSeconds"]


@row(
    "A5",
    "the clock set forward and back; the boot clock at the edges of a lock",
    "a lock neither ends early nor lasts longer than its length; the wall clock does not affect it",
    causes=("the network", "root"),
)
def clock(lab):
    lab.configure(lock=LOCKS)
    wall = clocks.WallClock(lab)
    person, other = locked(lab), lab.person()
    moved = (LOCK + 1, 86400, YEAR, 20 * YEAR, -LOCK, -86400, -20 * YEAR)
    for offset in moved:
        wall.move(offset)
        must(result(lab, person) == hosts.LOCKED, f"with the wall clock {offset} s away the value was looked at")
        must(not lab.login(person, person.passcode).is_in, f"the wall clock {offset} s away let the right one in")
        must(0 < left(lab, person) <= LOCK, f"with the wall clock {offset} s away {left(lab, person)} s are left")
    wall.move(20 * YEAR)
    seen = lab.login(other, other.passcode)
    must("certificate" in seen.text, f"the programs that are attacked did not see another year: {seen.text}")
    # The account was locked while the clock was wrong, and the clock was then corrected: the failures are "dated in the future".
    wall.move(YEAR)
    dated = locked(lab)
    wall.move(0)
    for who in (person, dated):
        must(result(lab, who, prefix=clocks.later(LOCK - 60)) == hosts.LOCKED, "the lock ended a minute early")
        must(result(lab, who, prefix=clocks.later(LOCK + 1)) == hosts.WRONG, f"after {LOCK + 1} s it was still locked")
    # A machine whose memory is restored from a snapshot, but not its disk: its boot clock goes back. That clock cannot be set to
    # before the boot, which may have been a minute ago. So the account is locked with a clock two hours ahead, and checked with
    # one that is an hour ahead.
    back = locked(lab, prefix=clocks.later(2 * HOUR))
    must(result(lab, back, prefix=clocks.later(HOUR)) == hosts.LOCKED, "an earlier boot clock ended the lock")
    remaining = left(lab, back, prefix=clocks.later(HOUR))
    must(0 < remaining <= LOCK, f"an earlier boot clock left {remaining} s of {LOCK}")
    return (
        f"locked for {LOCK} s under {len(moved)} wall clocks from -20 to +20 years; also when dated a year ahead: "
        f"locked after {LOCK - 60} s, over after {LOCK + 1} s of boot time; boot clock an hour back: {remaining} s "
        "left"
    )


@baseline("A5")
def clock_baseline(lab):
    wall = clocks.WallClock(lab)
    faillock.install(lab)
    early, dated = lab.person(registered=False), lab.person(registered=False)
    for _ in range(faillock.LIMIT):
        faillock.login(early, "wrong")
    was_locked = not faillock.login(early, early.password).is_in
    wall.move(LOCK + 1)
    ends_early = faillock.login(early, early.password).is_in
    wall.move(YEAR)
    for _ in range(faillock.LIMIT):
        faillock.login(dated, "wrong")
    wall.move(86400)
    outlives = not faillock.login(dated, dated.password).is_in
    return was_locked and not ends_early and not outlives, (
        f"unlock_time={LOCK}: with the clock {LOCK + 1} s ahead "
        + ("let in" if ends_early else "locked")
        + "; failures dated a year ahead, a day later: "
        + ("locked" if outlives else "let in")
    )


@row(
    "A6",
    "reboot during a lock, and between guesses",
    f"the count continues; the lock runs its {LOCK} s again from the start of the boot, but not longer",
    causes=("the person",),
)
def reboot(lab):
    lab.configure(lock=LOCKS)
    person, counted, twice = locked(lab), lab.person(), locked(lab)
    lab.guesses(counted, LIMIT - 1)
    clocks.reboot(lab)
    at = clocks.since_boot
    must(result(lab, person, prefix=at(20)) == hosts.LOCKED, "the reboot ended the lock")
    remaining = left(lab, person, at(20))
    must(LOCK - 60 < remaining <= LOCK - 20, f"20 s after the boot {remaining} s are left")
    must(not lab.login(person, person.passcode, prefix=at(LOCK - 60)).is_in, "the right one got in a minute early")
    must(result(lab, person, prefix=at(LOCK + 1)) == hosts.WRONG, f"{LOCK + 1} s after the boot it was still locked")
    # The guess before the reboot and the one after it count as consecutive.
    looked_at = [result(lab, counted, prefix=at(20)) for _ in range(LIMIT)].count(hosts.WRONG)
    must(looked_at == 1, f"{LIMIT - 1} guesses before the reboot, and {looked_at} after it were looked at")
    clocks.reboot(lab)
    must(result(lab, twice, prefix=at(LOCK - 60)) == hosts.LOCKED, "a second reboot ended the lock")
    must(result(lab, twice, prefix=at(LOCK + 1)) == hosts.WRONG, "after a second reboot the lock outlived its length")
    return (
        f"{LIMIT - 1} guesses before and 1 after, then locked; 20 s after the boot {remaining} s are left, "
        f"after {LOCK + 1} s it is over, after two reboots too"
    )


@baseline("A6")
def reboot_baseline(lab):
    faillock.install(lab)
    person = lab.person(registered=False)
    for _ in range(faillock.LIMIT):
        faillock.login(person, "wrong")
    before = faillock.count(lab, person)
    # The state of an in-memory folder after a reboot.
    shutil.rmtree(faillock.FOLDER)
    accepted = faillock.login(person, person.password).is_in
    return not accepted, (
        f"{before} failures counted in {faillock.FOLDER}; after the boot " + ("none, and let in" if accepted else "locked")
    )
