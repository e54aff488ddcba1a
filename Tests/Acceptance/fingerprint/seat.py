"""Puts this process and its later children into an audit session, as pam_loginuid does, with a record like logind's."""

import pathlib

from lab.table import Skip

RECORDS = pathlib.Path("/run/systemd/sessions")
OWN = pathlib.Path("/proc/self")
HERE = {"UID": "0", "ACTIVE": "1", "REMOTE": "0", "CLASS": "user", "SEAT": "seat0"}


def sit_down(**other):
    """Begins a session that logind has recorded as local and at the seat, except for the fields in `other`; returns its
    number."""
    number = leave()
    RECORDS.mkdir(parents=True, exist_ok=True)
    lines = [f"{name}={value}" for name, value in {**HERE, "AUDIT": number, **other}.items()]
    (RECORDS / number).write_text("\n".join(["# This is private data. Do not parse.", *lines, ""]))
    return number


def leave():
    """Begins a session without a record of logind's, like that of the user manager in Debian 12; returns its number."""
    try:
        (OWN / "loginuid").write_text("0")
        return (OWN / "sessionid").read_text()
    except OSError as error:
        raise Skip(f"this machine lets no session begin: {error}") from error
