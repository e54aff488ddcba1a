"""Published variants of common-auth in front of a second factor: refused if they let somebody skip the second factor.

A program of pam_exec that accepts every password plays a directory that accepts a password unknown to pam_unix.
"""

import pathlib

from lab import hosts
from lab.table import must, row
from system.rows.switching import everything, uafctl

FOLDER = "/etc/pam.d"
COMMON = pathlib.Path("/etc/pam.d/common-auth")
# Not /bin/true: uafctl knows that it checks no password.
PROGRAM = pathlib.Path("/usr/local/sbin/ask-directory")
UNIX, DIRECTORY = "pam_unix.so nullok", f"pam_exec.so quiet expose_authtok {PROGRAM}"
END = ("auth requisite pam_deny.so", "auth required pam_permit.so")
# A console at which the password is enough for a whole login, including the session.
LOGIN = ("auth required pam_unix.so", "account required pam_unix.so", "session required pam_unix.so")

# By name: the lines, and the one that lets a login skip the passcode; None if there is none.
STACKS = {
    "passwords alone": ([f"auth [success=1 default=ignore] {UNIX}", *END], None),
    "a directory by pam-auth-update": (
        [f"auth [success=2 default=ignore] {UNIX}", f"auth [success=1 default=ignore] {DIRECTORY}", *END],
        None,
    ),
    "a directory by hand": ([f"auth [success=2 default=ignore] {UNIX}", f"auth sufficient {DIRECTORY}", *END], 2),
    "a row of sufficient ones": (
        ["auth required pam_env.so", f"auth sufficient {UNIX}", f"auth sufficient {DIRECTORY}", "auth required pam_deny.so"],
        2,
    ),
    "accounts by their kind": (
        [
            "auth required pam_env.so",
            "auth [default=1 ignore=ignore success=ok] pam_usertype.so isregular",
            "auth [default=1 ignore=ignore success=ok] pam_localuser.so",
            f"auth sufficient {UNIX}",
            f"auth sufficient {DIRECTORY}",
            "auth required pam_deny.so",
        ],
        4,
    ),
    "counted tries, and the count taken back": (
        [
            "auth required pam_faillock.so preauth",
            f"auth [success=1 default=bad] {UNIX}",
            "auth [default=die] pam_faillock.so authfail",
            "auth sufficient pam_faillock.so authsucc",
            *END,
        ],
        4,
    ),
    "counted tries": (
        [
            "auth required pam_faillock.so preauth",
            f"auth [success=2 default=ignore] {UNIX}",
            "auth [default=die] pam_faillock.so authfail",
            *END,
        ],
        None,
    ),
    "done for either": (
        [f"auth [success=done new_authtok_reqd=done default=ignore] {UNIX}", f"auth [success=done default=die] {DIRECTORY}"],
        1,
    ),
    "both, one after the other": ([f"auth requisite {UNIX}", f"auth required {DIRECTORY}"], None),
    "whoever is in a group": (
        ["auth sufficient pam_succeed_if.so quiet user ingroup users", f"auth [success=1 default=ignore] {UNIX}", *END],
        1,
    ),
    "a jump that counts too far": (["auth required pam_permit.so", f"auth [success=2 default=ignore] {DIRECTORY}"], 2),
    "another file": (["@include corp-auth"], "corp-auth:1"),
    "another file, with include": (["auth include corp-auth"], "corp-auth:1"),
    "another file, as a substack": (["auth substack corp-auth"], None),
}
CORP = [f"auth sufficient {UNIX}", f"auth sufficient {DIRECTORY}", "auth required pam_deny.so"]


def prepare(lab):
    """Makes the directory, and a way to log in that does not depend on common-auth: a console with its own lines, and a password
    for root.

    After the row, PAM's files are restored, even if the row ended early.
    """
    before = everything()
    lab.after(lambda: restore(before))
    PROGRAM.write_text("#!/bin/sh\nexit 0\n")
    PROGRAM.chmod(0o755)
    lab.after(PROGRAM.unlink)
    lab.run("chpasswd", answers="root:console-Password-1\n")
    lab.after(lambda: lab.run("passwd", "--lock", "root"))
    lab.stack("login", *LOGIN)


def restore(before):
    """Gives PAM's files the contents that `everything` returned, and removes the ones that are new."""
    now = everything()
    for name in now.keys() - before.keys():
        pathlib.Path(FOLDER, name).unlink()
    for name, contents in before.items():
        if now.get(name) != contents:
            pathlib.Path(FOLDER, name).write_bytes(contents)


@row(
    "stacks-published",
    "uafctl pam enable sudo --shape second-factor with 14 versions of common-auth; those that it refuses are also set up by hand",
    "nobody is in without the passcode; refused, with file and line, "
    "are exactly those with which sudo would give root without it",
)
def published(lab):
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    person = lab.person()
    lab.run("usermod", "--append", "--groups", "users", person.name)
    lab.rescuer()
    prepare(lab)
    lab.stack("corp-auth", *CORP)
    before = everything()
    refused = 0
    for name, (lines, past) in STACKS.items():
        COMMON.write_text("".join(line + "\n" for line in lines))
        result = uafctl(lab, "pam", "enable", "sudo", "--anyway", "--shape", "second-factor", check=False)
        if past is None:
            must(result.returncode == 0, f"{name}: {result.stdout}")
            alone = hosts.sudo(person, "directory-word-1")
            must(not alone.is_in, f"{name}: in without the passcode: {alone}")
            both = hosts.sudo(person, person.password, person.passcode)
            must(both.is_in, f"{name}: {both}")
            uafctl(lab, "pam", "disable", "sudo")
        else:
            place = f"common-auth:{past}" if isinstance(past, int) else past
            must(result.returncode == 1 and f"{FOLDER}/{place}: " in result.stdout, f"{name}: {result.stdout}")
            refused += 1
            shown_past(lab, name, person, place)
        COMMON.write_bytes(before["common-auth"])
        must(everything() == before, f"{name}: a file has changed")
    return f"{len(STACKS) - refused} in place, {refused} refused: each of those gives root without the passcode"


# By name: the lines, the line that makes the password unnecessary, and whether sudo asks for a password, here a wrong one.
GAPS = {
    "an optional password": (["auth optional pam_unix.so"], "common-auth:1", True),
    "a password whose refusal is taken back": (
        ["auth required pam_unix.so", "auth [default=reset] pam_permit.so"],
        "common-auth:2",
        True,
    ),
    "nothing": (["# Nothing."], "sudo:", False),
    "local accounts without a password": (
        ["auth [success=1 default=ignore] pam_localuser.so", f"auth required {UNIX}"],
        "common-auth:1",
        False,
    ),
    "a group without a password": (
        ["auth [success=1 default=ignore] pam_succeed_if.so quiet user ingroup users", f"auth required {UNIX}"],
        "common-auth:1",
        False,
    ),
}


@row(
    "stacks-without-password",
    "uafctl pam enable sudo --shape second-factor if common-auth needs no right password; "
    "the same after a later change of common-auth",
    "refused, with file and line; after the later change, the passcode alone gives root, and doctor and status say so",
)
def without_password(lab):
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    person = lab.person()
    lab.run("usermod", "--append", "--groups", "users", person.name)
    lab.rescuer()
    prepare(lab)
    before = everything()
    for name, (lines, place, is_asked) in GAPS.items():
        spoilt = "".join(line + "\n" for line in lines)
        COMMON.write_text(spoilt)
        result = uafctl(lab, "pam", "enable", "sudo", "--anyway", "--shape", "second-factor", check=False)
        must(result.returncode == 1 and f"{FOLDER}/{place}" in result.stdout, f"{name}: {result.stdout}")
        COMMON.write_bytes(before["common-auth"])
        must(everything() == before, f"{name}: a file has changed")
        # The line is changed only after the stack has been installed.
        uafctl(lab, "pam", "enable", "sudo", "--anyway", "--shape", "second-factor")
        COMMON.write_text(spoilt)
        alone = hosts.sudo(person, *(["a-wrong-word-1"] if is_asked else []), person.passcode)
        must(alone.is_in, f"{name}: refused for nothing: {alone}")
        for command in ("doctor",), ("pam", "status"):
            said = uafctl(lab, *command, check=False).stdout
            must(f"{FOLDER}/{place.replace('sudo:', 'uaf-sudo:')}" in said, f"{name}: {command} says {said}")
        COMMON.write_bytes(before["common-auth"])
        uafctl(lab, "pam", "disable", "sudo")
    return f"{len(GAPS)} refused: in each the passcode gives root without the right password"


def shown_past(lab, name, person, place):
    """Checks that a refused stack really lets a login skip the passcode, and that doctor and status say so."""
    template = pathlib.Path(hosts.STACKS, "second-factor/sudo").read_text()
    stack, service = pathlib.Path(FOLDER, "uaf-sudo"), pathlib.Path(FOLDER, "sudo")
    held = service.read_text()
    stack.write_text(template)
    service.write_text(held.replace("@include common-auth", "@include uaf-sudo"))
    try:
        alone = hosts.sudo(person, person.password if "faillock" in COMMON.read_text() else "directory-word-1")
        # pam_unix refuses an unknown password, and there is no directory after it.
        alone = alone if alone.is_in else hosts.sudo(person, person.password)
        must(alone.is_in, f"{name}: refused for nothing: {alone}")
        for command in ("doctor",), ("pam", "status"):
            said = uafctl(lab, *command, check=False).stdout
            must(f"{FOLDER}/{place}" in said, f"{name}: {command} says {said}")
    finally:
        service.write_text(held)
        stack.unlink()


@row(
    "stacks-published-ssh",
    "uafctl pam enable sshd --shape second-factor with a common-auth in which the directory's password alone lets in; "
    "and with one in which it does not",
    "the first is refused; with the second nobody is in without the passcode",
)
def over_ssh(lab):
    person = lab.person()
    lab.rescuer()
    prepare(lab)
    lab.stack("common-auth", *STACKS["a directory by hand"][0])
    result = uafctl(lab, "pam", "enable", "sshd", "--anyway", "--shape", "second-factor", check=False)
    must(result.returncode == 1 and f"{FOLDER}/common-auth:2: " in result.stdout, result.stdout)
    COMMON.write_text("".join(line + "\n" for line in STACKS["a directory by pam-auth-update"][0]))
    uafctl(lab, "pam", "enable", "sshd", "--anyway", "--shape", "second-factor")
    lab.after(lambda: uafctl(lab, "pam", "disable", "sshd", check=False))
    hosts.sshd(lab)
    alone = hosts.ssh(person.name, "directory-word-1")
    must(not alone.is_in, f"in without the passcode: {alone}")
    both = hosts.ssh(person.name, person.password, person.passcode)
    must(both.is_in, f"{both}")
    return "refused with common-auth:2; then in with password and passcode alone"


# The start of lines that let members of uaf-rescue skip the following lines without a prompt.
RESCUE = "pam_succeed_if.so quiet user ingroup uaf-rescue"
UNASKED = {
    "the service's own": (None, f"auth sufficient {RESCUE}"),
    "an end in common-auth": ("common-auth", f"auth [success=done default=ignore] {RESCUE}"),
    "a jump over the password": ("common-auth", f"auth [success=2 default=ignore] {RESCUE}"),
}


@row(
    "stacks-rescue-unasked",
    "uafctl pam enable sudo and sshd if a line of the stack lets in every member of uaf-rescue; the same stack set up by hand",
    "refused, with file and line; set up by hand, it lets members of the group in without a prompt, and doctor says so",
)
def rescue_unasked(lab):
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    person = lab.rescuer()
    prepare(lab)
    hosts.sshd(lab)
    before = everything()
    count = 0
    for service, enter in ("sudo", lambda: hosts.sudo(person)), ("sshd", lambda: hosts.ssh(person.name)):
        for name, (file, line) in UNASKED.items():
            path = pathlib.Path(FOLDER, file or service)
            path.write_text(line + "\n" + path.read_text())
            for shape in "instead", "fallback", "second-factor":
                held = everything()
                result = uafctl(lab, "pam", "enable", service, "--anyway", "--shape", shape, check=False)
                must(result.returncode == 1 and f"{path}:1: " in result.stdout, f"{service}, {name}: {result.stdout}")
                must(everything() == held, f"{service}, {name}: a file has changed")
            unasked(lab, service, enter, path)
            path.write_bytes(before[path.name])
            count += 1
    must(everything() == before, "a file has changed")
    return f"{count} refused, in three shapes; each of them lets in without a question"


def unasked(lab, service, enter, path):
    """Checks that a refused stack really logs people in without a prompt, and that doctor and status name the line."""
    stack, file = pathlib.Path(FOLDER, f"uaf-{service}"), pathlib.Path(FOLDER, service)
    held = file.read_text()
    stack.write_text(pathlib.Path(hosts.STACKS, "instead", service).read_text())
    file.write_text(held.replace("@include common-auth", f"@include uaf-{service}"))
    try:
        session = enter()
        must(session.is_in, f"{service}: refused for nothing: {session}")
        for command in ("doctor",), ("pam", "status"):
            said = uafctl(lab, *command, check=False).stdout
            must(f"{path}:1" in said, f"{service}: {command} says {said}")
    finally:
        file.write_text(held)
        stack.unlink()


@row(
    "sudo-service",
    "uafctl pam enable sudo if sudoers makes sudo use another PAM service, or ask for root's passcode",
    "refused, with the service to enable; once that is enabled, sudo asks for the passcode, and says whose",
)
def service_of_sudoers(lab):
    hosts.sudoers(lab, "Defaults pam_service=corp", "ALL ALL=(ALL) ALL")
    person = lab.person()
    lab.rescuer()
    lab.stack("corp", *pathlib.Path(FOLDER, "sudo").read_text().splitlines())
    result = uafctl(lab, "pam", "enable", "sudo", "--anyway", check=False)
    must(result.returncode == 1 and "uafctl pam enable corp --template sudo" in result.stdout, result.stdout)
    must(hosts.sudo(person, person.password).is_in, "sudo has changed")
    lab.after(lambda: uafctl(lab, "pam", "disable", "sudo", check=False))
    lab.after(lambda: uafctl(lab, "pam", "disable", "corp", check=False))
    shells = uafctl(lab, "pam", "enable", "corp", "--anyway", "--template", "sudo", check=False).stdout
    must("uafctl pam enable sudo-i --template sudo first" in shells, shells)
    uafctl(lab, "pam", "enable", "sudo-i", "--anyway", "--template", "sudo")
    enabled = uafctl(lab, "pam", "enable", "corp", "--anyway", "--template", "sudo").stdout
    must("the passcode of root" not in enabled, enabled)
    must(not hosts.sudo(person, person.password).is_in, "in without the passcode")
    must(hosts.sudo(person, person.passcode).is_in, "the passcode does not let in")
    hosts.sudoers(lab, "Defaults pam_service=corp, rootpw", "ALL ALL=(ALL) ALL")
    for command in ("pam", "status"), ("doctor",):
        said = uafctl(lab, *command, check=False).stdout
        must("sudo asks for the passcode of root, and not for the caller's" in said, said)
    must(not hosts.sudo(person, person.passcode).is_in, "in with a passcode that is not root's")
    return "refused with corp; corp asks for the passcode; rootpw is told by status and doctor"
