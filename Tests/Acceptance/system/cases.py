"""The common behaviour of all hosts, in English and Korean: log in, ask again, lock, and work without the server."""

import contextlib
import dataclasses
import os
import pathlib
import re
import typing

from lab import hosts
from lab.machine import CONFIGURATION, HELPER
from lab.processes import gone
from lab.table import must, row
from lab.waiting import at_once
from system import transcripts

# The environment for each language of a person; programs inherit it. The host's own messages stay English, even if the machine
# has them in Korean.
LANGUAGES = {"en": {"LC_ALL": "C.UTF-8"}, "ko": {"LC_ALL": "", "LANG": "ko_KR.UTF-8", "LANGUAGE": "C"}}
WRONG = "wrong-guess-0"
LIMIT = 3
LOCK = f"retry_count_to_lock = {LIMIT}\nlock_time = 300\nmax_lock_count = 3"
REMOTE_LOCK = f"[lock.remote]\nretry_count_to_lock = {LIMIT}"
# No server listens at this address.
CLOSED_PORT = 8499
# The core's result if a prompt is never answered.
HUNG_UP = "7010"


@dataclasses.dataclass
class Host:
    """A host: how to make it ask for the passcode, and how a person logs in with it."""

    name: str
    # Called with the lab once in each row.
    prepare: typing.Callable
    # Called with a person, their language and the answers; returns the session.
    log_in: typing.Callable
    # What is entered after a wrong value: the right one, at a host that prompts again.
    again: typing.Callable
    # Whether the password decides when the server is unreachable.
    falls_back: bool = True
    # Whether the host passes the person's language on to PAM; if not, the configuration must set it.
    has_locale: bool = True
    # For remote logins: the remote host that the small host names.
    remote: str | None = None
    # For logins by another user of the machine: the command that starts the small host, so that its guesses count the same way.
    prefix: typing.Callable = list


class Told(hosts.Session):
    """The messages to one of the small programs, line by line: `status` is PAM's code."""

    @property
    def is_in(self):
        return self.status == hosts.SUCCESS


def told(status, text, typed):
    """The session of one of the small programs; in the transcript, each prompt is followed by the next of `typed`."""
    typed = iter(typed)
    transcript = re.sub(
        r"(?ms)^prompt .*?(?=\n(?:prompt|error|info|setcred|result) )",
        lambda prompt: f"{prompt[0].rstrip()} [{next(typed, '')}]",
        text,
    )
    return Told(status, text, transcript)


def enter(host, *names):
    """Makes the rows of a host: those that are named, or all."""
    for name, act, title, expected in (
        ("success", success, "the right passcode", "one hidden prompt, in"),
        (
            "wrong",
            wrong,
            "a wrong passcode, then what the host goes on with",
            "told and counted once; the right one in, where the host asks again",
        ),
        (
            "lock",
            lock,
            f"wrong passcodes up to the limit of {LIMIT}, then the right one",
            "locked, and told so where states are not hidden; the right one refused",
        ),
        (
            "down",
            down,
            "the server cannot be reached",
            "the passcode and then the password; a wrong passcode leads to no password"
            if host.falls_back
            else "refused, and no password is asked for",
        ),
        (
            "stale",
            stale,
            "a passcode that today's rules would refuse",
            "the old one accepted once more and changed before anything is run; then the new one alone",
        ),
        ("cancel", cancel, "Ctrl-C at the prompt", "not let in, nothing counted, no program of ours left"),
    ):
        if names and name not in names:
            continue
        row(f"{host.name}-{name}", f"{host.name}: {title}", expected)(lambda lab, act=act: act(lab, host))


def argue(service, *arguments):
    """Gives the module arguments in the stack of a service that asks for the passcode."""
    path = pathlib.Path("/etc/pam.d", f"uaf-{service}")
    before = path.read_text()
    after = re.sub(r"(?m)^(auth .*pam_uaf\.so)$", rf"\1 {' '.join(arguments)}", before)
    must(after != before, f"{path} does not ask pam_uaf")
    path.write_text(after)


@contextlib.contextmanager
def no_one_runs(program=HELPER):
    """Inside this context nobody can start a program (by default the core)."""
    mode = os.stat(program).st_mode
    os.chmod(program, 0)
    try:
        yield
    finally:
        os.chmod(program, mode)


def own_lines(lab, mark):
    """The module's and the core's log lines since a position."""
    return [line for line in lab.log.since(mark) if "pam_uaf(" in line or "pam-uaf[" in line]


def verdicts(lab, mark, person):
    """The results of a person's logins in the log, in order, including logins through the core's socket."""
    lines = [dict(part.split("=", 1) for part in line.split() if "=" in part) for line in lab.log.since(mark)]
    return [line["result"] for line in lines if line.get("event") == "authenticate" and line.get("uid") == str(person.uid)]


def tries(lab, person, remote=False):
    """A person's remaining tries."""
    standing = lab.status(person)["authenticators"][0]
    return (standing["remote"] if remote else standing)["remainingTries"]


def nothing_happened(lab, person):
    """Checks after an aborted login: nothing is counted, no program is left running, the right value logs in."""
    must(not (left := gone()), f"programs of ours are left: {left}")
    left = tries(lab, person), tries(lab, person, remote=True)
    must(left == (5, 5), f"{left} tries (local, remote) are left of 5")
    must(lab.login(person, person.passcode).is_in, "the right value is refused afterwards")


def speaking(language, act):
    """Runs something while the configuration sets the default language."""
    before = CONFIGURATION.read_text()
    CONFIGURATION.write_text(f'{before}\n[general]\nlanguage = "{language}"\n')
    try:
        return act()
    finally:
        CONFIGURATION.write_text(before)


def in_each_language(lab, host, case, answers, people=None):
    """Logs a person in for each language in parallel and compares the output; returns (person, session)s."""
    people = people or {language: lab.person() for language in LANGUAGES}
    logins = [
        lambda language=language, person=person: host.log_in(person, language, *answers(person))
        for language, person in people.items()
    ]
    sessions = at_once(*logins) if host.has_locale else [speaking(language, login) for language, login in zip(people, logins)]
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
        must(verdicts(lab, mark, person) == ["0"], f"in the log: {verdicts(lab, mark, person)}")
        must(session.transcript.count(f"[{person.passcode}]") == 1, f"more than one prompt: {session.transcript}")
    return "in, after one hidden prompt"


def wrong(lab, host):
    host.prepare(lab)
    mark = lab.log.mark()
    for person, session in in_each_language(lab, host, "wrong", lambda person: [WRONG, *host.again(person)]):
        found, again = verdicts(lab, mark, person), bool(host.again(person))
        must(session.is_in == again, f"after a wrong one and {host.again(person)}: {session}")
        must(found == [hosts.WRONG] + ["0"] * again, f"in the log: {found}")
    return "told; " + ("asked again, and the right one in" if again else "refused, and not asked again")


def lock(lab, host):
    lab.configure(lock=LOCK, more=REMOTE_LOCK)
    host.prepare(lab)
    people = {language: lab.person() for language in LANGUAGES}
    for person in people.values():
        lab.guesses(person, LIMIT - 1, remote=host.remote, prefix=host.prefix())
    is_apart = bool(host.remote or host.prefix())
    mark = lab.log.mark()
    for _, session in in_each_language(lab, host, "lock", lambda person: [WRONG, *host.again(person)], people):
        must(not session.is_in, f"locked, and let in: {session}")
    for person, session in in_each_language(lab, host, "locked", lambda person: [person.passcode], people):
        found = verdicts(lab, mark, person)
        must(not session.is_in, f"locked, and the right value got in: {session}")
        # The wrong value that locks is reported as a lock, unless states are hidden.
        first = hosts.WRONG if host.remote else hosts.LOCKED
        must(found[:2] == [first, hosts.LOCKED] and set(found[2:]) <= {hosts.LOCKED, HUNG_UP}, f"in the log: {found}")
        must(lab.login(person, person.passcode).is_in == is_apart, "the local count is not its own")
    return f"locked by the wrong one number {LIMIT}, the right one refused ({hosts.LOCKED})" + (
        "; by a login of the person's own still in" if is_apart else ""
    )


def down(lab, host):
    people = {language: lab.person() for language in LANGUAGES}
    mistaken = lab.person()
    host.prepare(lab)
    lab.configure(port=CLOSED_PORT)
    logins, wrong_one = at_once(
        lambda: in_each_language(lab, host, "down", lambda person: [person.passcode, person.password], people),
        lambda: host.log_in(mistaken, "en", WRONG, mistaken.password),
    )
    for _, session in logins:
        must(session.is_in == host.falls_back, f"without the server: {session}")
    must(not wrong_one.is_in, f"a wrong passcode, then the password: {wrong_one}")
    return "the password in, after the right passcode alone" if host.falls_back else "refused"


def cancel(lab, host):
    host.prepare(lab)
    person = lab.person()
    session = host.log_in(person, "en", hosts.INTERRUPT)
    transcripts.check(f"{host.name}-cancel.en", session, person)
    must(not session.is_in, f"let in: {session}")
    nothing_happened(lab, person)
    return f"ended with {session.status}; all 5 tries left"


def stale(lab, host):
    people = {language: lab.person(registered=False) for language in LANGUAGES}
    for person in people.values():
        person.passcode = "short-" + person.name
        lab.register(person)
    new = "a-longer-passcode-77"
    host.prepare(lab)
    lab.configure(more="[passcode]\nmin_length = 16")
    # The first new passcode is refused by the rules, too.
    answers = ["short-too", new, new]
    for person, session in in_each_language(
        lab, host, "stale", lambda person: [person.passcode, person.passcode, *answers], people
    ):
        must(session.is_in, f"not let in: {session}")
        must(not lab.login(person, person.passcode).is_in, "the old one still gets in")
        must(lab.login(person, new).is_in, "the new one does not get in")
    return "asked for the old one once more, refused a short one, changed; the new one alone gets in"
