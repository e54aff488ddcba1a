"""A screen locker: a program without root that answers every prompt with what its person has typed before."""

import itertools
import pathlib
import subprocess
import threading
import time

from lab import hosts
from lab.listener import serve
from lab.machine import PROGRAMS
from lab.table import must, row
from system import cases, transcripts
from system.cases import LANGUAGES

PROGRAM = pathlib.Path("/usr/local/bin/locker")


def stack(lab):
    """Makes lockers ask for the passcode; no listener serves the core's socket."""
    if not PROGRAM.exists():
        lab.compile(PROGRAMS / "locker.c", PROGRAM)
    lab.stack("locker", "@include common-auth")
    hosts.ask_uaf(lab, "locker")


def prepare(lab):
    stack(lab)
    serve(lab)


def unlock(person, language, typed, *_, account=None, how=()):
    """A person types an entry, and the locker checks it; by default for their own account."""
    result = subprocess.run(
        [PROGRAM, "locker", (account or person).name, *how],
        input=typed + "\n",
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        user=person.uid,
        group=person.uid,
        extra_groups=[],
        cwd="/",
        timeout=90,
        env={"PATH": "/usr/bin:/bin", **LANGUAGES[language]},
        check=False,
    )
    return cases.told(result.returncode, result.stdout, itertools.repeat(typed))


# A locker gives the same string to every prompt, so it cannot answer both a passcode and a password.
LOCKER = cases.Host("locker", prepare, unlock, again=lambda person: [], falls_back=False)
cases.enter(LOCKER, "success", "wrong", "lock", "down")


@row("locker-cancel", "locker: it gives up at the prompt", "refused, nothing counted, no core left")
def cancel(lab):
    prepare(lab)
    person = lab.person()
    session = unlock(person, "en", person.passcode, how=["cancel"])
    transcripts.check("locker-cancel.en", session, person)
    must(not session.is_in, f"unlocked: {session}")
    cases.nothing_happened(lab, person)
    return f"PAM code {session.status}; all 5 tries left"


@row("locker-timeout", "locker: the answer comes later than the module's timeout=", "refused, nothing counted, no core left")
def late(lab):
    prepare(lab)
    cases.argue("locker", "timeout=1")
    person, when = lab.person(), pathlib.Path("/tmp/answer-now")
    lab.after(lambda: when.unlink(missing_ok=True))
    threading.Timer(1.3, when.touch).start()
    session = unlock(person, "en", person.passcode, how=[when])
    transcripts.check("locker-timeout.en", session, person)
    must(not session.is_in, f"unlocked: {session}")
    cases.nothing_happened(lab, person)
    return f"PAM code {session.status}; all 5 tries left"


@row(
    "locker-arguments",
    "locker: arguments of the module that are right, and some that are misspelt",
    "unlocked with the right ones; refused with each of the others, without a prompt, with nothing counted; doctor names it",
)
def arguments(lab):
    prepare(lab)
    person, lines = lab.person(), pathlib.Path("/etc/pam.d/uaf-locker")
    plain = lines.read_text()
    cases.argue("locker", "quiet", "tries=3", "timeout=60")
    session = unlock(person, "en", person.passcode)
    must(session.is_in and session.text.count("prompt ") == 1, f"with right ones: {session}")
    wrong = ("nouserokay", "timeout=601", "conf=relative.conf", "authenticator=face,pattern")
    for argument in wrong:
        lines.write_text(plain)
        cases.argue("locker", argument)
        session = unlock(person, "en", person.passcode)
        must(not session.is_in and "Passcode for" not in session.text, f"{argument}: {session}")
        told = lab.run("uafctl", "doctor", check=False)
        must(told.returncode == 1 and "[pam-argument]" in told.stdout, f"{argument}, doctor: {told.stdout}")
    cases.nothing_happened(lab, person)
    return f"in with three right ones; {len(wrong)} wrong ones refused before anybody was asked"


@row(
    "locker-alone", "locker: nobody can run unix_chkpwd, by which lockers check passwords", "unlocked with the passcode, as ever"
)
def without_passwords(lab):
    prepare(lab)
    person = lab.person()
    with cases.no_one_runs("/usr/sbin/unix_chkpwd"):
        session = unlock(person, "en", person.passcode)
    must(session.is_in, f"not unlocked: {session}")
    return "unlocked"


@row("locker-socket", "locker: the core's socket is not there", "refused at once, without a prompt")
def no_socket(lab):
    stack(lab)
    person = lab.person()
    began = time.monotonic()
    session = unlock(person, "en", person.passcode)
    transcripts.check("locker-socket.en", session, person)
    must(not session.is_in and "Passcode for" not in session.text, f"without a socket: {session}")
    return f"PAM code {session.status} after {time.monotonic() - began:.1f} s"


@row(
    "locker-other",
    "locker: somebody types another person's passcode for that person's account",
    "refused without a prompt; the other's tries are as before",
)
def another(lab):
    prepare(lab)
    person, other = lab.person(), lab.person()
    session = unlock(person, "en", other.passcode, account=other)
    transcripts.check("locker-other.en", session, person, other)
    must(not session.is_in and "Passcode for" not in session.text, f"another's account: {session}")
    cases.nothing_happened(lab, other)
    return f"PAM code {session.status}; all 5 tries of the other left"


@row(
    "locker-once",
    "locker: somebody with a passcode and a pattern, with every setting on that could add a prompt",
    "exactly one hidden prompt, for whichever of the two was used last",
)
def once(lab):
    person, pattern = lab.person(), "147896"
    lab.configure(
        authenticators='["passcode", "pattern"]',
        more="[prompt]\noffer_reset = true\ntries = 3",
        server='require_signed_verdict = true\nverdict_key = "/srv/uaf/verdict.pub"',
    )
    lab.run("uafctl", "register", person.name, "pattern", "--payload", lab.payload(person), answers=f"{pattern}\n{pattern}\n")
    prepare(lab)
    hosts.ask_uaf(lab, "sudo")
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    for number, value, what in (("1", person.passcode, "passcode"), ("2", pattern, "pattern")):
        choice = hosts.sudo(person, number, value)
        transcripts.check(f"sudo-choice-{what}.en", choice, person)
        must(choice.is_in, f"sudo with the {what}: {choice}")
        for typed in (value, cases.WRONG):
            session = unlock(person, "en", typed)
            must(session.is_in == (typed == value), f"the {what}, and then {typed}: {session}")
            must(session.text.count("prompt ") == 1, f"more than one prompt: {session}")
        transcripts.check(f"locker-{what}.en", session, person)
    return "one prompt for the passcode, one for the pattern, one for each wrong one"
