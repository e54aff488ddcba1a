#!/usr/bin/env python3
"""Checks pam.d/ and the profile of pam-auth-update without running them: each line is explained, no control word lets a
failure pass, and the shapes of one service differ only in the shape. What real libpam does with them is shown by
`make test-system`.

Follows each stack by the rules of pam.d(5), for every result that pam_uaf could have. Then it spoils each control word, one at a
time, and complains if nobody would have noticed.

The results that somebody other than root can cause are read from Tests/Vectors/pam-ends.json: such a result must let nobody log
in, unless the table says that root chose it.
"""

import functools
import itertools
import json
import pathlib
import re
import sys

CHECKOUT = pathlib.Path(__file__).resolve().parent.parent
ROOT = CHECKOUT / "pam.d"
sys.path.insert(0, str(CHECKOUT / "Tests/Acceptance"))
sys.dont_write_bytecode = True
from lab import profile  # noqa: E402
from lab.stack_model import LATER, Line, follow, read  # noqa: E402

SERVICES = ["sudo", "su", "login", "sshd", "polkit-1", "display-manager", "sddm", "locker"]
# A locker may answer both prompts with the same string, and SDDM does so.
FILES = {(shape, service) for shape in ("instead", "fallback", "second-factor") for service in SERVICES}
FILES -= {("second-factor", "locker"), ("second-factor", "sddm"), ("fallback", "sddm")}
RENEWING = {"sudo", "su", "login", "sshd"}
WITHOUT_PASSWORD_LINES = {"sudo", "su"}

CODES = """success open_err symbol_err service_err system_err buf_err perm_denied auth_err cred_insufficient
authinfo_unavail user_unknown maxtries new_authtok_reqd acct_expired session_err cred_unavail cred_expired cred_err
no_module_data conv_err authtok_err authtok_recover_err authtok_lock_busy authtok_disable_aging try_again ignore abort
authtok_expired module_unknown bad_item conv_again incomplete""".split()
TABLE = CHECKOUT / "Tests/Vectors/pam-ends.json"
# What the other modules of a stack may return to an attacker who starves them of resources.
TROUBLES = ("auth_err", "module_unknown", "ignore")


def expected_auth(shape, code, is_member, password):
    """Whether somebody can log in, and whether the stack asks for the password and the passcode."""
    right = password == "success"
    if shape == "second-factor":
        return right and (is_member or code in ("success", "ignore")), True, right and not is_member
    left_to_password = {"instead": {"ignore"}, "fallback": {"ignore", "cred_unavail", "authinfo_unavail"}}[shape]
    asks = is_member or code in left_to_password
    return right if asks else code == "success", asks, not is_member


def check_auth(shape, lines):
    for code, is_member, password in itertools.product(CODES, (True, False), ("success", "auth_err")):
        group = "success" if is_member else "auth_err"
        results = {"pam_uaf.so": code, "pam_succeed_if.so": group, "common-auth": password}
        expected = expected_auth(shape, code, is_member, password)
        for behind in (0, 2):
            status, ran = follow(lines, "auth", results, behind)
            good = expected == (status == "success", "common-auth" in ran, "pam_uaf.so" in ran)
            # A person who passes must still pass the later lines of the service; a person whom pam_uaf refuses is asked nothing
            # more.
            is_in, asks_password, asks_passcode = expected
            if is_in:
                good = good and ran.count(LATER) == behind
            elif asks_passcode and (shape == "second-factor" or not asks_password):
                good = good and ran[-1] == "pam_uaf.so"
            if not good:
                yield f"auth: with {code} of pam_uaf and {password} of common-auth, member of uaf-rescue: {is_member}"


@functools.cache
def ends():
    """The rows of TABLE: the PAM code, the part that returns it, who can cause it, and whether root chose it."""
    rows = json.loads(TABLE.read_text())
    return [(row["code"].removeprefix("PAM_").lower(), row["speaker"], set(row["causes"]), set(row["choices"])) for row in rows]


@functools.cache
def left_to_password(shape):
    """The codes with which somebody may log in with the password: root's own, and those that root chose with the shape.

    A code that is not in the table can be caused by anybody.
    """
    rows = ends()
    return {
        code
        for code in CODES
        if code in [row[0] for row in rows]
        and all(causes == {"root"} or shape in choices for found, _, causes, choices in rows if found == code)
    }


def check_causes(shape, lines):
    """Nobody logs in through a code that somebody other than root caused, whatever else in the stack is starved of resources."""
    way_on = left_to_password(shape)
    names = [line.module for line in lines]
    group, permit, password = ("pam_succeed_if.so", "pam_permit.so", "pam_unix.so" if "pam_unix.so" in names else "common-auth")
    for code, member, permitted, right in itertools.product(
        CODES, ("success", *TROUBLES), ("success", *TROUBLES), ("success", "auth_err")
    ):
        results = {"pam_uaf.so": code, group: member, permit: permitted, password: right, "pam_deny.so": "auth_err"}
        for behind in (0, 2):
            status, _ = follow(lines, "auth", results, behind)
            by_password = right == "success" and (member == "success" or code in way_on)
            by_passcode = code == "success" and (shape != "second-factor" or right == "success")
            if status == "success" and not by_password and not by_passcode:
                yield (
                    f"auth: in with {code} of pam_uaf, {member} of {group}, {permitted} of {permit}, {right} of the "
                    f"password; others than root can cause {code}"
                )


def check_profile(lines):
    """Root's own mistakes lead to the password, and the passcode is enough to log in."""
    yield from check_causes("profile", lines)
    for code in CODES:
        for member, right in itertools.product(("success", "auth_err"), repeat=2):
            status, ran = follow(
                lines,
                "auth",
                {"pam_uaf.so": code, "pam_succeed_if.so": member, "pam_unix.so": right, "pam_deny.so": "auth_err"},
                0,
            )
            asks = member == "success" or code in left_to_password("profile")
            expected = right == "success" if asks else code == "success"
            if (status == "success") != expected or ("pam_unix.so" in ran) != asks:
                yield f"auth: {code} of pam_uaf, {member} of uaf-rescue, {right} of the password ends with {status}"


def check_module():
    """The codes that the module's own source names are in the table."""
    said = {code for code, speaker, _, _ in ends() if speaker == "module"}
    said |= {"success", "ignore", "new_authtok_reqd", "authtok", "user_unknown"}
    # A result from libpam for the module, not a result of the module for libpam.
    said |= {"conv_again", "incomplete"}
    for name in ("authenticate", "begin", "change", "conversation", "pam_uaf", "stale", "talk"):
        text = (CHECKOUT / "cshim" / f"{name}.c").read_text()
        for code in sorted({code for code in re.findall(r"\bPAM_([A-Z_]+)\b", text) if code.lower() in CODES}):
            if code.lower() not in said:
                yield f"cshim/{name}.c: PAM_{code} is not in {TABLE.name} as the module's"


def check_renewal(lines):
    """In `account` and `password`, pam_uaf alone decides, unless it ignores the account or is missing: then its line decides
    nothing."""
    brings_lines = any(line.module == "common-password" for line in lines)
    for code, behind in itertools.product(CODES, (0, 2)):
        has_no_part = code in ("ignore", "module_unknown")
        status, ran = follow(lines, "account", {"pam_uaf.so": code}, behind)
        goes_on = behind > 0 and (has_no_part or code in ("success", "new_authtok_reqd"))
        undecided = "success" if behind else None
        if status != (undecided if has_no_part else code) or (LATER in ran) != goes_on:
            yield f"account: {code} of pam_uaf ends with {status}"
        status, ran = follow(lines, "password", {"pam_uaf.so": code}, behind)
        undecided = "success" if behind or brings_lines else None
        asks = ("common-password" in ran) == (has_no_part and brings_lines)
        if status != (undecided if has_no_part else code) or (LATER in ran) != (behind > 0 and has_no_part) or not asks:
            yield f"password: {code} of pam_uaf ends with {status}"


def check(shape, service, lines):
    """What is wrong with a stack, as texts."""
    stages = [line.stage for line in lines]
    if any(line.module == "pam_uaf.so" and line.arguments for line in lines):
        yield "pam_uaf has an argument"
    if [line.arguments for line in lines if line.module == "pam_succeed_if.so"] != ["quiet user ingroup uaf-rescue"]:
        yield "the second way in is not that of uaf-rescue"
    yield from check_auth(shape, lines)
    if service in RENEWING:
        yield from check_renewal(lines)
        if ("common-password" in [line.module for line in lines]) != (service in WITHOUT_PASSWORD_LINES):
            yield "the password's own lines belong to sudo and su, which have none elsewhere"
    if set(stages) != ({"auth", "account", "password"} if service in RENEWING else {"auth"}):
        yield f"it has lines for {sorted(set(stages))}"


def spoilt(lines):
    """The stack with one control word changed, for each word and each replacement."""
    for place, line in enumerate(lines):
        for result, action in line.actions.items() if line.is_bracketed else ():
            for other in {"ignore", "ok", "1", "2", "die"} - {action}:
                # pam_permit has one result; and if the password has already been accepted, ignoring a success is not a change.
                is_the_same = result == "success" and other == "ignore" and lines[0].module == "common-auth"
                if (line.module, result) != ("pam_permit.so", "default") and not is_the_same:
                    changed = Line(line.text)
                    changed.actions[result] = other
                    yield f"{result}={other} in: {line.text}", [*lines[:place], changed, *lines[place + 1 :]]


def main():
    wrong, stacks = [], {}
    found = {tuple(path.relative_to(ROOT).parts) for path in ROOT.glob("*/*")}
    wrong += [f"pam.d/{'/'.join(name)} is there or missing" for name in sorted(found ^ FILES)]
    for shape, service in sorted(found & FILES):
        stacks[shape, service], complaints = read(ROOT / shape / service)
        complaints += check(shape, service, stacks[shape, service])
        complaints += check_causes(shape, stacks[shape, service])
        wrong += [f"pam.d/{shape}/{service}: {complaint}" for complaint in complaints]
    wrong += [f"pam.d/passwd: {complaint}" for complaint in read(ROOT / "passwd")[1]]
    common_auth = [Line(line) for line in profile.common_auth()]
    wrong += [f"the profile: {complaint}" for complaint in check_profile(common_auth)]
    # Debian's lines are not checked; and pam_deny comes after the password.
    wrong += [
        f"the profile: nobody would notice {what}"
        for what, changed in spoilt(common_auth)
        if "pam_unix.so" not in what and not what.startswith("default=1 ") and not any(check_profile(changed))
    ]
    wrong += check_module()
    # A shape has the same auth lines in every service, and a service has the same account and password lines in every shape.
    for (shape, service), lines in stacks.items():
        for stages, other in ((("auth",), (shape, "sudo")), (("account", "password"), ("instead", service))):
            if [line.text for line in lines if line.stage in stages] != [
                line.text for line in stacks[other] if line.stage in stages
            ]:
                what = f"its {' and '.join(stages)} lines are not those of {'/'.join(other)}"
                wrong.append(f"pam.d/{shape}/{service}: {what}")
    if not wrong:
        for (shape, service), lines in stacks.items():
            for what, changed in spoilt(lines):
                if not any(check(shape, service, changed)):
                    wrong.append(f"pam.d/{shape}/{service}: nobody would notice {what}")
    for line in wrong:
        print(f"check: {line}")
    return 1 if wrong else 0


sys.exit(main())
