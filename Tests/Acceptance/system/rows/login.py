"""login, at the console."""

import dataclasses
import pathlib
import re

from lab import hosts
from lab.table import must, row
from system import cases, transcripts
from system.cases import LANGUAGES


def prepare(lab):
    hosts.ask_uaf(lab, "login")
    # The message of the day is the machine's own.
    stack = pathlib.Path("/etc/pam.d/login")
    stack.write_text("".join(line for line in stack.read_text().splitlines(True) if "pam_motd" not in line))


LOGIN = cases.Host(
    "login",
    prepare,
    lambda person, language, *answers: hosts.console(person, *answers, environment=LANGUAGES[language]),
    # It asks for the name again, too.
    again=lambda person: [person.name, person.passcode],
)
cases.enter(LOGIN, "success", "wrong", "lock", "down", "stale")


def end_after(lab, seconds):
    """Makes login wait for this many seconds."""
    settings = pathlib.Path("/etc/login.defs")
    before = settings.read_text()
    lab.after(lambda: settings.write_text(before))
    settings.write_text(re.sub(r"(?m)^LOGIN_TIMEOUT.*$", f"LOGIN_TIMEOUT {seconds}", before))


def prepare_to_end(lab):
    prepare(lab)
    # util-linux's login ignores the key, and ends by its own clock.
    end_after(lab, 10)


cases.enter(dataclasses.replace(LOGIN, prepare=prepare_to_end), "cancel")


@row("login-timeout", "login: nobody answers, until LOGIN_TIMEOUT", "login ends, nothing counted, no core left")
def nobody_answers(lab):
    prepare(lab)
    end_after(lab, 2)
    person = lab.person()
    session = hosts.console(person, hosts.NOTHING)
    transcripts.check("login-timeout.en", session, person)
    must(not session.is_in and "after 2 seconds" in session.text, f"without an answer: {session}")
    cases.nothing_happened(lab, person)
    return "ended by login; all 5 tries left"


@row("login-language", "login: general.language where the person's locale names no language", "Korean")
def language(lab):
    prepare(lab)
    person = lab.person()
    session = cases.speaking("ko", lambda: hosts.console(person, person.passcode))
    transcripts.check("login-language.ko", session, person)
    must(session.is_in and "패스코드" in session.text, f'language = "ko": {session}')
    return "asked in Korean"
