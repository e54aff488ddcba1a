"""A virtual machine that is started from an image: QEMU without hardware support, so that every machine can run it."""

import base64
import json
import pathlib
import shutil
import socket
import subprocess
import time

from lab.hosts import Session
from lab.table import must
from lab.waiting import until

# Time limits for a hang, in seconds. An emulated processor is some ten times slower, next to much other work.
BOOT, STEP = 600, 300
# The kernel's options: AppArmor as Debian starts it, and messages on the serial line.
OPTIONS = "root=/dev/vda rw console=tty0 console=ttyS0 net.ifnames=0 quiet"


class Guest:
    """Use as a context: the machine ends with it, and what it has written is lost.

    It has no network but its own loopback. `run`, `says`, `read`, `write` and `terminal` are those of packages.machine.Machine.
    """

    is_booted = True

    def __init__(self, image, folder, memory=1024, chip=None):
        self._image, self.folder, self._memory, self._chip = image, folder, memory, chip

    def __enter__(self):
        self.folder.mkdir(parents=True)
        self._process = subprocess.Popen(
            self._command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=(self.folder / "qemu.log").open("w")
        )
        try:
            self._agent = self._connect("agent")
            self._monitor = self._connect("monitor")
            self._line(self._monitor, STEP)
            self._ask_monitor("qmp_capabilities")
            must("ready" in self._line(self._agent, BOOT), "the agent says something else first")
            # Other services start at the same time; one that fails is told by the rows that need it.
            self.run("systemctl", "is-system-running", "--wait", check=False, limit=BOOT)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self.folder)

    def _command(self):
        def channel(name, more=""):
            return ["-chardev", f"socket,id={name},path={self.folder}/{name},server=on,wait=off{more}"]

        chip = []
        if self._chip:
            chip = ["-chardev", f"socket,id=chip,path={self._chip}", "-tpmdev", "emulator,id=tpm,chardev=chip"]
            chip += ["-device", "tpm-tis,tpmdev=tpm"]
        return [
            *["qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", str(self._memory)],
            *["-nodefaults", "-no-user-config", "-display", "none", "-vga", "std", "-no-reboot", "-nic", "none"],
            *["-kernel", self._image / "kernel", "-initrd", self._image / "initrd", "-append", OPTIONS],
            *["-drive", f"file={self._image}/disk,if=virtio,format=raw,snapshot=on,cache=unsafe"],
            *["-device", "virtio-rng-pci", "-device", "virtio-serial"],
            *channel("agent"),
            *["-device", "virtserialport,chardev=agent,name=agent"],
            *channel("line", f",logfile={self.folder}/line.log"),
            *["-serial", "chardev:line"],
            *channel("monitor"),
            *["-mon", "chardev=monitor,mode=control"],
            *chip,
        ]

    # --- The channels

    def _connect(self, name):
        """The channel's socket, once QEMU listens at it."""

        def attempt():
            must(self._process.poll() is None, f"QEMU has ended: {(self.folder / 'qemu.log').read_text()[-600:]}")
            channel = socket.socket(socket.AF_UNIX)
            try:
                channel.connect(str(self.folder / name))
            except OSError:
                channel.close()
                return None
            return channel

        channel = until(attempt, f"QEMU's socket {name}", STEP)
        return channel, channel.makefile("rb")

    def _line(self, ends, seconds):
        """The next line of a channel, as an object."""
        channel, reader = ends
        channel.settimeout(seconds)
        try:
            line = reader.readline()
        except TimeoutError:
            line = b""
        must(line, f"the machine is silent: {self.line()[-600:]}")
        return json.loads(line)

    @staticmethod
    def _send(ends, thing):
        ends[0].sendall(json.dumps(thing).encode() + b"\n")

    def _ask_agent(self, seconds, **request):
        self._send(self._agent, {"limit": seconds, **request})
        # The agent's own limit comes first, and says what was printed by then.
        return self._line(self._agent, seconds + STEP)

    def _ask_monitor(self, command, **arguments):
        self._send(self._monitor, {"execute": command, "arguments": arguments})
        while True:
            answer = self._line(self._monitor, STEP)
            if "event" not in answer:
                must("return" in answer, f"{command}: {answer}")
                return answer["return"]

    # --- Programs

    def _run(self, arguments, fed, errors, limit):
        encoded = base64.b64encode(fed if isinstance(fed, bytes) else fed.encode()).decode()
        answer = self._ask_agent(limit, run=[str(part) for part in arguments], input=encoded, errors=errors)
        return subprocess.CompletedProcess(arguments, answer["status"], answer["text"])

    def run(self, *arguments, answers="", check=True, limit=STEP):
        """Runs a program as root to its end and returns its CompletedProcess with text."""
        result = self._run(arguments, answers, errors=True, limit=limit)
        shown = " ".join(map(str, arguments))
        must(not check or result.returncode == 0, f"{shown} ended with {result.returncode}: {result.stdout[-600:]}")
        return result

    def says(self, *arguments):
        """The standard output of a program that must succeed."""
        result = self._run(arguments, "", errors=False, limit=STEP)
        must(result.returncode == 0, f"{' '.join(map(str, arguments))} ended with {result.returncode}")
        return result.stdout

    def terminal(self, *arguments, answers=(), ends=(b":",)):
        """Runs a program on a terminal and types the answers."""
        typed = {"answers": list(answers), "ends": [end.decode() for end in ends]}
        answer = self._ask_agent(STEP, terminal=[str(part) for part in arguments], **typed)
        must("transcript" in answer, f"{arguments[0]}: {answer['text']}")
        return Session(answer["status"], answer["text"], answer["transcript"])

    # --- Files

    def read(self, path):
        return self.says("cat", path)

    def write(self, path, text, mode=0o644):
        script = 'umask 077 && cat >"$1.new" && chmod "$2" "$1.new" && mv "$1.new" "$1"'
        self.run("sh", "-c", script, "sh", path, f"{mode:o}", answers=text)

    # --- Screen and keyboard

    def type(self, *keys):
        """Presses keys one after the other; each is a name of QEMU's, or several that are held together ("shift-a")."""
        for key in keys:
            self._ask_monitor("human-monitor-command", **{"command-line": f"sendkey {key}"})
            # The keyboard has a queue of 16 keys, and a program that is busy reads none of them.
            time.sleep(0.2)

    def picture(self, path):
        """Writes what the screen shows to a PNG file."""
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._ask_monitor("screendump", filename=str(path), format="png")
        return path

    # --- The serial line

    def line(self):
        """What the serial line has shown since the start."""
        return (self.folder / "line.log").read_text(errors="replace")

    def wait_for(self, text, seconds=STEP):
        """Waits until the serial line has shown a text."""
        until(lambda: text in self.line(), f"{text!r} on the serial line", seconds)
