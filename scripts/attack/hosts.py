"""How somebody logs in: by a small host of our own, and by those that people use."""

import dataclasses
import os
import pty
import select
import subprocess
import time

# PAM's codes that rows speak of.
SUCCESS, SYSTEM_ERR, AUTH_ERR, CRED_UNAVAIL = 0, 4, 7, 15
SERVICE_ERR, AUTHINFO_UNAVAIL, USER_UNKNOWN, MAXTRIES, IGNORE = 3, 9, 10, 11, 25

# The core's results, as its log has them.
WRONG, LOCKED, LOCKED_FOR_GOOD = "3012", "3013", "3014"

PAM_HOST = "/usr/local/bin/pam-host"


@dataclasses.dataclass
class Login:
    """What came of a login: PAM's code (None where the host ended without one) and what was said."""

    code: int | None
    text: str

    @property
    def is_in(self):
        return self.code == SUCCESS


def command(service, user, remote=None):
    """The command line of the small host, which asks libpam and waits for nothing after a failure."""
    return [PAM_HOST, "/etc/pam.d", service, user] + ([remote] if remote else [])


def login(service, user, answer, remote=None, prefix=(), **options):
    """Logs in through the small host; `prefix` is a command that it is started by, options those of subprocess."""
    process = start(service, user, remote, prefix, **options)
    return finish(process, answer)


def start(service, user, remote=None, prefix=(), **options):
    """Begins a login whose answer comes later, with `finish`."""
    return subprocess.Popen(
        [*prefix, *command(service, user, remote)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, **options)


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


@dataclasses.dataclass
class Session:
    """What a terminal showed, and the exit status of what ran on it."""

    status: int | None
    text: str


def terminal(arguments, answers, seconds=60, ends=(b":",), environment=None, uid=None):
    """Runs a program on a terminal of its own and types the answers, each once a prompt stands there.

    A prompt is what ends with one of `ends`. With `uid` the program runs as that person, as a login shell's child would.
    """
    process, terminal_end = pty.fork()
    if process == 0:
        try:
            if uid is not None:
                os.initgroups(_name(uid), uid)
                os.setgid(uid)
                os.setuid(uid)
            os.chdir("/")
            os.execvpe(arguments[0], arguments, {**os.environ, **(environment or {})})
        finally:
            os._exit(127)
    shown, asked, answers = b"", b"", list(answers)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        readable, _, _ = select.select([terminal_end], [], [], 0.1)
        if not readable:
            continue
        try:
            part = os.read(terminal_end, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
        asked += part
        if answers and asked.rstrip(b" ").endswith(tuple(ends)):
            # The host switches echo off after it has shown the prompt, and throws away what was typed before.
            time.sleep(0.2)
            os.write(terminal_end, answers.pop(0).encode() + b"\n")
            asked = b""
    else:
        os.kill(process, 9)
    os.close(terminal_end)
    _, status = os.waitpid(process, 0)
    return Session(os.waitstatus_to_exitcode(status), shown.decode(errors="replace").replace("\r", ""))


def _name(uid):
    import pwd

    return pwd.getpwuid(uid).pw_name
