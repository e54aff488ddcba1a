"""uafctl-gui with a uafctl that is not what it should be, and what others learn of what was entered."""

import json
import os
import pathlib

from desktop.rows.window import LIMIT, NEW, UAFCTL, screen
from lab.table import must, row
from lab.waiting import until

STATUS = {
    "version": "0.2.0", "keyBinding": "file", "protocol": "UAF", "account": {"uid": 1, "name": "mina"}, "availableTypes": 132,
    "registeredTypes": 4, "lockedTypes": 0, "usableTypes": 4,
    "authenticators": [{"type": "passcode", "state": 3006, "stateName": "REGISTERED"}],
}  # fmt: skip
LOCKED = STATUS | {
    "lockedTypes": 4, "usableTypes": 0,
    "authenticators": [{"type": "passcode", "state": 3013, "stateName": "LOCKED", "remainingLockSeconds": 3}],
}  # fmt: skip
PASSCODE = {
    "check": "passcode", "step": "current", "echo": False, "text": "Passcode: ", "remainingAttempts": None, "errorMessage": None,
}  # fmt: skip


def line(**members):
    return json.dumps(members) + "\n"


def asks(**change):
    return line(type="challenges", challenges=[PASSCODE | change])


BIDI = "\u202emoc.live\u202c\u200b\u2066"
MARKUP = "<span size='900000'>&amp;<b>big</b></span><a href='file:///'>x</a>"
# What the child writes in a change, and what the window then shows.
BREAKS = {
    "not an object": "[]\n",
    "no JSON": "Segmentation fault\n",
    "no UTF-8": None,
    "an unknown question": asks(check="password"),
    "an unknown type": line(type="run", text="/bin/sh"),
    "a line of 1 MB": "x" * 1_000_000,
    "a flood": line(type="info", text="x") * 20_000,
    "no end": "",
    "a question twice": asks() + asks(),
    "deep JSON": "[" * 50_000 + "\n",
}


class FakeUafctl:
    """A uafctl that writes what a row wants; the real one comes back after the row."""

    def __init__(self, lab):
        real = UAFCTL.read_bytes()
        lab.after(lambda: self._put(real))
        self.says("", status=STATUS)
        self._put(b"#!/bin/sh\ncase $1 in status) . /tmp/fake/show;; *) . /tmp/fake/do;; esac\n")

    def says(self, text, status=STATUS, then=""):
        """Writes a text and then runs a line of shell."""
        folder = pathlib.Path("/tmp/fake")
        folder.mkdir(exist_ok=True)
        (folder / "status").write_text(status if isinstance(status, str) else json.dumps(status))
        (folder / "show").write_text("cat /tmp/fake/status\n")
        (folder / "text").write_bytes(b'{"type":"info","text":"\xff"}\n' if text is None else text.encode())
        (folder / "do").write_text(f"cat /tmp/fake/text\n{then}\n")

    @staticmethod
    def hangs():
        """Says nothing to whoever asks for the status, and does not end."""
        pathlib.Path("/tmp/fake/show").write_text("exec sleep 600\n")

    @staticmethod
    def _put(data):
        # A program that still runs keeps its own file.
        UAFCTL.unlink(missing_ok=True)
        UAFCTL.write_bytes(data)
        UAFCTL.chmod(0o755)


def children(seat):
    """The programs that the window has started."""
    text = pathlib.Path(f"/proc/{seat.pid}/task/{seat.pid}/children").read_text()
    return text.split()


@row(
    "window-hostile",
    "lines of uafctl's that are none, of 1 MB, without end, and with marks and control characters",
    "each ends with a text, nothing more is sent, and the window goes on",
    ("the machine",),
    limit=LIMIT,
)
def hostile(lab):
    seat = screen(lab)
    fake = FakeUafctl(lab)
    for what, text in BREAKS.items():
        # Whatever is written to it is kept.
        fake.says(text, then="cat >/tmp/fake/heard" if what != "no end" else "")
        seat.press("Change the passcode")
        seat.shows("uafctl said something unexpected")
        if what == "not an object":
            seat.picture("broken")
        seat.press("Done")
        seat.shows("Sign-in for mina")
        until(lambda: not children(seat), f"{what}: the end of uafctl")
    shown_safely(seat, fake)
    for text in ("[]", "{}", "x" * 2_000_000, '{"type":"failure"}', ""):
        fake.says("", status=text)
        seat.press("Check again")
        seat.shows("uafctl said something unexpected")
        fake.says("", status=STATUS)
        seat.press("Try again")
        seat.shows("Sign-in for mina")
    fake.hangs()
    seat.press("Check again")
    seat.shows("There has been no answer for a while.")
    seat.press("Cancel")
    seat.shows("Cancelled")
    fake.says("", status=STATUS)
    seat.press("Try again")
    seat.shows("Sign-in for mina")
    fake.says("", then="trap '' TERM; sleep 600 & sleep 600")
    seat.press("Change the passcode")
    seat.shows("There has been no answer for a while.")
    seat.picture("silent", moves=True)
    seat.press("Cancel")
    seat.shows("Cancelled")
    must(seat.close() == 0, "the window did not end in order")
    return f"{len(BREAKS)} conversations, 5 documents, and one that says nothing"


def shown_safely(seat, fake):
    """Texts that would turn others around, or be read as markup."""
    account = STATUS | {"account": {"uid": 1, "name": f"mina{BIDI}{MARKUP}"}}
    end = line(type="failure", result=1, name="X", text=f"No {BIDI} \u0000\u001b[2J {MARKUP}", nextStep="y" * 100_000)
    fake.says(end, status=account)
    seat.press("Check again")
    seat.shows("[U+202E]")
    seat.press("Change the passcode")
    seat.shows("That did not work")
    texts = seat.texts()
    must(not any(mark in text for mark in "\u202e\u2066\u200b\u0000\u001b" for text in texts), f"an invisible character: {texts}")
    must(any(MARKUP in text for text in texts), "the markup was read as markup")
    must(max(len(text) for text in texts) < 2100, "a text is not shortened")
    seat.picture("hostile-texts")
    fake.says("", status=STATUS)
    seat.press("Done")
    seat.shows("Check again")


@row(
    "window-lock-ends",
    "a lock that ends while the window shows it",
    "it asks uafctl again, and shows that it is ready",
    limit=LIMIT,
)
def lock_ends(lab):
    seat = screen(lab)
    fake = FakeUafctl(lab)
    fake.says("", status=LOCKED)
    seat.press("Check again")
    seat.shows("Locked. You can try again in")
    fake.says("", status=STATUS)
    seat.shows("Ready")
    return "ready without a click"


@row("window-camera", "a scan without a camera", "the window says so, and typing goes on", ("the machine",), limit=LIMIT)
def camera(lab):
    seat = screen(lab, registered=False)
    seat.press("Set up a passcode")
    seat.press("Scan with the camera")
    seat.shows("The camera could not be used")
    seat.picture("camera")
    seat.focused("Code")
    return "told; the keyboard is in the field"


@row(
    "window-traces",
    "what other programs, files, the log and the memory have of what was entered",
    "nothing, once it was answered; no core dump, and no debugger of the same person",
    ("a local user", "the person"),
    limit=LIMIT,
)
def traces(lab):
    mark = lab.log.mark()
    seat = screen(lab)
    seat.press("Change the passcode")
    seat.fields(1)
    seat.ask(do="keys", text=seat.person.passcode)
    secrets = (seat.person.passcode, NEW)
    told = seat.texts()
    must(not any(secret in text for secret in secrets for text in told), "the accessibility bus tells what was entered")
    must(seat.person.passcode.encode() in memory(seat.pid), "this row does not see what is in memory")
    seat.key("Return")
    seat.fill(NEW, NEW)
    seat.shows("It is changed")
    for secret in secrets:
        nowhere(lab, seat, secret.encode())
    must(not any(secret in told for secret in secrets for told in lab.log.since(mark)), "in the log")
    limits = pathlib.Path(f"/proc/{seat.pid}/limits").read_text()
    must("Max core file size        0                    0" in limits, f"core dumps are possible: {limits}")
    for name in ("mem", "environ", "maps"):
        command = ["setpriv", "--reuid", str(seat.person.uid), "--regid", str(seat.person.uid), "--clear-groups"]
        read = lab.run(*command, "head", "-c", "1", f"/proc/{seat.pid}/{name}", check=False)
        must(read.returncode != 0, f"a program of the same person can open /proc/PID/{name}")
    in_memory = [secret for secret in secrets if secret.encode() in memory(seat.pid)]
    must(not in_memory, f"still in the memory of the window: {in_memory}")
    return "not in arguments, environments, files, the log, on the bus, or in the window's memory"


def nowhere(lab, seat, secret):
    """Raises Broken if an argument, a variable or a file of the session has the secret."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            try:
                data = (process / name).read_bytes()
            except OSError:
                continue
            must(secret not in data, f"in {process / name}")
    for folder in (seat.home, seat.runtime, pathlib.Path("/tmp"), pathlib.Path("/var/lib/pam-uaf")):
        for path in folder.rglob("*"):
            # The picture of the screen has no text; a pipe would wait for ever.
            if path.is_file() and not path.is_symlink():
                must(secret not in path.read_bytes(), f"in {path}")


def memory(pid):
    """Everything that a process can write to, as root reads it."""
    found = bytearray()
    with open(f"/proc/{pid}/maps") as areas, open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
        for area in areas:
            span, rights, *rest = area.split()
            if not rights.startswith("rw") or (len(rest) > 3 and rest[3].startswith("/dev")):
                continue
            start, end = (int(part, 16) for part in span.split("-"))
            os.lseek(mem.fileno(), start, os.SEEK_SET)
            try:
                found += mem.read(end - start)
            except OSError:
                continue
    return found
