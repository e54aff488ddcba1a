"""The profile of pam-auth-update, and the common-auth that it makes if only pam_unix checks passwords."""

import pathlib
import re

PROFILE = pathlib.Path(__file__).resolve().parents[3] / "debian/pam-configs/uaf"
# The line of Debian's own profile for passwords in common-auth, and the end of that file.
PASSWORD = "[success=1 default=ignore]  pam_unix.so nullok"
END = ("requisite  pam_deny.so", "required  pam_permit.so")


def own_lines():
    """The lines of the profile's Auth part: what is done with each result, and the module."""
    text = PROFILE.read_text().partition("\nAuth:\n")[2]
    found = [re.fullmatch(r"\s+(\[[^]]*\]|\w+)\s+(\S.*)", line) for line in text.splitlines()]
    if not found or None in found:
        raise ValueError(f"{PROFILE} has lines that are none of a stack: {text}")
    return [f"{line[1]}  {line[2]}" for line in found if line]


def common_auth():
    """The lines of common-auth, in which "end" is replaced by the number of lines to skip."""
    lines = [*own_lines(), PASSWORD, *END]
    return ["auth  " + re.sub(r"=end\b", f"={len(lines) - 2 - number}", line) for number, line in enumerate(lines)]


def plain():
    """The lines of common-auth without our profile."""
    return [f"auth  {line}" for line in (PASSWORD, *END)]
