"""The same attacks on pam_faillock, the field's standard, configured as its man page shows."""

import pathlib
import shutil

from lab import hosts

FOLDER = pathlib.Path("/run/faillock")
LIMIT = 3
OPTIONS = f"deny={LIMIT} unlock_time=300"


def install(lab, service="faillock", options=OPTIONS):
    """Writes the second example stack of pam_faillock(8)."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    lab.stack(
        service,
        f"auth required pam_faillock.so preauth {options}",
        "auth sufficient pam_unix.so",
        f"auth [default=die] pam_faillock.so authfail {options}",
        "auth required pam_deny.so",
        "account required pam_faillock.so",
        "account required pam_unix.so",
    )


def login(person, password, service="faillock", **options):
    """Logs in with a Unix password."""
    return hosts.login(service, person.name, password, **options)


def count(lab, person):
    """How many failures pam_faillock has counted."""
    text = lab.run("faillock", "--user", person.name, check=False).stdout
    return sum(line.rstrip().endswith("V") for line in text.splitlines())
