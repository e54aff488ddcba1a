"""A software chip (swtpm), a relay between it and the core, and a machine whose key the chip holds."""

import contextlib
import itertools
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import threading

from lab.machine import STATE
from lab.processes import running
from lab.table import must
from lab.waiting import until

RELAY = pathlib.Path(__file__).with_name("relay.py")
KEY, SEALED, RECOVERY = STATE / "device.key", STATE / "device.sealed", STATE / "device.recovery"
PERSISTENT = "0x81000001"
# TPM_CC_Load and TPM_CC_Unseal of TPM 2.0 Part 2, 6.5.2.
LOAD, UNSEAL = 0x157, 0x15E

_numbers = itertools.count(1)


class Chip:
    """A separate chip; it ends with the row."""

    def __init__(self, lab):
        self.folder = pathlib.Path(f"/tmp/tpm-{next(_numbers)}")
        self.folder.mkdir(mode=0o700)
        # The checkout's path may have a space, at which tpm2-tools would cut the command.
        self._relay = shutil.copy(RELAY, self.folder)
        self.place = self.folder / "socket"
        self._lab, self._process = lab, None
        self.start()
        lab.after(self.stop)

    def start(self):
        """Starts the chip; swtpm's parent process ends once the socket exists."""
        server = ["--server", f"type=unixio,path={self.place}", "--flags", "not-need-init,startup-clear"]
        pid = self.folder / "pid"
        self._lab.run(
            "swtpm", "socket", "--tpm2", "--tpmstate", f"dir={self.folder}", *server, "--daemon", "--pid", f"file={pid}"
        )
        self._process = int(pid.read_text())

    def stop(self):
        """Removes the chip: its process and its socket."""
        if self._process:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process, 9)
            # The chip's state is locked until its process has ended.
            until(lambda: self._process not in running("swtpm"), "the chip's end")
            self._process = None
        self.place.unlink(missing_ok=True)

    def tool(self, name, *arguments, check=True):
        """Runs one of tpm2-tools on it; returns what it printed."""
        transport = f"cmd:{sys.executable} {self._relay} {self.place}"
        return self._lab.run(f"tpm2_{name}", "-T", transport, *arguments, cwd=self.folder, check=check).stdout

    def failures(self):
        """TPM_PT_LOCKOUT_COUNTER: what the chip has counted against guessing."""
        lines = self.tool("getcap", "properties-variable").splitlines()
        return next(int(line.split()[1], 16) for line in lines if line.startswith("TPM2_PT_LOCKOUT_COUNTER:"))

    def lock(self):
        """Locks the chip against guessing, as another program does: one wrong value for its own object."""
        self.tool("dictionarylockout", "-s", "-n", "1", "-t", "3600", "-l", "3600")
        self.tool("nvdefine", "0x1500001", "-C", "o", "-s", "8", "-a", "authread|authwrite|ownerwrite", "-p", "right")
        (self.folder / "data").write_bytes(bytes(8))
        self.tool("nvwrite", "-C", "0x1500001", "-P", "right", "-i", "data", "0x1500001")
        self.tool("nvread", "-C", "0x1500001", "-P", "wrong", "0x1500001", check=False)
        must(self.failures() == 1, "the chip is not locked")

    def provision(self, attributes="", value=None):
        """Creates a storage key at the handle that is reserved for the machine's storage root key."""
        given = ["-a", attributes] if attributes else []
        given += ["-p", value] if value else []
        self.tool("createprimary", "-C", "o", "-G", "ecc", "-c", "primary", *given)
        self.tool("evictcontrol", "-C", "o", "-c", "primary", PERSISTENT)
        self.tool("flushcontext", "-t")


class Between:
    """A relay between the core and a chip: records the traffic, and may act at a command."""

    def __init__(self, lab, chip, at=None, does=lambda: None, step=None, changes=None):
        """Calls `does` before it forwards a command of code `at`, or command number `step`; `changes` may change the response."""
        self.place = chip.folder / f"between-{next(_numbers)}"
        self._chip, self._at, self._does, self._step, self._changes = chip, at, does, step, changes
        self.passed = bytearray()
        self.commands = []
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(self.place))
        self._socket.listen(8)
        threading.Thread(target=self._serve, daemon=True).start()
        lab.after(self._socket.close)

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                with client, contextlib.suppress(OSError, EOFError), socket.socket(socket.AF_UNIX) as chip:
                    chip.connect(str(self._chip.place))
                    while True:
                        command = _message(client)
                        code = struct.unpack(">I", command[6:10])[0]
                        is_meant = code == self._at or len(self.commands) == self._step
                        self.commands.append(code)
                        if is_meant:
                            self._does()
                        self.passed += command
                        chip.sendall(command)
                        response = _message(chip)
                        if is_meant and self._changes:
                            response = self._changes(response)
                        self.passed += response
                        client.sendall(response)


def _message(connection):
    """One command or response: its size is in bytes 2 to 5."""
    head = _exactly(connection, 10)
    return head + _exactly(connection, struct.unpack(">I", head[2:6])[0] - 10)


def _exactly(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def use(lab, place, use="if_available"):
    """Sets the path of a chip in the configuration."""
    lab.configure(more=f'[tpm]\nuse = "{use}"\ntcti = "{place}"')


def keep_state(lab):
    """Restores the current state folder after the row: the next row's machine has its key in a file."""
    copy = pathlib.Path("/tmp/state-before")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(STATE, copy)

    def back():
        for path in STATE.glob("*device*"):
            path.unlink()
        for path in copy.glob("device*"):
            shutil.copy2(path, STATE)

    lab.after(back)


def unsealed(lab, use_of_chip="if_available"):
    """A new chip that the machine's configuration names while its key is still in a file, and a person; returns both."""
    keep_state(lab)
    chip, person = Chip(lab), lab.person()
    use(lab, chip.place, use_of_chip)
    return chip, person


def sealed(lab, *options):
    """A person of this machine, whose key a new chip has sealed; returns both."""
    chip, person = unsealed(lab)
    lab.run("uafctl", "seal", *options)
    must(SEALED.exists() and not KEY.exists(), f"not sealed: {sorted(path.name for path in STATE.iterdir())}")
    return chip, person


def refused(lab, person, says, logs=""):
    """Logs in, and requires a refusal with a text before any prompt."""
    mark = lab.log.mark()
    login = lab.login(person, person.passcode)
    must(not login.is_in, f"let in: {login.text}")
    must(says in login.text, f"said: {login.text}")
    must("asscode" not in login.text.split("result")[0].split(says)[0], f"asked first: {login.text}")
    lines = [line for line in lab.log.since(mark, "result=1007") if "event=authenticate" in line]
    must(any("result=1007" in line and logs in line for line in lines), f"logged: {lines}")
    return login


def is_in(lab, person):
    login = lab.login(person, person.passcode)
    must(login.is_in, f"not let in: {login.text}")


def binding(lab, person):
    """The part about the device key in `uafctl status --json`."""
    return lab.status(person).get("keyBinding")


def tool(lab, *arguments, answers=None):
    """Runs uafctl as root; returns its exit status and output."""
    done = subprocess.run(["uafctl", *arguments], input=answers or "", capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stdout + done.stderr
