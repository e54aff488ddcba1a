"""How people log in: with our own small host, and with real hosts."""

import dataclasses
import os
import pathlib
import pty
import pwd
import re
import select
import signal
import subprocess
import termios
import time

from lab.processes import members, reads_terminal
from lab.table import Skip
from lab.waiting import listens

# The PAM codes that rows use.
SUCCESS, SYSTEM_ERR, AUTH_ERR, CRED_UNAVAIL = 0, 4, 7, 15
SERVICE_ERR, AUTHINFO_UNAVAIL, USER_UNKNOWN, MAXTRIES, IGNORE = 3, 9, 10, 11, 25

# Results of the core, as it logs them.
WRONG, LOCKED, LOCKED_FOR_GOOD = "3012", "3013", "3014"

PAM_HOST = "/usr/local/bin/pam-host"

# The stacks of pam.d/, as they are installed.
STACKS = "/usr/share/pam-uaf/pam.d"


@dataclasses.dataclass
class Login:
    """The result of a login: PAM's code (None if the host ended without one) and the messages."""

    code: int | None
    text: str

    @property
    def is_in(self):
        return self.code == SUCCESS


def command(service, user, remote=None):
    """The command line of the small host, which calls libpam and does not delay after a failure."""
    return [PAM_HOST, "/etc/pam.d", service, user] + ([remote] if remote else [])


def called_by(person, *before):
    """A command that starts a program as su is started: as root, with the caller's real uid."""
    return [*before, "setpriv", "--ruid", str(person.uid)]


def login(service, user, answer, remote=None, prefix=(), **options):
    """Logs in through the small host; `prefix` is a command that starts the host; the options are those of subprocess."""
    process = start(service, user, remote, prefix, **options)
    return finish(process, answer)


def start(service, user, remote=None, prefix=(), **options):
    """Begins a login that is answered later, with `finish`."""
    return subprocess.Popen(
        [*prefix, *command(service, user, remote)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **options,
    )


def finish(process, answer, seconds=90):
    """Answers every prompt with the same value and waits for the end."""
    answer = answer if isinstance(answer, bytes) else answer.encode()
    try:
        text, _ = process.communicate(answer + b"\n" if answer is not None else None, timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        text, _ = process.communicate()
        return Login(None, "(no end) " + text.decode(errors="replace"))
    text = text.decode(errors="replace")
    codes = [line.split()[1] for line in text.splitlines() if line.startswith("result ")]
    return Login(int(codes[-1]) if codes else None, text)


# An action at a prompt instead of entering a line.
INTERRUPT, NOTHING = b"\x03", None


@dataclasses.dataclass
class Session:
    """What a terminal showed, the exit status of the program on it, and the text of both with the typed text in [brackets]."""

    status: int | None
    text: str
    transcript: str = ""

    @property
    def is_in(self):
        """For real hosts: whether the given command has run."""
        return LET_IN in self.text


def terminal(arguments, answers, seconds=120, ends=(b":",), environment=None, uid=None):
    """Runs a program on its own terminal and types the answers, each once a prompt has appeared.

    A prompt is a text that ends with one of `ends` and is followed by nothing. At a prompt for which there is no answer left, the
    terminal hangs up. Bytes are typed as they are, without a new line; at NOTHING, nothing is typed; a function is called once
    the prompt is shown, and returns the answer. With `uid` the program runs as that person, as a login shell's child would.
    """
    process, terminal_end = pty.fork()
    if process == 0:
        try:
            if uid is not None:
                os.initgroups(pwd.getpwuid(uid).pw_name, pwd.getpwuid(uid).pw_gid)
                os.setgid(pwd.getpwuid(uid).pw_gid)
                os.setuid(uid)
            os.chdir("/")
            os.execvpe(arguments[0], arguments, {**os.environ, **(environment or {})})
        finally:
            os._exit(127)
    try:
        shown, told = _converse(process, terminal_end, list(answers), seconds, ends)
    except BaseException:
        # A row that breaks here leaves no running program for the next one.
        os.kill(process, signal.SIGKILL)
        raise
    finally:
        os.close(terminal_end)
        _, status = os.waitpid(process, 0)
    return Session(os.waitstatus_to_exitcode(status), _plain(shown), _plain(told))


def _converse(process, terminal_end, answers, seconds, ends):
    """Types the answers; returns what was shown, and the same with what was typed."""
    shown, told, asked = b"", b"", b""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        stands = _is_prompt(asked, ends)
        # A host turns echo off after its messages and before a prompt: the text shown by then tells whether it was a prompt.
        is_hidden = stands and bool(answers) and _wait_for_silence(terminal_end)
        part = _read(process, terminal_end, 0 if stands and answers else 0.5)
        if part:
            shown, told, asked = shown + part, told + part, asked + part
        elif part is not None or (stands and not answers):
            break
        elif stands:
            told += _type(terminal_end, answers.pop(0), is_hidden)
            asked = b""
    else:
        os.kill(process, signal.SIGKILL)
    return shown, told


def _plain(shown):
    return shown.decode(errors="replace").replace("\r", "")


def _is_prompt(asked, ends):
    """Whether what has been shown since the last answer ends as a prompt does.

    sudo and su write a message in parts: their name, a colon, the text. The first two parts are not a prompt, although they end
    with a colon.
    """
    return asked.rstrip(b" ").endswith(tuple(ends)) and not re.search(rb"(?:^|\n)[a-z]+: *\Z", asked)


def _type(terminal_end, answer, is_hidden):
    """Enters an answer; returns its text for the transcript, which is empty if the terminal itself echoes the answer."""
    if callable(answer):
        answer = answer()
    if answer is NOTHING:
        return b"[nothing]"
    if isinstance(answer, bytes):
        # sudo and others lose a signal that arrives between their prompt and their read. No person types that fast.
        _wait_for_read(terminal_end)
        os.write(terminal_end, answer)
        return b"[Ctrl-C]" if answer == INTERRUPT else b""
    os.write(terminal_end, answer.encode() + b"\n")
    return b"[" + answer.encode() + b"]" if is_hidden else b""


def _read(process, terminal_end, seconds):
    """The output within some seconds: None for no output, an empty value for the end."""
    readable, _, _ = select.select([terminal_end], [], [], seconds)
    if not readable:
        return None
    try:
        return os.read(terminal_end, 4096)
    except OSError:
        # util-linux's login hangs up its terminal, so that no other process has it open, and then opens it again.
        if os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            return b""
        time.sleep(0.01)
        return None


def _wait_for_silence(terminal_end):
    """Waits briefly until echo is off: a host that switches echo off discards what was typed before."""
    deadline = time.monotonic() + 0.2
    while (echoes := termios.tcgetattr(terminal_end)[3] & termios.ECHO) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not echoes


def _wait_for_read(terminal_end):
    """Waits briefly until a program on the terminal sleeps in read(2): some programs wait in other ways."""
    deadline = time.monotonic() + 2
    while not any(map(reads_terminal, members(os.tcgetpgrp(terminal_end)))) and time.monotonic() < deadline:
        time.sleep(0.01)


# --- The hosts that people use, with what pam.d/ ships

# The command that the hosts run prints this text; nobody types it.
LET_IN = "let-in"
_SAY = "printf 'let-%s\\n' in"


def needs(path):
    """Skips the row if the machine lacks a host and its package could not be fetched."""
    if not pathlib.Path(path).exists():
        raise Skip(f"{path} is not there, and its package could not be fetched")


def ask_uaf(lab, service, shape=None, template=None, arguments=()):
    """Makes a service ask for the passcode, with its lines of pam.d/ in one shape, or with those of a template.

    The arguments are for the module when people log in. A second call with a different shape changes only those lines.
    """
    shape = shape or ("instead" if service == "sshd" else "fallback")
    lines, stack = pathlib.Path(f"/etc/pam.d/uaf-{service}"), pathlib.Path("/etc/pam.d", service)
    needs(stack)
    text = pathlib.Path(STACKS, shape, template or service).read_text()
    lab.stack(lines.name, *re.sub(r"(?m)^(auth .*pam_uaf\.so)$", " ".join((r"\1", *arguments)), text).splitlines())
    before = stack.read_text()
    if f"@include {lines.name}\n" in before:
        return
    after = re.sub(r"(?m)^(@include\s+common-auth|auth\s+include\s+login)$", f"@include {lines.name}", before)
    if after == before:
        raise RuntimeError(f"{stack} does not include common-auth")
    lab.stack(service, *after.splitlines())


def sudoers(lab, *lines):
    """Lets people use sudo, which asks once for each command, unless a line says otherwise."""
    path = pathlib.Path("/etc/sudoers")
    needs(path)
    before = path.read_text()

    def write(text):
        path.unlink()
        path.write_text(text)
        path.chmod(0o440)

    write("\n".join(["Defaults passwd_tries=1, timestamp_timeout=0, !lecture", "root ALL=(ALL) ALL", *lines, ""]))
    lab.after(lambda: write(before))


def su(caller, target, *answers, environment=None):
    """A person becomes a different user by `su`."""
    return terminal(["su", "-c", _SAY, target.name], answers, uid=caller.uid, environment=environment)


def sudo(caller, *answers, options=(), more=(), environment=None):
    """A person runs a command as root by `sudo`; `more` are further arguments without effect."""
    return terminal(["sudo", *options, "sh", "-c", _SAY, *more], answers, uid=caller.uid, environment=environment)


def console(person, *answers, environment=None):
    """A person logs in at the console, by `login`, with a shell that reports it and ends."""
    shell = pathlib.Path("/usr/local/bin/say-let-in")
    if not shell.exists():
        shell.write_text(f"#!/bin/sh\n{_SAY}\n")
        shell.chmod(0o755)
    if pwd.getpwnam(person.name).pw_shell != str(shell):
        subprocess.run(["usermod", "--shell", str(shell), person.name], check=True, capture_output=True)
    return terminal(["login", person.name], answers, environment=environment)


def has_penalties():
    """Whether sshd itself keeps an address out for a while after failures, as OpenSSH 9.8 and newer do."""
    needs("/usr/sbin/sshd")
    # sshd checks its options before the host key. The key here is invalid, so sshd always fails, and the message tells why.
    asked = ["/usr/sbin/sshd", "-t", "-f", "/dev/null", "-h", "/dev/null", "-o", "PerSourcePenalties=no"]
    return "PerSourcePenalties" not in subprocess.run(asked, capture_output=True, text=True, check=False).stderr


def sshd(lab, port=2222, *options, environment=None):
    """Starts OpenSSH's server, which asks PAM with keyboard-interactive; returns its process.

    An option for it is a line of sshd_config; the first line with a keyword counts.
    """
    needs("/usr/sbin/sshd")
    folder = pathlib.Path(f"/tmp/sshd-{port}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if not (folder / "key").exists():
        lab.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key")
    (folder / "config").write_text(
        "\n".join(
            [
                *options,
                f"Port {port}",
                "ListenAddress 127.0.0.1",
                f"HostKey {folder}/key",
                f"PidFile {folder}/pid",
                "UsePAM yes",
                "KbdInteractiveAuthentication yes",
                "PasswordAuthentication no",
                "PubkeyAuthentication no",
                "UseDNS no",
                "MaxStartups 200",
                "LoginGraceTime 60",
                *(["PerSourcePenalties no"] if has_penalties() else []),
                "",
            ]
        )
    )
    process = lab.start("/usr/sbin/sshd", "-D", "-f", folder / "config", env={**os.environ, **(environment or {})})
    lab.after(lambda: lab.stop(process))
    listens(process, port)
    return process


def ssh(name, *answers, port=2222, options=()):
    """A person logs in by ssh. Options are those of ssh_config; the first of several for one keyword applies."""
    chosen = (
        *options,
        "StrictHostKeyChecking=no",
        "UserKnownHostsFile=/dev/null",
        "LogLevel=ERROR",
        "PreferredAuthentications=keyboard-interactive",
        "NumberOfPasswordPrompts=1",
    )
    parts = [part for option in chosen for part in ("-o", option)]
    return terminal(["ssh", "-p", str(port), "-F", "none", *parts, "-l", name, "127.0.0.1", _SAY], answers)
