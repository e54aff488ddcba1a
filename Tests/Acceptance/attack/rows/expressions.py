"""Expressions of the passcode policy that backtrack exponentially on a person's entry."""

import re
import time

from lab import hosts
from lab.table import must, row

EXPLOSIVE = [
    "^(a+)+$",
    "(a|aa)+",
    "(a|a?)+",
    "((a*)*)*b",
    "(?:(?:a+)+)+b",
    "(.*a){12}b",
    "(?=(a+)+b).*",
    "(a+a+)+b",
    "([a-z]+)*[0-9]",
    "(?:a|a|a|a|a)+b",
    "(a(?1)?a)+b",
    "(?:.|a)*(?:.|a)*(?:.|a)*(?:.|a)*b",
    "((a{1,8}){1,8}){1,8}b",
    "(?:a*?a*?)*?b",
]
# Like an entry that nearly matches: the last character decides, after every path to it was tried.
VALUE = "a" * 62 + "!"
LIMIT = 3.0


def timed(action):
    started = time.monotonic()
    result = action()
    return result, time.monotonic() - started


@row(
    "A22",
    "an expression with exponential cost, and a value that triggers it",
    f"a value that runs into the limits is refused as not matching, within {LIMIT:.0f} s",
    causes=("root",),
)
def exploding(lab):
    rules = "[passcode.regex]\n" + "".join(f"'{pattern}' = \"no\"\n" for pattern in EXPLOSIVE)
    person, newcomer = lab.person(registered=False), lab.person(registered=False)
    lab.register(person, VALUE)
    plain, without = timed(lambda: lab.login(person, VALUE))
    must(plain.is_in, f"the value does not work without the expressions: {plain}")
    lab.configure(more=rules)
    stale, with_rules = timed(lambda: lab.login(person, VALUE))
    must(stale.is_in and "no longer meets the rules" in stale.text, f"a login with a value of before: {stale}")
    must(with_rules < LIMIT, f"a login took {with_rules:.1f} s")
    answers = f"{VALUE}\n{VALUE}\n" * 4
    registration, took = timed(
        lambda: lab.run("uafctl", "register", newcomer.name, "--payload", lab.payload(newcomer), check=False, answers=answers)
    )
    must(registration.returncode != 0, "a value that matches nothing was taken")
    must(took < LIMIT, f"a registration took {took:.1f} s")
    guess, wrong = timed(lambda: lab.login(person, "a" * 60 + "?"))
    must(guess.code == hosts.AUTH_ERR and wrong < LIMIT, f"{wrong:.1f} s: {guess}")
    slowest = max((timed(lambda: one(lab, person, pattern))[1], pattern) for pattern in EXPLOSIVE)
    too_large = refused(lab, person, "(a{1,60000}){1,60000}")
    explodes = [elsewhere(length) for length in (16, 22)]
    must(explodes[1] > 8 * explodes[0], f"the expression does not explode elsewhere either: {explodes}")
    told = [f"{seconds * 1000:.0f} ms" for seconds in (with_rules, without, wrong, took, slowest[0], *explodes)]
    return (
        f"{len(EXPLOSIVE)} expressions on {len(VALUE)} characters: login {told[0]} (without them {told[1]}), wrong "
        f"guess {told[2]}, registration refused after {told[3]}, the slowest alone {told[4]} ({slowest[1]}); one of a "
        f"thousand million repetitions: {too_large}; Python's own engine: {told[5]} for 16 characters, {told[6]} for "
        "22"
    )


def elsewhere(length):
    """The CPU seconds that an engine without limits needs, the minimum of five runs.

    Each further character doubles them. The wall clock would also count the machine's other work.
    """
    spent = []
    for _ in range(5):
        began = time.thread_time()
        must(re.fullmatch("(a+)+", "a" * length + "!") is None, "the value matches")
        spent.append(time.thread_time() - began)
    return min(spent)


def one(lab, person, pattern):
    lab.configure(more=f"[passcode.regex]\n'{pattern}' = \"no\"\n")
    login = lab.login(person, VALUE)
    must(login.is_in, f"{pattern}: {login}")


def refused(lab, person, pattern):
    """An expression that would not fit into memory is a configuration error."""
    lab.configure(more=f"[passcode.regex]\n'{pattern}' = \"no\"\n")
    mark = lab.log.mark()
    login, took = timed(lambda: lab.login(person, VALUE))
    must(login.code == hosts.SERVICE_ERR and took < LIMIT, f"{pattern}: {login}")
    must(any("passcode.regex" in line for line in lab.log.since(mark, "passcode.regex")), "the log does not name it")
    return f"refused as configuration after {took * 1000:.0f} ms"
