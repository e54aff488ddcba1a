"""A separate Debian: an overlay over read-only folders, and processes in namespaces."""

import io
import pathlib
import select
import shutil
import subprocess
import time

from lab import hosts
from lab.table import must
from lab.waiting import until

# Time limits for a hang, in seconds. Machines boot in parallel, next to much other work.
BOOT, STEP = 300, 120
PATH = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Machine:
    """Use as a context: everything that runs in it ends with it.

    Its changes are in memory and are lost too; with `keeps_layer` they stay in `layer`. With `own_network` it has its own network
    namespace, in which no interface is up.
    """

    def __init__(self, folder, layers, booted, keeps_layer=False, own_network=False):
        self._own_network = own_network
        self.folder, self.is_booted, self._keeps_layer = folder, booted, keeps_layer
        self.layer, self._work, self.root = folder / "changed", folder / "work", folder / "root"
        for made in (self.layer, self._work, self.root):
            made.mkdir(parents=True)
        self._layers = ":".join(str(layer) for layer in layers)

    def __enter__(self):
        options = f"lowerdir={self._layers},upperdir={self.layer},workdir={self._work}"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, str(self.root)], check=True)
        kind = "booted" if self.is_booted else "plain"
        self._first = subprocess.Popen(
            [
                "unshare",
                "--mount",
                "--pid",
                "--ipc",
                "--uts",
                "--cgroup",
                *(["--net"] if self._own_network else []),
                "--fork",
                "--kill-child",
                "--propagation",
                "private",
                "Tests/Acceptance/packages/boot.sh",
                str(self.root),
                kind,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            self.process = self._process()
            self._prefix = ["nsenter", f"--target={self.process}", "--mount", "--pid", "--ipc", "--uts", "--cgroup"]
            if self._own_network:
                self._prefix.append("--net")
            until(self._is_up, f"a {kind} machine", seconds=BOOT)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._first.kill()
        self._first.wait()
        subprocess.run(["umount", "--lazy", str(self.root)], check=True)
        if not self._keeps_layer:
            shutil.rmtree(self.folder)

    def _process(self):
        """The ID of the machine's first process in this PID namespace."""
        children = pathlib.Path(f"/proc/{self._first.pid}/task/{self._first.pid}/children")
        return until(lambda: children.read_text().split(), "the first process of a machine", seconds=STEP)[0]

    def _is_up(self):
        must(self._first.poll() is None, "the first process of a machine has ended")
        if not self.is_booted:
            return self.run("test", "-d", "/run/machine", check=False).returncode == 0
        # A machine without its own kernel is normally "degraded".
        return self.run("systemctl", "is-system-running", check=False).stdout.strip() in ("running", "degraded")

    # --- Programs

    def command(self, *arguments, **environment):
        """The command line that runs a program in the machine, as root."""
        variables = {"PATH": PATH, "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive", **environment}
        assignments = [f"{name}={value}" for name, value in variables.items()]
        return [*self._prefix, "env", "-i", *assignments, *(str(argument) for argument in arguments)]

    def run(self, *arguments, answers=None, check=True, limit=300, **environment):
        """Runs a program to its end and returns its CompletedProcess with text; without answers, its standard input is empty."""
        fed = {"stdin": subprocess.DEVNULL} if answers is None else {"input": answers}
        result = subprocess.run(
            self.command(*arguments, **environment),
            text=True,
            errors="replace",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=limit,
            **fed,
            check=False,
        )
        must(
            not check or result.returncode == 0,
            f"{' '.join(map(str, arguments))} ended with {result.returncode}: {result.stdout[-600:]}",
        )
        return result

    def says(self, *arguments):
        """The standard output of a program that must succeed."""
        return subprocess.run(
            self.command(*arguments),
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=True,
        ).stdout

    def terminal(self, *arguments, answers=(), ends=(b":",), **environment):
        """Runs a program on a terminal and types the answers."""
        return hosts.terminal(self.command(*arguments, TERM="dumb", **environment), answers, ends=ends)

    def converse(self, *arguments):
        """Starts a program that exchanges lines with the row while the row does other things."""
        return Conversation(self.command(*arguments))

    # --- Files

    def path(self, path):
        """The path outside the machine of one of its files; not for files in /run, /tmp, /dev and /proc."""
        return self.root / path.lstrip("/")

    def read(self, path):
        return self.path(path).read_text()

    def write(self, path, text, mode=0o644):
        file = self.path(path)
        file.unlink(missing_ok=True)
        file.write_text(text)
        file.chmod(mode)

    def bring(self, source, path):
        """Copies a file into the machine."""
        shutil.copy(source, self.path(path))
        return path

    def unpack(self, archive):
        """Lays the files of a tar out in the machine."""
        subprocess.run(["tar", "-x", "-C", self.root, "-f", archive], check=True)


class Conversation:
    """A program that exchanges lines with the row and waits for each answer."""

    def __init__(self, command):
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert self._process.stdin and isinstance(self._process.stdout, io.BufferedReader)
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self.text = ""

    def until(self, beginning, seconds=STEP):
        """Reads up to the first line that begins with `beginning`, and returns that line."""
        deadline = time.monotonic() + seconds
        seen = len(self.text)
        while True:
            lines = self.text[seen:].split("\n")[:-1]
            found = [line for line in lines if line.startswith(beginning)]
            if found:
                return found[0]
            ready, _, _ = select.select([self._stdout], [], [], max(0, deadline - time.monotonic()))
            part = self._stdout.read1() if ready else b""
            must(part, f"no line begins with {beginning!r}: {self.text!r}")
            self.text += part.decode(errors="replace")

    def answer(self, text):
        self._stdin.write(text.encode() + b"\n")
        self._stdin.flush()

    def end(self):
        """Waits for the end and returns the exit status."""
        self._stdin.close()
        self.text += self._stdout.read().decode(errors="replace")
        return self._process.wait(STEP)
