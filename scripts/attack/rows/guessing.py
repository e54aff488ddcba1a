"""More guesses than the limit: at once, over several hosts, by starting over."""

from attack import faillock, hosts
from attack.table import attack, baseline, must

LIMIT = 5
CONVERSATIONS = 100


def race(start, right):
    """Opens all conversations before the first is answered; the right value is in the middle. Returns the logins."""
    waiting = [start() for _ in range(CONVERSATIONS)]
    for process in waiting:
        while (line := process.stdout.readline()) and not line.startswith(b"prompt "):
            pass
    answers = [f"wrong-guess-{number}" for number in range(CONVERSATIONS)]
    answers[CONVERSATIONS // 2] = right
    for process, answer in zip(waiting, answers):
        process.stdin.write(answer.encode() + b"\n")
        process.stdin.flush()
    return [hosts.finish(process, b"") for process in waiting]


@attack("A1", f"{CONVERSATIONS} conversations at once, limit {LIMIT}",
        f"exactly {LIMIT} values are looked at; the right one among the rest is refused")
def parallel_guesses(lab):
    person = lab.person()
    mark = lab.log.mark()
    logins = race(lambda: hosts.start("uaf", person.name), person.passcode)
    results = lab.verdicts(mark, person)
    checked, refused = results.count(hosts.WRONG), results.count(hosts.LOCKED)
    accepted = sum(login.is_in for login in logins)
    must(accepted == 0 or checked < LIMIT, f"the right value got in after {checked} wrong ones")
    must(checked + accepted == LIMIT, f"{checked} values were looked at")
    must(len(results) == CONVERSATIONS, f"{len(results)} of {CONVERSATIONS} conversations are in the log: {results}")
    return f"{checked} looked at and wrong, {refused} refused while locked, {accepted} let in"


@baseline("A1")
def parallel_guesses_baseline(lab):
    faillock.install(lab)
    person = lab.person(registered=False)
    logins = race(lambda: hosts.start("faillock", person.name), person.password)
    accepted = sum(login.is_in for login in logins)
    return accepted == 0, f"limit {faillock.LIMIT}: the right one among {CONVERSATIONS} " + (
        "got in" if accepted else "was refused")
