"""What every host has to do alike: let in, ask again, lock, and go on without the server; in English and in Korean."""

import dataclasses
import typing

from lab import hosts
from lab.table import must, row
from lab.waiting import at_once
from system import transcripts

# What is set where a person's language is Korean, and where it has no catalogue: a program of the machine inherits it.
LANGUAGES = {"en": {"LC_ALL": "C.UTF-8"}, "ko": {"LC_ALL": "", "LANG": "ko_KR.UTF-8"}}
WRONG = "wrong-guess-0"
LIMIT = 3
LOCK = f"retry_count_to_lock = {LIMIT}\nlock_time = 300\nmax_lock_count = 3"
# Nothing listens there.
CLOSED_PORT = 8499


@dataclasses.dataclass
class Host:
    """A host: how it is made to ask for the passcode, and how somebody logs in by it."""

    name: str
    # Called with the lab once in each row.
    prepare: typing.Callable
    # Called with a person, their language and the answers; returns the session.
    log_in: typing.Callable
    # What is entered at the prompts after a wrong value: a host that asks again is given the right one.
    again: typing.Callable
    # Whether the password decides where the server cannot be reached.
    falls_back: bool = True
    # For logins from afar: what the small host names as the place they come from.
    remote: str | None = None


def enter(host):
    """Makes the rows of a host."""
    for name, act, title, expected in (
        ("success", success, "the right passcode", "one hidden prompt, in"),
        ("wrong", wrong, "a wrong passcode, then what the host goes on with", "told and counted once; the right one in"),
        ("lock", lock, f"wrong passcodes up to the limit of {LIMIT}, then the right one", "locked; the right one refused"),
        ("down", down, "the server cannot be reached",
         "the passcode and then the password; a wrong passcode leads to no password" if host.falls_back
         else "refused, and no password is asked for"),
    ):
        row(f"{host.name}-{name}", f"{host.name}: {title}; English and Korean", expected)(
            lambda lab, act=act: act(lab, host))


def in_each_language(lab, host, case, answers, people=None):
    """Logs somebody in for each language at the same time and compares what was shown; returns (person, session)s."""
    people = people or {language: lab.person() for language in LANGUAGES}
    sessions = at_once(*(
        lambda language=language, person=person: host.log_in(person, language, *answers(person))
        for language, person in people.items()))
    for (language, person), session in zip(people.items(), sessions):
        transcripts.check(f"{host.name}-{case}.{language}", session, person)
        for value in (person.passcode, person.password, WRONG):
            must(value not in session.text, f"{language}: what was typed is shown: {session.text}")
    return list(zip(people.values(), sessions))


def success(lab, host):
    host.prepare(lab)
    mark = lab.log.mark()
    for person, session in in_each_language(lab, host, "success", lambda person: [person.passcode]):
        must(session.is_in, f"not let in: {session}")
        must(lab.verdicts(mark, person) == ["0"], f"in the log: {lab.verdicts(mark, person)}")
        must(session.transcript.count("[") == 1, f"more than one prompt: {session.transcript}")
    return "in, after one hidden prompt"


def wrong(lab, host):
    host.prepare(lab)
    mark = lab.log.mark()
    for person, session in in_each_language(lab, host, "wrong", lambda person: [WRONG, *host.again(person)]):
        verdicts, again = lab.verdicts(mark, person), bool(host.again(person))
        must(session.is_in == again, f"after a wrong one and {host.again(person)}: {session}")
        must(verdicts == [hosts.WRONG] + ["0"] * again, f"in the log: {verdicts}")
    return "told; " + ("asked again, and the right one in" if again else "refused, and not asked again")


def lock(lab, host):
    lab.configure(lock=LOCK)
    host.prepare(lab)
    people = {language: lab.person() for language in LANGUAGES}
    for person in people.values():
        lab.guesses(person, LIMIT - 1, remote=host.remote)
    mark = lab.log.mark()
    for person, session in in_each_language(
            lab, host, "lock", lambda person: [WRONG, *host.again(person)], people):
        must(not session.is_in, f"locked, and let in: {session}")
    for person, session in in_each_language(lab, host, "locked", lambda person: [person.passcode], people):
        verdicts = lab.verdicts(mark, person)
        must(not session.is_in, f"locked, and the right value got in: {session}")
        must(verdicts[0] == hosts.WRONG and set(verdicts[1:]) == {hosts.LOCKED}, f"in the log: {verdicts}")
        must(lab.login(person, person.passcode, remote=None).is_in == bool(host.remote), "the local count is not its own")
    return f"locked by the wrong one number {LIMIT}, the right one refused ({hosts.LOCKED})" + (
        "; by a local login still in" if host.remote else "")


def down(lab, host):
    people = {language: lab.person() for language in LANGUAGES}
    host.prepare(lab)
    lab.configure(port=CLOSED_PORT)
    for person, session in in_each_language(
            lab, host, "down", lambda person: [person.passcode, person.password], people):
        must(session.is_in == host.falls_back, f"without the server: {session}")
    session = host.log_in(person, "en", WRONG, person.password)
    must(not session.is_in, f"a wrong passcode, then the password: {session}")
    return "the password in, after the right passcode alone" if host.falls_back else "refused"
