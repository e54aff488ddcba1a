"""sudo, on a terminal."""

import subprocess
import time

from lab import hosts
from lab.table import must, row
from lab.waiting import at_once
from system import cases, transcripts
from system.cases import LANGUAGES


def allow(lab, *defaults):
    """Lets everybody use sudo, which asks three times."""
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL", "Defaults passwd_tries=3", *defaults)


def prepare(lab):
    hosts.ask_uaf(lab, "sudo")
    allow(lab)


def sudo(person, language, *answers):
    return hosts.sudo(person, *answers, environment=LANGUAGES[language])


SUDO = cases.Host("sudo", prepare, sudo, again=lambda person: [person.passcode])
cases.enter(SUDO)


def asked(session):
    """How many times the person was asked."""
    return session.text.count("Passcode for")


@row("sudo-tries", "sudo: a wrong passcode as often as sudo asks", "told and counted each time, then sudo gives up")
def every_try(lab):
    prepare(lab)
    person = lab.person()
    session = hosts.sudo(person, "wrong-1", "wrong-2", "wrong-3", person.passcode)
    transcripts.check("sudo-tries.en", session, person)
    must(not session.is_in and asked(session) == 3, f"after three wrong ones: {session}")
    must(cases.tries(lab, person) == 2, f"{cases.tries(lab, person)} tries are left of 5")
    return "asked 3 times, 2 tries left of 5"


@row(
    "sudo-timeout",
    "sudo: nobody answers, until passwd_timeout; somebody answers after the module's timeout=",
    "not let in, nothing counted",
)
def nobody_answers(lab):
    prepare(lab)
    allow(lab, "Defaults passwd_timeout=0.04")
    silent, late = lab.person(), lab.person()
    session = hosts.sudo(silent, hosts.NOTHING)
    transcripts.check("sudo-timeout.en", session, silent)
    must(not session.is_in, f"let in without an answer: {session}")
    cases.nothing_happened(lab, silent)
    cases.argue("sudo", "timeout=1")
    began = time.monotonic()
    session = hosts.sudo(late, lambda: time.sleep(1.2) or late.passcode)
    transcripts.check("sudo-late.en", session, late)
    must(not session.is_in, f"let in after the end: {session}")
    cases.nothing_happened(lab, late)
    return f"ended by sudo; an answer after timeout=1 refused, {time.monotonic() - began:.1f} s"


@row(
    "sudo-instead",
    "sudo with the passcode in the password's place: the server cannot be reached",
    "refused, and no password is asked for",
)
def instead(lab):
    hosts.ask_uaf(lab, "sudo", "instead")
    allow(lab)
    person = lab.person()
    lab.configure(port=cases.CLOSED_PORT)
    session = hosts.sudo(person, person.passcode, person.password)
    transcripts.check("sudo-instead-down.en", session, person)
    must(not session.is_in and "password for" not in session.text, f"without the server: {session}")
    return "refused, and asked for the passcode again"


@row(
    "sudo-second",
    "sudo with the passcode as a second factor: right, wrong password, wrong passcode",
    "the password and then the passcode; a wrong password asks for no passcode",
)
def second_factor(lab):
    hosts.ask_uaf(lab, "sudo", "second-factor")
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    person = lab.person()
    session = hosts.sudo(person, person.password, person.passcode)
    transcripts.check("sudo-second.en", session, person)
    must(session.is_in, f"not let in: {session}")
    no_password, no_passcode = at_once(
        lambda: hosts.sudo(person, "wrong-1", person.passcode), lambda: hosts.sudo(person, person.password, "wrong-2")
    )
    must(not no_password.is_in and not asked(no_password), f"a wrong password: {no_password}")
    must(not no_passcode.is_in and asked(no_passcode) == 1, f"a wrong passcode: {no_passcode}")
    return "in with both; asked for no passcode after a wrong password"


@row(
    "sudo-ticket",
    "sudo again within timestamp_timeout; with timestamp_timeout=0; after sudo -k",
    "a ticket is asked nothing; without one each time",
)
def ticket(lab):
    prepare(lab)
    allow(lab, "Defaults timestamp_timeout=5, timestamp_type=global")
    person = lab.person()
    first, second = hosts.sudo(person, person.passcode), hosts.sudo(person)
    must(first.is_in and second.is_in and (asked(first), asked(second)) == (1, 0), f"with a ticket: {first} {second}")
    mark = lab.log.mark()
    must(hosts.sudo(person, options=("-n",)).is_in, "sudo -n with a ticket is refused")
    must(not cases.verdicts(lab, mark, person), "a ticket, and the core was asked")
    hosts.terminal(["sudo", "-k"], [], uid=person.uid)
    must(asked(hosts.sudo(person, person.passcode)) == 1, "after sudo -k nothing was asked")
    allow(lab)
    each = [hosts.sudo(person, person.passcode) for _ in range(2)]
    must([asked(session) for session in each] == [1, 1], f"timestamp_timeout=0: {each}")
    return "asked, not asked, asked after sudo -k; with timestamp_timeout=0 asked each time"


@row(
    "sudo-rescue",
    "sudo by a member of uaf-rescue, with the server down and the core missing",
    "the password alone, and the core is not started",
)
def rescue(lab):
    prepare(lab)
    person = lab.person()
    lab.run("groupadd", "--force", "uaf-rescue")
    lab.run("usermod", "--append", "--groups", "uaf-rescue", person.name)
    lab.configure(port=cases.CLOSED_PORT)
    with cases.no_one_runs():
        mark = lab.log.mark()
        session = hosts.sudo(person, person.password)
        transcripts.check("sudo-rescue.en", session, person)
        must(session.is_in, f"the second way in is closed: {session}")
        must(not hosts.sudo(person, "wrong-guess-1").is_in, "any password gets in")
        must(not cases.own_lines(lab, mark), f"the module was asked: {cases.own_lines(lab, mark)}")
    return "in with the password, the module not asked"


def piped(person, *options, typed=""):
    """sudo without a terminal."""
    result = subprocess.run(
        ["sudo", *options, "sh", "-c", "echo let-in"],
        input=typed,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        user=person.uid,
        group=person.uid,
        extra_groups=[],
        cwd="/",
        start_new_session=True,
        check=False,
    )
    return hosts.Session(result.returncode, result.stdout, result.stdout)


@row(
    "sudo-options",
    "sudo -S, -n and none of them, without a terminal",
    "-S reads the passcode from standard input; without it nobody is asked, and nothing counted",
)
def options(lab):
    prepare(lab)
    person = lab.person()
    for what, typed, is_in in (("right", person.passcode, True), ("wrong", "wrong-guess-1\n", False)):
        session = piped(person, "-S", typed=typed + "\n")
        transcripts.check(f"sudo-stdin-{what}.en", session, person)
        must(session.is_in == is_in, f"-S with the {what} one: {session}")
    before = cases.tries(lab, person)
    for what, option in (("-n", ["-n"]), ("no terminal", [])):
        session = piped(person, *option, typed=person.passcode + "\n")
        transcripts.check(f"sudo-{'never' if option else 'nowhere'}.en", session, person)
        must(not session.is_in and not asked(session), f"{what}: {session}")
    must(cases.tries(lab, person) == before, "asking nobody was counted")
    return f"-S in with the right one alone; -n and no terminal refused, {before} tries left as before"


@row("sudo-i", "sudo -i", "asks as sudo does, with sudo-i as the service's name")
def login_shell(lab):
    prepare(lab)
    hosts.ask_uaf(lab, "sudo-i", template="sudo")
    person = lab.person()
    session = hosts.sudo(person, person.passcode, options=("-i",))
    transcripts.check("sudo-i.en", session, person)
    must(session.is_in and "(sudo-i)" in session.text, f"sudo -i: {session}")
    return "in, after one hidden prompt"
