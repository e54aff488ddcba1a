"""Names and texts that control terminals, forge log lines, or escape from a folder."""

import concurrent.futures
import json
import os
import pathlib
import unicodedata

from attack.recorder import encode
from lab import forger, hosts
from lab.files import below
from lab.processes import Watch, gone
from lab.table import must, row

HOSTILE_NAMES = [
    b"",
    b" ",
    b"\x1b[2J\x1b]0;owned\x07",
    b"mina\nevent=authenticate result=0 account=root",
    b"mina\r\x08\x7f",
    b"../../../../tmp/owned",
    b"/etc/owned",
    b"..",
    b".",
    b"-rf",
    b"--help",
    b"%n%n%s%s%x",
    b"%1000000d",
    b"$(touch /tmp/owned)",
    b"`touch /tmp/owned`",
    b"a;touch /tmp/owned",
    b"\xff\xfe\x80",
    b"\xe2\x80\xaeimda",
    "미나".encode(),
    b"m" * 256,
    b"m" * 257,
    b"m" * 65536,
    b"%n" * 32768,
    b"0",
    b"-1",
    b"4294967296",
    b"root\t",
    b"root ",
    b"ROOT",
    b"mina\\",
    b"\"'",
]
# A careless directory service may have accounts with such names.
ACCOUNTS = ["%n%n%s", "..", "-rf", "a;id", "$(id)", "mina%0A"]
SSH_PORT = 2217
FOLDERS = ("/etc", "/var/lib", "/run", "/home", "/tmp", "/srv", "/usr/libexec")


def is_raw(text):
    """Whether text contains terminal control characters or changes the reading direction."""
    return any(unicodedata.category(sign) in ("Cc", "Cf", "Zl", "Zp") and sign not in "\n\t" for sign in text)


def files():
    """Every file of the folders that a login might write to, except those that the system itself writes."""
    return {
        path
        for folder in FOLDERS
        for path in below(folder)
        if not path.startswith(("/run/sshd/", "/tmp/attack", "/var/lib/pam-uaf/slots/"))
    }


def own_lines(lines):
    """The module's and the core's lines of the log."""
    return [line for line in lines if "pam-uaf[" in line or "pam_uaf(" in line]


def raw_lines(lines):
    return [line for line in lines if is_raw(line.rstrip("\n"))]


@row(
    "A17",
    "hostile user names: control bytes, paths, formats, 64 KiB, empty; by ssh too",
    "refused; no crash, no file, no raw control bytes in prompts or the log",
    causes=("somebody remote",),
)
def hostile_names(lab):
    with open("/etc/passwd", "a") as lines:
        lines.writelines(f"{name}:x:{700 + number}:65534::/:/bin/sh\n" for number, name in enumerate(ACCOUNTS))
    passwd = pathlib.Path("/etc/passwd")
    lab.after(
        lambda: passwd.write_text(
            "".join(line for line in passwd.read_text().splitlines(True) if not 700 <= int(line.split(":")[2]) < 800)
        )
    )
    somebody = lab.person()
    has_ssh = pathlib.Path("/usr/sbin/sshd").exists()
    if has_ssh:
        hosts.ask_uaf(lab, "sshd")
        hosts.sshd(lab, SSH_PORT)
        pathlib.Path("/tmp/caller.c").write_text(CALLER)
        lab.run("cc", "-shared", "-fPIC", "/tmp/caller.c", "-o", "/tmp/caller.so", "-ldl")
    before, mark, codes = files(), lab.log.mark(), set()
    names = HOSTILE_NAMES + [name.encode() for name in ACCOUNTS]
    with Watch() as watch:
        tries = [(name, remote) for name in names for remote in (None, "192.0.2.7")]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            logins = list(pool.map(lambda one: hosts.login("uaf", one[0], "some-guess-1", one[1]), tries))
        for (name, _), login in zip(tries, logins):
            codes.add(login.code)
            what = f"{name[:40]!r}: {login.code} {login.text[:200]!r}"
            must(login.code in (hosts.AUTH_ERR, hosts.USER_UNKNOWN), what)
            must(not is_raw(login.text), f"{name[:40]!r}: raw bytes in {login.text!r}")
    from_afar = lab.login(somebody, "some-guess-1", remote="\x1b[2Jhost\n\u202e")
    must(not is_raw(from_afar.text), f"raw bytes of the remote host: {from_afar}")
    by_ssh = over_ssh(lab, names) if has_ssh else None
    lines = own_lines(lab.log.since(mark))
    must(len(lines) >= 2 * len(names), f"only {len(lines)} lines of ours in the log")
    must(not raw_lines(lines), f"raw bytes in the log: {raw_lines(lines)[:2]!r}")
    must(not any("without a verdict" in line or "broke the protocol" in line for line in lines), "a core ended early")
    forged = [line for line in lines if "event=authenticate result=0" in line.split("account=")[0]]
    must(not forged, f"a forged line: {forged}")
    must(max(map(len, lines)) < 2500, f"a line of {max(map(len, lines))} characters")
    made = {name for name in files() - before if not name.startswith("/tmp/sshd-")}
    must(not made, f"files: {sorted(made)}")
    must(not (left := gone()), f"programs of ours did not end: {left}")
    return (
        f"{len(names)} names, local and remote, {by_ssh or 'none'} by ssh: PAM codes {sorted(codes)}; {len(lines)} log "
        f"lines without a control byte, the longest of {max(map(len, lines))}; 0 files; at most "
        f"{watch.peak['uaf-helper']} MiB"
    )


def over_ssh(lab, names):
    """Tries the hostile names over ssh too, if ssh accepts them; returns how many were tried."""
    chosen = [name for name in (names if lab.thorough else names[1:5] + names[11:18]) if 0 < len(name) <= 32768]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        sessions = list(pool.map(ssh, chosen))
    for name, session in zip(chosen, sessions):
        must(not session.is_in, f"{name[:40]!r}: let in by ssh")
    return len(chosen)


# ssh refuses such names as arguments, but uses its caller's name unchanged.
CALLER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pwd.h>
#include <stdlib.h>
struct passwd *getpwuid(uid_t uid)
{
  struct passwd *(*real)(uid_t) = (struct passwd *(*)(uid_t))dlsym(RTLD_NEXT, "getpwuid");
  struct passwd *entry = real(uid);
  if (entry != NULL && getenv("HOSTILE_NAME") != NULL)
    entry->pw_name = getenv("HOSTILE_NAME");
  return entry;
}
"""


def ssh(name):
    """Like hosts.ssh, as a person with a hostile name."""
    return hosts.terminal(
        [
            "ssh",
            "-p",
            str(SSH_PORT),
            "-F",
            "none",
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            "UserKnownHostsFile=/dev/null",
            "-o",
            "PreferredAuthentications=keyboard-interactive",
            "-o",
            "NumberOfPasswordPrompts=1",
            "127.0.0.1",
            "true",
        ],
        ["some-guess-1"],
        environment={"LD_PRELOAD": "/tmp/caller.so", "HOSTILE_NAME": os.fsdecode(name)},
    )


# --- Texts of a server

HOSTILE_TEXTS = {
    "escape sequences": "Hello\x1b[2J\x1b]0;owned\x07\x1b[31m",
    "8-bit controls": "Hello\x9b2J\x9d0;owned\x9c",
    "a second line": "Hello\nresult 0\rSuccess.\x0b\x0c\x85\u2028\u2029",
    "turned around": "Hello \u202e.nimda eht llac\u2066\u2069\u200f",
    "invisible": "Hel\u200b\u2060\ufeff\u00ad\u034flo\U000e0041",
    "overlong": "Hello " + "x" * 100_000,
    "combining": "Hello" + "\u0301" * 20_000,
    "backspaces": "Hello\x08\x08\x08\x08\x08Enter your password: \x7f",
}
LONGEST = 700


def said(login):
    return [line for line in login.text.splitlines() if line.startswith(("error ", "info ", "prompt "))]


@row(
    "A18",
    "hostile texts from the server: control bytes, bidirectional overrides, overlong lines",
    f"one clean line of at most {LONGEST} characters on the screen, and one clean line in the log",
    causes=("the server",),
)
def hostile_texts(lab):
    person = lab.person()
    between = forger.Forger(lab, forger.passing, shown=forger.STOLEN)
    lab.configure(port=between.port)
    mark, longest = lab.log.mark(), 0

    def check(name, login, shows=None):
        nonlocal longest
        must(not login.is_in, f"{name}: let in")
        # Only the small host's own lines for each message: a forged line would be an extra one.
        must(len(login.text.split("\n")) == len(said(login)) + 2, f"{name}: lines {login.text!r}")
        must(not is_raw(login.text), f"{name}: raw bytes {login.text!r}")
        must(shows is None or any(shows in line for line in said(login)), f"{name}: nothing is shown: {login.text!r}")
        longest = max(longest, *map(len, login.text.splitlines()))
        must(longest < LONGEST, f"{name}: a line of {longest}")

    for name, text in HOSTILE_TEXTS.items():
        between.reply = says(forger.answer(forger.verdict(1498, description=text)), "/respond")
        check(f"description, {name}", lab.login(person, person.passcode), "Hello")
        between.reply = says(forger.answer(forger.verdict(1498, description=text, uafRequest="")), "/get")
        check(f"request, {name}", lab.login(person, person.passcode))
        kind = text.translate({10: None, 13: None})[:4000].encode().decode("latin-1")
        between.reply = says(forger.answer("{}", kind=f"text/{kind}"), "/get")
        check(f"type, {name}", lab.login(person, person.passcode))
        between.reply = says(forger.answer(b'{"' + json.dumps(text).encode()[1:] + b":1}"), "/get")
        check(f"member, {name}", lab.login(person, person.passcode))
    shown = transaction_texts(lab, person, between)
    lines = own_lines(lab.log.since(mark))
    must(len(lines) >= 4 * len(HOSTILE_TEXTS), f"only {len(lines)} lines of ours in the log")
    must(not raw_lines(lines), f"raw bytes in the log: {raw_lines(lines)[:2]!r}")
    return (
        f"{4 * len(HOSTILE_TEXTS)} refusals with hostile texts: each shown as one clean line, the longest of "
        f"{longest} characters; {len(lines)} clean log lines; {shown}"
    )


def says(hostile, where):
    """A reply that is hostile to one kind of request."""
    return lambda request: hostile if request.path.endswith(where) else forger.passing(request)


def transaction_texts(lab, person, between):
    """Approvals whose text was made hostile on the way; returns their results."""

    def reply(request):
        outer = json.loads(forger.ask(request.path, request.body)[1])
        if text and "uafRequest" in outer:
            messages = json.loads(outer["uafRequest"])
            for message in messages:
                for transaction in message.get("transaction", []):
                    transaction["content"] = encode(text[:200].encode())
            outer["uafRequest"] = json.dumps(messages)
        return forger.answer(json.dumps(outer))

    def approve():
        payload = lab.run(
            "uaf-server",
            "approve",
            person.name,
            "--text",
            "Pay 10 to Hana",
            "--state",
            "/srv/uaf",
            "--server",
            f"https://127.0.0.1:{between.port}",
        ).stdout.split()[0]
        path = pathlib.Path("/tmp/approval")
        path.unlink(missing_ok=True)
        path.write_text(payload + "\n")
        path.chmod(0o600)
        return hosts.terminal(["uafctl", "oob", str(path), person.name], [person.passcode])

    between.reply, text = reply, None
    session = approve()
    must(session.status == 0 and "Pay 10 to Hana" in session.text, f"an honest text cannot be confirmed: {session}")
    refused = 0
    for name, text in HOSTILE_TEXTS.items():  # noqa: B007  # `reply` sends it
        session = approve()
        must(session.status != 0, f"text, {name}: confirmed {session}")
        must(not is_raw(session.text), f"text, {name}: {session.text!r}")
        refused += "Hello" not in session.text
    return f"{len(HOSTILE_TEXTS)} hostile texts to confirm, {refused} of them never shown, none confirmed"
