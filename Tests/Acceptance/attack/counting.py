"""Checks that guesses are counted even under difficult conditions, and that none is verified if counting is impossible."""

from lab import hosts
from lab.table import must

LIMIT = 5
GUESSES = 20
# This many guesses are enough: if the last of them is not verified, no later one would be.
FEW_GUESSES = 6


def guess(lab, person, count, **options):
    """Wrong guesses, then the right value; returns how many were verified, and each login."""
    mark = lab.log.mark()
    logins = [*lab.guesses(person, count, **options), lab.login(person, person.passcode, **options)]
    left = lab.status(person)["authenticators"][0]["remainingTries"]
    looked = lab.verdicts(mark, person).count(hosts.WRONG)
    must(looked <= LIMIT, f"{looked} guesses were looked at, limit {LIMIT}")
    must(left <= LIMIT - looked, f"{looked} guesses were looked at, and {left} of {LIMIT} tries are left")
    must(not logins[-1].is_in, f"after {count} wrong guesses the right value got in")
    return looked, logins


def counts(lab, person, **options):
    """Reports the usual result: guesses are counted up to the limit, and then the account is locked."""
    looked, logins = guess(lab, person, GUESSES, **options)
    return _judge(looked, logins, LIMIT)


def refuses(lab, person, code=hosts.SYSTEM_ERR, **options):
    """Reports that no value is verified, and that the right value gets the same answer as a wrong one."""
    looked, logins = guess(lab, person, FEW_GUESSES, **options)
    must({login.code for login in logins} == {code}, f"what cannot be counted ends with {logins}")
    return _judge(looked, logins, 0)


def counts_or_refuses(lab, person, **options):
    """Reports whether guesses are counted or refused; a mixture of both fails."""
    looked, logins = guess(lab, person, FEW_GUESSES, **options)
    return _judge(looked, logins, LIMIT if looked else 0)


def _judge(looked, logins, expected):
    must(looked == expected, f"{looked} guesses were looked at, not {expected}: {logins}")
    if looked:
        return f"{looked} counted and then locked"
    must(len({login.text for login in logins}) == 1, f"the right value is told apart from wrong ones: {logins}")
    return "none looked at, right and wrong refused alike"
