"""Programs that run as an unprivileged user, each with its own log, and end with the fleet."""

import os
import pathlib
import signal
import subprocess

USER = "fleet"
LOGS = pathlib.Path(os.environ.get("LAB_RESULTS", "/tmp/results"), "logs")


class Program:
    """A program that may be killed and restarted by the same command."""

    def __init__(self, name, command, folder="/", environment=None, user: str | None = USER):
        self.name, self._command, self._folder = name, [str(part) for part in command], folder
        # None: the user who runs the tests.
        self._user = user
        self._environment = {**os.environ, **(environment or {})}
        self._process: subprocess.Popen | None = None
        self.log = LOGS / f"{name}.log"

    def start(self):
        LOGS.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env=self._environment,
                user=self._user,
                group=self._user,
                extra_groups=[] if self._user else None,
                start_new_session=True,
            )

    @property
    def runs(self):
        return self._process is not None and self._process.poll() is None

    @property
    def process(self):
        """The process that was started last."""
        if self._process is None:
            raise RuntimeError(f"{self.name} was never started")
        return self._process

    def start_if_gone(self):
        if not self.runs:
            self.start()

    def kill(self):
        """Kills the program; its children continue."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Kills the program and its children."""
        if self._process is not None:
            for number in (signal.SIGCONT, signal.SIGKILL):
                try:
                    os.killpg(self._process.pid, number)
                except ProcessLookupError:
                    break
            self._process.wait()

    def freeze(self):
        """Stops the program without ending it."""
        os.killpg(self.process.pid, signal.SIGSTOP)

    def thaw(self):
        os.killpg(self.process.pid, signal.SIGCONT)

    def told(self):
        """The text of the program's log."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""


def as_user(*command, check=True, answers=None, seconds=60, **options):
    """Runs a command as that user and returns its CompletedProcess with text; raises if the command hangs."""
    result = subprocess.run(
        [str(part) for part in command],
        input=answers,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        user=USER,
        group=USER,
        extra_groups=[],
        check=False,
        **options,
    )
    if check and result.returncode:
        raise RuntimeError(f"{command[0]} {command[1]} ended with {result.returncode}: {(result.stdout + result.stderr)[-600:]}")
    return result


def folder(path, mode=0o700):
    """Creates a folder owned by that user."""
    path = pathlib.Path(path)
    path.mkdir(parents=True, exist_ok=True)
    os.chmod(path, mode)
    subprocess.run(["chown", f"{USER}:{USER}", path], check=True)
    return path


def write(path, content, mode=0o600):
    """Writes a file owned by that user."""
    path = pathlib.Path(path)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    os.chmod(path, mode)
    subprocess.run(["chown", f"{USER}:{USER}", path], check=True)
    return path


def descendants(process):
    """A process and its children; PostgreSQL's children are separate sessions."""
    try:
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [process, *map(int, children)]
