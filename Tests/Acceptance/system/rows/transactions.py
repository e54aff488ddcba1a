"""The text that a person confirms when sudo asks: shown first, signed, stored at the server, and checked again later."""

import base64
import contextlib
import hashlib
import json
import pathlib
import socket
import sqlite3

from lab import forger, hosts
from lab.table import must, row
from lab.waiting import at_once
from system import cases, transcripts
from system.cases import LANGUAGES

SECTION = "[service.sudo]\ntransaction = true"
STORE = "/srv/uaf/server.db"
COMMAND = r"sudo: sh -c 'printf '\''let-%s\n'\'' in'"
SENT_BACK = "1001"


def prepare(lab, **options):
    lab.configure(more=SECTION, **options)
    hosts.ask_uaf(lab, "sudo")
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")


def text(person, more=""):
    """The text for what hosts.sudo runs."""
    return f"{person.name}@{socket.gethostname()}: {COMMAND}{more}".replace("\\", "\\\\")


def audit(lab, person):
    """The server's texts of a person: (number, verdict, text) of each, and the exit status."""
    result = lab.run("sh", "-c", f"uaf-server audit texts {person.name} --state /srv/uaf 2>/dev/null", check=False)
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    return [(number, verdict, shown) for number, _, _, verdict, shown in lines], result.returncode


def shown_by_number(lab, number):
    """The output of `audit show`, split into words."""
    result = lab.run("uaf-server", "audit", "show", number, "--state", "/srv/uaf", check=False)
    return {line[:11].strip(): line[11:] for line in result.stdout.splitlines()}, result.returncode


def kept(lab, person, expected):
    """Checks a person's only text in `audit texts` and `audit show`; returns the output of the latter."""
    found, status = audit(lab, person)
    must(status == 0 and [line[1:] for line in found] == [("ok", expected)], f"audit texts: {found}, {status}")
    words, status = shown_by_number(lab, found[0][0])
    must(
        status == 0 and (words["account"], words["text"], words["signature"]) == (person.name, expected, "ok"),
        f"audit show: {words}, {status}",
    )
    return words


@row(
    "transaction-shown",
    "sudo with transaction = true: right, wrong, Ctrl-C",
    "account, host and command shown before the passcode; what was accepted is kept and verifies, nothing else is",
)
def shown(lab):
    prepare(lab)
    people, mistaken = {language: lab.person() for language in LANGUAGES}, lab.person()
    sessions = at_once(
        *(
            lambda person=person, language=language: hosts.sudo(person, person.passcode, environment=LANGUAGES[language])
            for language, person in people.items()
        )
    )
    for (language, person), session in zip(people.items(), sessions):
        transcripts.check(f"transaction-shown.{language}", session, person)
        must(session.is_in, f"not let in: {session}")
        before = session.transcript.partition(f"[{person.passcode}]")[0]
        must(text(person) in before, f"not shown before the passcode: {session.transcript}")
        words = kept(lab, person, text(person))
        must(words["signed"] == text(person), f"signed was {words['signed']}")
    for answer in (cases.WRONG, hosts.INTERRUPT):
        must(not hosts.sudo(mistaken, answer).is_in, "let in")
    must(audit(lab, mistaken) == ([], 0), f"kept of what failed: {audit(lab, mistaken)}")
    return f"kept and verified: {words['time']} {words['account']} {words['text']}"


@row(
    "transaction-service",
    "sudo with transaction = true, where sudoers names another service (pam_service)",
    "the command is shown before the passcode, and kept, as with sudo's own service",
)
def of_another_service(lab):
    lab.stack("corp", *pathlib.Path("/etc/pam.d/sudo").read_text().splitlines())
    lab.configure(more="[service.corp]\ntransaction = true")
    hosts.ask_uaf(lab, "corp", template="sudo")
    hosts.sudoers(lab, "Defaults pam_service=corp", "ALL ALL=(ALL) ALL")
    person = lab.person()
    session = hosts.sudo(person, person.passcode)
    before = session.transcript.partition(f"[{person.passcode}]")[0]
    must(session.is_in and text(person) in before, f"not in, or not shown before the passcode: {session.transcript}")
    return f"kept and verified: {kept(lab, person, text(person))['text']}"


def shortened(whole, head, tail):
    """A text that is too long, by its head, its tail, its length and its SHA-256."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(whole.encode()).digest()).rstrip(b"=").decode()
    return f"{whole[:head]}\\..{whole[-tail:]}\\#{len(whole)}:{digest}"


@row(
    "transaction-long",
    "sudo with transaction = true: commands of 300, 1,900, 2,500 and 10,000 characters",
    "shown whole up to 520, as head, tail, length and SHA-256 beyond that, and signed so from 201 on; kept whole up to "
    "2,048; beyond refused before anybody is asked",
)
def long(lab):
    prepare(lab)
    person = lab.person()
    argument = "x" * 300
    session = hosts.sudo(person, person.passcode, more=(argument,))
    expected = text(person, " " + argument)
    transcripts.check("transaction-long.en", session, person)
    must(session.is_in and expected in session.text, f"not let in, or not shown whole: {session}")
    signed = shortened(expected, 80, 60)
    must(kept(lab, person, expected)["signed"] == signed, f"signed is not {signed}")
    other = lab.person()
    session = hosts.sudo(other, other.passcode, more=("x" * 1900,))
    longer = text(other, " " + "x" * 1900)
    must(session.is_in and shortened(longer, 300, 160) in session.text, f"1,900 characters: {session}")
    must(kept(lab, other, longer)["signed"] == shortened(longer, 80, 60), "1,900 characters: signed otherwise")
    for count in (2500, 10_000):
        session = hosts.sudo(person, person.passcode, person.password, more=("x" * count,))
        transcripts.check("transaction-too-long.en", session, person)
        must(not session.is_in and person.name + "@" not in session.text, f"{count} characters: {session}")
    kept(lab, person, expected)
    return f"{len(expected)} characters signed as {len(signed)}; 2,500 and 10,000 refused, and nothing kept of them"


@row(
    "transaction-bytes",
    "sudo with transaction = true: a command with other bytes than printable ASCII",
    "each shown as \\xHH, none as it is; kept and verified as shown",
)
def other_bytes(lab):
    prepare(lab)
    person = lab.person()
    session = hosts.sudo(person, person.passcode, more=("é", "\x1b[2J", "a\\b", "\u202e", "two\nlines", ""))
    escaped = [r"'\xC3\xA9'", r"'\x1B[2J'", r"'a\\b'", r"'\xE2\x80\xAE'", r"'two\x0Alines'", "''"]
    expected = text(person) + " " + " ".join(escaped)
    transcripts.check("transaction-bytes.en", session, person)
    must(session.is_in and expected in session.text, f"not let in, or not shown so: {session}, {expected}")
    must("\x1b" not in session.text and "é" not in session.text, f"raw bytes on the terminal: {session}")
    kept(lab, person, expected)
    return expected


LIES = {
    "another command": lambda content: content.replace(b"sudo: sh", b"sudo: id"),
    "another account": lambda content: content.replace(b"mina", b"root"),
    "nothing": lambda content: b"",
    "no text at all": lambda content: None,
}


def lying(lie):
    """A proxy that forwards everything except the text to confirm."""

    def reply(request):
        _, body = forger.ask(request.path, request.body)
        outer = json.loads(body)
        messages = json.loads(outer.get("uafRequest") or "[]")
        for message in messages:
            for one in message.get("transaction", []):
                content = lie(base64.urlsafe_b64decode(one["content"] + "=="))
                if content is None:
                    del message["transaction"]
                    break
                one["content"] = base64.urlsafe_b64encode(content).rstrip(b"=").decode()
            outer["uafRequest"] = json.dumps(messages)
        return forger.answer(json.dumps(outer))

    return reply


@row(
    "transaction-lie",
    "sudo with transaction = true: the server sends back another text to sign than the machine sent",
    f"refused ({SENT_BACK}); the other text never shown, nothing signed and nothing kept",
)
def lies(lab):
    between = forger.Forger(lab, lying(lambda content: content), shown=forger.STOLEN)
    person = lab.person()
    prepare(lab, port=between.port)
    must(hosts.sudo(person, person.passcode).is_in, "an honest text is refused")
    before, mark = audit(lab, person), lab.log.mark()
    for what, lie in LIES.items():
        between.reply = lying(lie)
        heard = len(between.heard)
        session = hosts.sudo(person, person.passcode, person.password)
        must(not session.is_in, f"{what}: let in: {session}")
        must("sudo: id" not in session.text and "root@" not in session.text, f"{what}: shown: {session}")
        sent = [request.path for request in between.heard[heard:]]
        must("/uaf/respond" not in sent, f"{what}: answered: {sent}")
    transcripts.check("transaction-lie.en", session, person)
    found = cases.verdicts(lab, mark, person)
    must(found == [SENT_BACK] * len(LIES), f"in the log: {found}")
    must(audit(lab, person) == before, f"kept: {audit(lab, person)}")
    return f"{', '.join(LIES)}: refused, and nothing sent"


FORGERIES = {
    "the text": ("shown", lambda shown: shown.replace("sudo: sh", "sudo: id"), "a different text was signed"),
    "the account in the text": ("shown", lambda shown: shown.replace("mina", "nina"), "a different text was signed"),
    "the challenge": ("fcParams", lambda parameters: parameters + "A", "the signature is for different challenge parameters"),
    "the signature": (
        "assertion",
        lambda assertion: assertion[:-1] + bytes([assertion[-1] ^ 1]),
        "the signature was not made with the stored key",
    ),
    "the key": ("publicKey", lambda key: key[:-1] + bytes([key[-1] ^ 1]), "the signature was not made with the stored key"),
}


@row(
    "transaction-audit",
    "somebody with the server's database changes what was confirmed",
    "`audit texts` and `audit show` say what does not hold, and end with 1; other texts still hold",
)
def tampered(lab):
    prepare(lab)
    person = lab.person()
    for argument in ("one", "two"):
        must(hosts.sudo(person, person.passcode, more=(argument,)).is_in, "not let in")
    (number, *_), second = audit(lab, person)[0]
    for what, (column, change, fault) in FORGERIES.items():
        with contextlib.closing(sqlite3.connect(STORE, timeout=10)) as store:
            (before,) = store.execute(f"SELECT {column} FROM confirmation WHERE id = ?", (number,)).fetchone()

            def write(value):
                store.execute(f"UPDATE confirmation SET {column} = ? WHERE id = ?", (value, number))
                store.commit()

            write(change(before))
            found, status = audit(lab, person)
            words, one = shown_by_number(lab, number)
            write(before)
        must((status, one) == (1, 1), f"{what} was changed, and the audit ended with {status} and {one}")
        must((found[0][1], words["signature"]) == (fault, fault), f"{what}: {found[0]}, {words}")
        must(found[1] == second, f"{what}: the other text: {found[1]}")
    must(audit(lab, person)[1] == 0, "put back, and it does not hold")
    return f"{', '.join(FORGERIES)}: each told by name"
