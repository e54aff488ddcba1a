"""`uafctl report` after real logins: nothing that anybody typed and no secret of the state is in it, in any form."""

import base64
import pathlib
import re
import sqlite3
import stat

from lab import hosts
from lab.machine import CONFIGURATION, STATE
from lab.table import must, row
from system.cases import WRONG
from system.rows.switching import uafctl

LOG = pathlib.Path("/var/log/auth.log")
# Shorter parts of a record are numbers and names.
SECRET = 16


def records(person):
    """What is in an account's file, and the files of the machine's key."""
    with sqlite3.connect(f"file:{person.state}?mode=ro&immutable=1", uri=True) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for line in database.execute(f"SELECT * FROM {table}"):
                yield from (part for part in line if isinstance(part, bytes))
    for name in ("device.key", "device.id"):
        yield (STATE / name).read_bytes()


def pieces(record):
    """Each part of a record of the length of a key, so that a part of it is found as well."""
    return [record[start : start + SECRET] for start in range(0, len(record) - SECRET + 1, SECRET)]


def forms(secret):
    """A secret as it may be written: as it is, in hexadecimal digits, in Base64 at each place of a group."""
    yield secret
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    for place in range(3):
        # The first and the last characters depend on the neighbours.
        text = base64.b64encode(bytes(place) + secret)[4:-4]
        yield from (text, text.replace(b"+", b"-").replace(b"/", b"_"))


def found(secrets, text):
    return [form for secret in secrets for form in forms(secret) if form in text]


@row(
    "report",
    "uafctl report after right and wrong logins, and a passcode typed where a name is asked for; with names and without",
    "its parts are there; nothing that was typed, no secret of the state, in no form; its file is root's alone, never changed",
    causes=("root",),
    limit=120,
)
def report(lab):
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    hosts.ask_uaf(lab, "sudo")
    person = lab.person()
    mark = lab.log.mark()
    must(hosts.sudo(person, person.passcode).is_in, "the right passcode is refused")
    must(not hosts.sudo(person, WRONG).is_in, "a wrong passcode is accepted")
    # Somebody types the passcode where the name is asked for.
    hosts.login("uaf", person.passcode, "x", remote="192.0.2.7")
    lines = [re.sub(r"^<\d+>(\w+ +\d+ [\d:]+) ", r"\1 host ", line).replace("\n", " ") for line in lab.log.since(mark)]
    LOG.write_text("\n".join(lines) + "\n")
    lab.after(LOG.unlink)
    must(person.passcode in LOG.read_text(), "the log does not have what was typed as a name: the row would show nothing")

    # A record has the server's addresses, too, which are no secret.
    public = CONFIGURATION.read_bytes()
    secrets = [piece for record in records(person) for piece in pieces(record) if piece not in public]
    secrets += [value.encode() for value in (person.passcode, person.password, WRONG)]
    must(len(secrets) > 20, f"only {len(secrets)} secrets to look for")
    file = pathlib.Path("/root/ticket")
    lab.after(lambda: file.unlink(missing_ok=True))
    shown = uafctl(lab, "report", "--yes", file).stdout
    text = file.read_bytes()
    for part in (
        "== doctor ==",
        "request_url = ",
        "event=authenticate result=3012",
        "(no account here)",
        f"account={person.name}",
    ):
        must(part.encode() in text, f"{part!r} is not in the report: {shown}")
    must(stat.S_IMODE(file.stat().st_mode) == 0o600, f"its mode is {file.stat().st_mode:o}")
    again = uafctl(lab, "report", "--yes", file, check=False)
    must(again.returncode == 2 and file.read_bytes() == text, f"a second time: {again.stdout}")
    anonymous = uafctl(lab, "report", "--anonymous").stdout.encode()
    for name in (person.name, "192.0.2.7"):
        must(name.encode() in text and name.encode() not in anonymous, f"{name} is in the report without names")
    for what, content in (("the report", text), ("the report without names", anonymous)):
        must(not found(secrets, content), f"{what} has {found(secrets, content)}")
    must(found(secrets, text + person.state.read_bytes()), "the search does not find what is there")
    return f"{len(text)} bytes, {len(secrets)} secrets looked for in 9 forms each, none found"
