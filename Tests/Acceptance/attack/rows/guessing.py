"""More guesses than the limit: simultaneously, over several hosts, or by starting again."""

from attack import faillock
from lab import hosts
from lab.table import baseline, must, row
from lab.waiting import until

LIMIT = 5
CONVERSATIONS = 100


def race(start, right, limit):
    """All conversations reach the prompt before the first is answered; returns the logins.

    The right value is sent while most of the others are still running, once as many have ended as the limit allows: an earlier
    right value would be accepted, as it should.
    """
    waiting = [start() for _ in range(CONVERSATIONS)]
    for process in waiting:
        while (line := process.stdout.readline()) and not line.startswith(b"prompt "):
            pass
    *others, last = waiting
    for number, process in enumerate(others):
        process.stdin.write(f"wrong-guess-{number}\n".encode())
        process.stdin.flush()
    until(lambda: sum(process.poll() is not None for process in others) >= limit, f"{limit} that have ended")
    return [hosts.finish(last, right)] + [hosts.finish(process, b"") for process in others]


@row(
    "A1",
    f"{CONVERSATIONS} conversations at the same time, limit {LIMIT}",
    f"exactly {LIMIT} values are checked; the right value among the others is refused",
    causes=("a local user",),
)
def parallel_guesses(lab):
    person = lab.person()
    mark = lab.log.mark()
    logins = race(lambda: hosts.start("uaf", person.name), person.passcode, LIMIT)
    results = lab.verdicts(mark, person)
    checked, refused = results.count(hosts.WRONG), results.count(hosts.LOCKED)
    accepted = sum(login.is_in for login in logins)
    must(accepted == 0, f"the right value got in after {checked} wrong ones")
    must(checked == LIMIT, f"{checked} values were looked at")
    must(len(results) == CONVERSATIONS, f"{len(results)} of {CONVERSATIONS} conversations are in the log: {results}")
    return f"{checked} checked and wrong, {refused} refused while locked, {accepted} let in"


@baseline("A1")
def parallel_guesses_baseline(lab):
    faillock.install(lab)
    person = lab.person(registered=False)
    logins = race(lambda: hosts.start("faillock", person.name), person.password, faillock.LIMIT)
    accepted = sum(login.is_in for login in logins)
    return accepted == 0, f"limit {faillock.LIMIT}: the right one among {CONVERSATIONS} " + (
        "got in" if accepted else "was refused"
    )
