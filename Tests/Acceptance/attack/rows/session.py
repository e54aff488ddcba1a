"""Malware in a person's session: it talks to the core as that person, and knows no value and no code."""

import contextlib
import pathlib
import socket
import sqlite3
import subprocess

from attack import peer, wire
from lab import hosts
from lab.listener import serve
from lab.machine import HELPER, STATE
from lab.table import must, row

LIMIT = 10
MANY = f"retry_count_to_lock = {LIMIT}\nlock_time = 300\nmax_lock_count = 10"
BOTH = '["passcode", "pattern"]'
# What the malware answers to each kind of prompt.
WISHES = {b"passcode": "stolen-kite-11", b"pattern": "147896", b"choice": "1", b"code": "made-up-code-123456"}
RESUME = b"\x04"
# The exit status of a core that is not started as root.
NOT_ROOT = 77


def records(*people):
    """Every record of some accounts, by content, and every other file of the state, without the counts."""
    found: dict = {path.name: b"" for path in STATE.glob("accounts/*")}
    for path in sorted(STATE.rglob("*")):
        if not path.is_file() or path.suffix == ".lock" or path.name.endswith("-journal"):
            continue
        if path.suffix == ".db" and path not in [person.state for person in people]:
            continue
        if path.suffix != ".db":
            found[path.name] = path.read_bytes()
            continue
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            for kind, name, body, mac in database.execute("SELECT kind, name, body, mac FROM record"):
                if kind != b"ledger":
                    found[path.name, kind, name] = (body, mac)
    return found


def wish(person, packet, wishes=WISHES):
    """Opens a conversation as a person and gives the malware's answer to each prompt; returns the verdict, or None."""
    talk = peer.Conversation(person.uid)
    messages = []
    talk.send(packet)
    with contextlib.suppress(BrokenPipeError, ConnectionError):
        while message := talk.receive():
            messages.append(message)
            if message[0] == peer.PROMPT:
                talk.send(peer.answer(wishes[message[1][2]]))
            elif message[0] == peer.READY:
                talk.send(RESUME)
    talk.close()
    return peer.verdict(messages)


def payloads(lab, person, other):
    """The person's own valid payload, and payloads that must have no effect, each with its fault."""
    own, foreign = (pathlib.Path(lab.payload(who)).read_text().strip() for who in (person, other))
    trusted = pathlib.Path("/etc/ssl/uaf-ca.pem")
    before = trusted.read_bytes()
    server = lab.start_server("/srv/evil", 8555)
    trusted.write_bytes(before)
    lab.after(lambda: lab.stop(server))
    evil = pathlib.Path(lab.payload(person, "/srv/evil")).read_text().strip()
    authority = pathlib.Path("/srv/evil/ca.pem").read_text()
    return own, {
        "a code made up": peer.forged_payload(own, authCode=wire.MADE_UP),
        "another's payload": foreign,
        "another's code": peer.forged_payload(foreign, username=person.name),
        "a server of its own": evil,
        "an authority of its own": peer.forged_payload(own, ca=authority),
        "this authority for its own server": peer.forged_payload(evil, ca=before.decode()),
        "another's name": peer.forged_payload(own, username=other.name),
        "root's name": peer.forged_payload(own, username="root"),
        "no payload at all": "e30",
    }


def packets(person, other, forged):
    """The malware's first packets, by purpose."""
    begin, found = peer.begin, {}
    for name, operation in peer.OPERATIONS.items():
        found[f"{name}"] = begin(operation, service="uafctl")
        for kind in ("passcode", "pattern"):
            found[f"{name} {kind}"] = begin(operation, service="uafctl", authenticator=kind)
        for what, payload in forged.items():
            found[f"{name} with {what}"] = begin(operation, service="uafctl", authenticator="pattern", payload=payload)
        found[f"{name} for another uid"] = begin(operation, uid=other.uid)
        found[f"{name} for root"] = begin(operation, uid=0, account="root", typed_name="root")
        found[f"{name} for another name"] = begin(operation, account=other.name)
        found[f"{name} with another configuration"] = begin(operation, argument="conf=/home/pam_uaf.conf")
    good = begin(peer.AUTHENTICATE)
    yes = bytes([peer.FINISHED]) + peer.field(1, b"\0") + peer.field(2, bytes(4))
    for number, frame in enumerate((yes, b"\0", b"\x7f", good + b"\0", good[:-1], good + good[1:], good * 2, b"\x41")):
        found[f"forged frame {number}"] = frame
    return found


@row(
    "A36",
    "malware in the session: an additional authenticator, its own server or authority, other accounts, forged frames",
    "no record changes without a code for that account or a verification; trust comes only from root's configuration",
    causes=("the person",),
)
def malware(lab):
    person, other = lab.person(), lab.person()
    # Where the server's confirmation need not be signed, the person's codes have no effect; so the row tests the signed case.
    signed = 'require_signed_verdict = true\nverdict_key = "/srv/uaf/verdict.pub"'
    lab.configure(lock=MANY, authenticators=BOTH, server=signed)
    serve(lab)
    own, forged = payloads(lab, person, other)
    enrolled = lab.run("uaf-server", "users", "--state", "/srv/uaf").stdout
    before, ended, silent = records(person, other), 0, 0
    for what, packet in packets(person, other, forged).items():
        verdict = wish(person, packet)
        # The person's own status is all that the malware may obtain.
        must(verdict is None or verdict[0] != 0 or what.startswith("status"), f"{what}: succeeded with {verdict}")
        now = records(person, other)
        changed = {key for key in before.keys() | now.keys() if before.get(key) != now.get(key)}
        must(not changed, f"{what}: changed {changed}")
        ended, silent = ended + (verdict is not None), silent + (verdict is None)
        if lab.status(person)["authenticators"][0]["remainingTries"] < 3:
            lab.run("uafctl", "unlock", person.name)
    must(lab.run("uaf-server", "users", "--state", "/srv/uaf").stdout == enrolled, "the server's accounts have changed")
    # The comparison detects a change, and the valid code was not consumed by the attempts.
    with_own = peer.begin(peer.REGISTER, authenticator="pattern", payload=own)
    lab.configure(lock=MANY, authenticators=BOTH)
    verdict = wish(person, with_own)
    must(verdict and verdict[0] != 0 and records(person, other) == before, f"its own code, no signed yes: {verdict}")
    lab.configure(lock=MANY, authenticators=BOTH, server=signed)
    verdict = wish(person, with_own)
    must(verdict and verdict[0] == 0 and records(person, other) != before, f"with its own code: {verdict}")
    return (
        f"{ended} conversations refused and {silent} ended; {len(before)} records and files the same, the server's "
        f"accounts too; then the right code added {len(records(person, other)) - len(before)} records"
    )


def by_hand(person, program):
    """Starts the core as a person with a socket as its descriptor 3, asks, and returns (status, answer)."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = subprocess.Popen(
        ["sh", "-c", f'exec 3<&{theirs.fileno()} && exec "$@"', "sh", *program],
        user=person.uid,
        group=person.uid,
        extra_groups=[],
        cwd="/",
        pass_fds=(theirs.fileno(),),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    theirs.close()
    ours.settimeout(20)
    found = []
    with contextlib.suppress(ConnectionError):
        ours.send(peer.begin(peer.AUTHENTICATE, uid=person.uid, account=person.name))
        while packet := ours.recv(65537):
            found.append(peer.read(packet))
            if found[-1][0] == peer.PROMPT:
                ours.send(peer.answer(person.passcode))
    ours.close()
    return process.wait(20), peer.verdict(found)


@row(
    "A34",
    "the core started by hand, or asked over the socket by another user",
    "the caller gains nothing and bypasses no count",
    causes=("a local user",),
)
def another_user(lab):
    person, other = lab.person(), lab.person()
    lab.configure(lock=MANY)
    serve(lab)
    linker = lab.run("sh", "-c", "ls /lib64/ld-linux-*").stdout.strip()
    starts = {"by hand": [HELPER], "through the linker": [linker, HELPER]}
    shown = []
    for what, program in starts.items():
        status, verdict = by_hand(person, program)
        must(status == NOT_ROOT and verdict is None, f"{what}: exit {status}, answer {verdict}")
        shown.append(f"{what}: exit {status}, no answer")
    refused = 0
    for operation in peer.OPERATIONS.values():
        for fields in ({"uid": other.uid}, {"uid": other.uid, "account": other.name}, {"account": other.name}):
            verdict = wish(person, peer.begin(operation, **fields), {b"passcode": other.passcode})
            must(verdict and verdict[0] != 0 and verdict[1] == 1001, f"operation {operation} with {fields}: {verdict}")
            refused += 1
    left = lab.status(other)["authenticators"][0]["remainingTries"]
    must(left == LIMIT, f"asking for another account took {LIMIT - left} of its tries")
    # The person's own account: the socket and PAM share one count.
    results = [wish(person, peer.begin(peer.AUTHENTICATE))[1] for _ in range(LIMIT - 3)]
    mark = lab.log.mark()
    lab.guesses(person, 4)
    through_pam = lab.verdicts(mark, person)
    must([str(result) for result in results] == [hosts.WRONG] * (LIMIT - 3), f"over the socket: {results}")
    must(through_pam == [hosts.WRONG] * 3 + [hosts.LOCKED], f"then through PAM: {through_pam}")
    verdict = wish(person, peer.begin(peer.AUTHENTICATE), {b"passcode": person.passcode})
    must(verdict[1] == int(hosts.LOCKED), f"locked, and over the socket the right value has {verdict}")
    return (
        f"{'; '.join(shown)}; {refused} requests for another account refused (1001), none of its tries taken; one "
        f"count: {LIMIT - 3} over the socket and 3 through PAM, then locked for both"
    )
