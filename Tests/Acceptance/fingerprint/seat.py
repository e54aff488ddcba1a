"""Puts this process, and all that it starts then, into a session of the kernel, as pam_loginuid does, with logind's record."""

import pathlib

from lab.table import Skip

RECORDS = pathlib.Path("/run/systemd/sessions")
OWN = pathlib.Path("/proc/self")
HERE = {"UID": "0", "ACTIVE": "1", "REMOTE": "0", "CLASS": "user", "SEAT": "seat0"}


def sit_down(**other):
    """Begins a session at the seat, or one of which logind has recorded something else; returns its number."""
    number = leave()
    RECORDS.mkdir(parents=True, exist_ok=True)
    lines = [f"{name}={value}" for name, value in {**HERE, "AUDIT": number, **other}.items()]
    (RECORDS / number).write_text("\n".join(["# This is private data. Do not parse.", *lines, ""]))
    return number


def leave():
    """Begins a session that logind has no record of, as the user manager of Debian 12 is in; returns its number."""
    try:
        (OWN / "loginuid").write_text("0")
        return (OWN / "sessionid").read_text()
    except OSError as error:
        raise Skip(f"this machine lets no session begin: {error}") from error
