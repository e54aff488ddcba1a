"""The time of a rollout, in which people without a registration get in with the password: who else could, and for how long."""

import datetime
import pathlib

from attack.clocks import WallClock
from lab import hosts
from lab.machine import STATE
from lab.table import must, row

HOUR, DAY, YEAR = 3600, 86400, 365 * 86400
# The record of the days that are over.
ENDED = STATE / "nouserok.ended"
NO_DAYS = ("", "soon", "2027-02-30", "2027-1-31", "20270131", "2027-01-31x", "9999-99-99", "2027-01-31,2099-01-01")


def tomorrow():
    """Not today, which may end while the row runs."""
    return datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=1)


def rolling(lab, *arguments):
    """Installs the ready stack `instead/sudo` with these arguments for the module."""
    text = pathlib.Path(hosts.STACKS, "instead/sudo").read_text()
    asking = "auth  [success=ok ignore=1 default=die]  pam_uaf.so"
    must(asking in text, "the ready stack has another line for the module")
    lab.stack("uaf-rolling", *text.replace(asking, " ".join((asking, *arguments))).splitlines())
    lab.stack("rolling", "@include uaf-rolling", "@include common-account")


@row(
    "A98",
    "in the time of a rollout (`nouserok=DAY`): a registered person's password, and values that are no day; after the day: the "
    "password of somebody who never registered, with the clock set back by up to a year, and with a damaged record of the day",
    "a registered person needs the passcode; after the day nobody gets in without one; an argument that cannot be read refuses "
    "everybody",
    causes=("the person", "root", "the network"),
)
def rollout(lab):
    lab.after(lambda: ENDED.unlink(missing_ok=True))
    person, new = lab.person(), lab.person(registered=False)
    last = tomorrow()
    rolling(lab, f"nouserok={last}")
    must(
        lab.login(new, new.password, "rolling").is_in,
        "somebody who never registered is not asked for the password: nothing is shown",
    )
    refused = 0

    def refuse(what, who, answer, **options):
        nonlocal refused
        login = lab.login(who, answer, "rolling", **options)
        must(not login.is_in and login.code is not None, f"{what}: {login}")
        refused += 1
        return login

    refuse("a wrong password of somebody new", new, "wrong-password")
    login = refuse("the password of a registered person", person, person.password)
    must("assword" not in login.text, f"a registered person is asked for the password: {login.text}")
    refuse("no answer of a registered person", person, "")
    must(lab.login(person, person.passcode, "rolling").is_in, "the passcode is refused")
    for what, command in (
        ("deregistered", ("uafctl", "deregister", "--user", "NAME", "--all")),
        ("reset by root", ("uafctl", "reset", "NAME")),
    ):
        one = lab.person()
        lab.run(*(word.replace("NAME", one.name) for word in command), answers=one.passcode + "\n")
        refuse(what, one, one.password)
    for value in NO_DAYS:
        rolling(lab, f"nouserok={value}")
        refuse(f"'{value}', new", new, new.password)
        refuse(f"'{value}', registered", person, person.passcode)
    rolling(lab, f"nouserok={last}", "nouserok")
    refuse("given twice", new, new.password)

    # The day is over: first for a registered person, whose login notes it.
    rolling(lab, f"nouserok={last}")
    clock = WallClock(lab)
    clock.move(2 * DAY)
    must(lab.login(person, person.passcode, "rolling").is_in, "after the day the passcode is refused")
    must(ENDED.exists(), "the login after the day has noted nothing")
    refuse("after the day", new, new.password)
    back = (2 * DAY - HOUR, DAY, 0, -HOUR, -YEAR)
    for offset in back:
        clock.move(offset)
        refuse(f"the clock set back to {offset} s", new, new.password)
    # A record that somebody has damaged or opened to others is no way to the password either.
    for damage in (lambda: ENDED.write_bytes(b""), lambda: ENDED.write_bytes(b"x" * 9), lambda: ENDED.chmod(0o666)):
        damage()
        refuse("a damaged record", new, new.password)
    return (
        f"{refused} refused, among them {2 * len(NO_DAYS)} with {len(NO_DAYS)} values that are no day, and {len(back)} with "
        "the clock set back after the day; in were somebody new before the day, and the passcode before and after it"
    )
