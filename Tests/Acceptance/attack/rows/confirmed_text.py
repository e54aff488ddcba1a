"""The text that a person confirms for sudo, and a confirmation whose sudo has ended."""

import base64
import contextlib
import hashlib
import os
import pathlib
import pty
import signal
import socket
import sqlite3
import threading
import time

from lab import forger, hosts, processes
from lab.table import must, row
from lab.waiting import at_once, until

SECTION = "[service.sudo]\ntransaction = true\n[service.sudo-i]\ntransaction = true"
STORE = "/srv/uaf/server.db"
SHELL = pathlib.Path("/usr/local/bin/say-it-is-in")
EDITED = "/etc/edited"
SAY = ("sh", "-c", "printf 'let-%s\\n' in")
SHOWN = r"sh -c 'printf '\\''let-%s\\n'\\'' in'"
LONG = "x" * 1900
# A terminal of 24 lines shows this text, the prompt and the lines before it.
MOST_LINES = 10


def prepare(lab, *defaults, **options):
    lab.configure(more=SECTION, **options)
    hosts.ask_uaf(lab, "sudo")
    lab.stack("sudo-i", *pathlib.Path("/etc/pam.d/sudo").read_text().splitlines())
    hosts.sudoers(lab, "ALL ALL=(ALL:ALL) SETENV: ALL", "Defaults runcwd=*, runchroot=*", *defaults)
    SHELL.write_text(f"#!/bin/sh\n{hosts._SAY}\n")
    SHELL.chmod(0o755)
    pathlib.Path(EDITED).write_text("let-in\n")
    lab.after(pathlib.Path(EDITED).unlink)


def who(person):
    return f"{person.name}@{socket.gethostname()}"


def kept(person):
    """The texts of a person that the server keeps."""
    with contextlib.closing(sqlite3.connect(STORE, timeout=10)) as store:
        return [
            text for (text,) in store.execute("SELECT shown FROM confirmation ORDER BY id") if text.startswith(person.name + "@")
        ]


# The command, and the words that describe it.
FORGERIES = {
    "another name for sudo": (["bash", "-c", "exec -a ls sudo -s"], "sudo, called as ls, shell"),
    "a prompt of the caller's": (["sudo", "-p", "Passcode for the screen lock: ", *SAY], f"sudo: {SHOWN}"),
    "a prompt in the environment": (["env", "SUDO_PROMPT=Password: ", "sudo", *SAY], f"sudo: {SHOWN}"),
    "a shell": (["sudo", "-s"], "sudo, shell"),
    "a login shell of another user": (["sudo", "-iu", "root", *SAY], f"sudo, login shell, as user root: {SHOWN}"),
    "options together": (
        ["sudo", "-kHu", "root", "-D/tmp", "--group=root", "A=b c", *SAY],
        f"sudo, with the target's home, as user root, in directory /tmp, as group root, with 'A=b c': {SHOWN}",
    ),
    "a shortened long option": (["sudo", "--us", "root", "--", *SAY], f"sudo, as user root: {SHOWN}"),
    "an editor": (["bash", "-c", f"exec -a sudoedit sudo {EDITED}"], f"sudo, edit: {EDITED}"),
    "words of ours as arguments": (
        ["sudo", *SAY, f"mina@vm: sudo, shell: {'': <70}id"],
        f"sudo: {SHOWN} 'mina@vm: sudo, shell:'[71 spaces]'id'",
    ),
    "a long command": (["sudo", *SAY, LONG, "--harmless"], None),
}


def lines_of(text):
    """How many lines the text needs on a terminal of 80 columns."""
    return sum(max(1, -(-len(line) // 80)) for line in text.splitlines())


def seen(person, session, expected):
    """Checks that a text was on the screen before the passcode was typed; returns the screen."""
    before = session.transcript.partition(f"[{person.passcode}]")[0]
    must(expected in before, f"not on the screen before the passcode: {expected!r}: {session.transcript!r}")
    return before


def try_one(lab, name, person):
    """Tries one forgery; checks what the screen shows and what the server keeps."""
    command, words = FORGERIES[name]
    environment = {"SHELL": str(SHELL), "EDITOR": str(SHELL)}
    session = hosts.terminal(command, [person.passcode], uid=person.uid, environment=environment)
    must(session.is_in, f"{name}: it did not run: {session}")
    if words is None:
        whole = f"{who(person)}: sudo: {SHOWN} {LONG} --harmless"
        before = seen(person, session, whole[:200])
        digest = base64.urlsafe_b64encode(hashlib.sha256(whole.encode()).digest()).rstrip(b"=").decode()
        must(f"--harmless\\#{len(whole)}:{digest}\n" in before, f"{name}: no end, length and hash: {before!r}")
        expected = whole
    else:
        expected = f"{who(person)}: {words}"
        before = seen(person, session, expected + "\n")
    must(lines_of(before) <= MOST_LINES, f"{name}: {lines_of(before)} lines")
    must(kept(person) == [expected], f"{name}: the server keeps {kept(person)}")
    return lines_of(before)


@row(
    "A46",
    "sudo called under another name, with a prompt, options, environment and arguments that hide what it does",
    "the screen names the program, the options in words and the command, before the passcode and on at most "
    f"{MOST_LINES} lines; the server stores exactly that",
    causes=("a local user",),
)
def forged_texts(lab):
    prepare(lab)
    people = {name: lab.person() for name in FORGERIES}
    counts = at_once(*(lambda name=name, person=person: try_one(lab, name, person) for name, person in people.items()))
    hosts.sudoers(lab, "ALL ALL=(ALL:ALL) ALL", 'Defaults passprompt_override, passprompt="Password for lunch: "')
    person = lab.person()
    session = hosts.sudo(person, person.passcode)
    must(session.is_in, f"passprompt_override: {session}")
    seen(person, session, f"{who(person)}: sudo: {SHOWN}\n")
    listed = lab.person()
    session = hosts.terminal(["sudo", "--preserve-env=A,--,echo,harmless", "-s", *SAY], [listed.passcode], uid=listed.uid)
    must(not session.is_in and kept(listed) == [], f"a list of variables that makes options words of a command: {session}")
    padded = lab.person()
    session = hosts.terminal(["sudo", "A=" + "x" * 300, "-s", "-R/", "B=" + "y" * 200, *SAY], [padded.passcode], uid=padded.uid)
    must(not session.is_in and kept(padded) == [], f"options in the part that a screen does not show: {session}")
    refused = lab.person()
    session = hosts.terminal(["bash", "-c", "exec -a xedit sudo id"], [refused.passcode], uid=refused.uid)
    must("uid=0" not in session.text and kept(refused) == [], f"a name that may mean an editor or not: {session}")
    return (
        f"{len(FORGERIES)} commands and passprompt_override: each in words on at most {max(counts)} lines before the "
        "passcode, and kept so; a name that one sudo takes for an editor and another does not: refused"
    )


SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Held:
    """Forwards requests; those for one path wait until they are released."""

    def __init__(self, path):
        self.path, self.arrived, self.passed, self.let_go = path, [], [], threading.Event()

    def __call__(self, request):
        if request.path == self.path:
            self.arrived.append(request)
            self.let_go.wait(60)
        answer = forger.passing(request)
        if request.path == self.path:
            self.passed.append(request)
        return answer


def ticks(process):
    """The CPU time of a process, in hundredths of a second."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def begin(person):
    """Starts sudo for a person; returns its process and terminal once it asks, its core, and the core's CPU time."""
    process, end = pty.fork()
    if process == 0:
        os.setgid(person.uid)
        os.setuid(person.uid)
        os.execvp("sudo", ["sudo", *SAY])
    shown = b""
    while not shown.rstrip().endswith(b"(sudo):"):
        shown += os.read(end, 4096)
    (core,) = (found for found in processes.running("uaf-helper") if processes.status(found, "PPid") == str(process))
    return process, end, core, ticks(core)


def die(lab, between, people, path):
    """Kills a sudo by each signal after Enter, before the request or the verdict arrives; returns (answers sent, log)."""
    held = between.reply = Held(path)
    mark, before = lab.log.mark(), len(between.heard)
    calls = [begin(person) for person in people.values()]
    for person, (_, end, _, _) in zip(people.values(), calls):
        os.write(end, person.passcode.encode() + b"\n")
    until(lambda: len(held.arrived) == len(calls), f"{len(calls)} requests for {path}")
    for _, _, core, computed in calls:
        until(
            lambda core=core, computed=computed: ticks(core) >= computed + 3 and processes.status(core, "State").startswith("S"),
            "the value checked",
        )
    for number, (process, _, _, _) in zip(people, calls):
        os.kill(process, number)
    # The server continues when they have ended. A sudo that ignored the signal still waits then, and fails the row.
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline and any(processes.status(process, "State")[:1] != "Z" for process, *_ in calls):
        time.sleep(0.01)
    held.let_go.set()
    for process, end, _, _ in calls:
        os.waitpid(process, 0)
        os.close(end)
    until(lambda: len(held.passed) == len(calls) and processes.gone() == [], "the end of the cores")
    answers = sum(request.path == "/uaf/respond" for request in between.heard[before:])
    return answers, lab.log.since(mark)


@row(
    "A53",
    "sudo killed after Enter, by 4 signals, while the request or the verdict is still to come",
    "afterwards nothing is signed or sent; the log marks a response that was already sent as unused",
    causes=("a local user",),
)
def killed_host(lab):
    between = forger.Forger(lab, forger.passing, shown=forger.STOLEN)
    lab.configure(cost=15)
    people = {number: lab.person() for number in SIGNALS}
    prepare(lab, port=between.port, cost=15)
    answers, _ = die(lab, between, people, "/uaf/get")
    signed = {number.name: kept(person) for number, person in people.items() if kept(person)}
    must(answers == 0 and not signed, f"signed and sent {answers} times after the end of sudo: {signed}")
    answers, told = die(lab, between, people, "/uaf/respond")
    must(answers == len(people), f"{answers} answers were on their way")
    for number, person in people.items():
        lines = [line for line in told if f"account={person.name} " in line]
        must(not any("result=0" in line and "unused=yes" not in line for line in lines), f"{number.name}: {lines}")
        must(any("unused=yes" in line for line in lines), f"{number.name}: the log does not say it: {lines}")
    between.reply = forger.passing
    person = people[signal.SIGKILL]
    must(hosts.sudo(person, person.passcode).is_in, "afterwards the right value is refused")
    return (
        f"{', '.join(number.name for number in SIGNALS)}: 0 answers signed where the request was still owed, and each "
        "answer that was sent is unused in the log"
    )
