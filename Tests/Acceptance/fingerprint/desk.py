"""The person's desk: a private system bus, fprintd with its virtual sensor, and a finger to touch it with."""

import os
import pathlib
import shutil
import socket
import subprocess

from fingerprint import seat
from lab import hosts
from lab.processes import asks_alone, listens, running, waits
from lab.table import Broken, Skip, must
from lab.waiting import until

FPRINTD = "/usr/libexec/fprintd"
SENSOR = "/run/sensor"
CONFIGURATION, SOCKET = pathlib.Path("/run/bus.conf"), pathlib.Path("/run/dbus/system_bus_socket")
LOGIND = "org.freedesktop.login1"
PRINTS = pathlib.Path("/var/lib/fprint")
# Debian's Python, which has the bindings of D-Bus, whatever else is in PATH.
PYTHON = "/usr/bin/python3"
HERE = pathlib.Path(__file__).parent
RIGHT, LEFT = "right-index-finger", "left-thumb"

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path=/run/dbus/system_bus_socket</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/>
<allow send_type="method_call"/><allow send_type="signal"/><allow send_requested_reply="true" send_type="method_return"/>
<allow send_requested_reply="true" send_type="error"/><allow receive_type="method_call"/><allow receive_type="signal"/>
<allow receive_type="method_return"/><allow receive_type="error"/></policy></busconfig>
"""


class Desk:
    """The fingerprint environment that the rows use."""

    # Programs of Debian's packages that it needs, and the folder in which its service stores what people enrol.
    NEEDED: tuple[str, ...] = (FPRINTD, "/usr/bin/dbus-daemon", "/usr/bin/fprintd-enroll")
    STORE = PRINTS

    def __init__(self, lab):
        self.lab = lab
        self.bus = self.polkit = self.service = None

    def set_up(self):
        """Starts bus, polkit's stand-in and service; raises Skip if Debian's packages are missing."""
        for path in self.NEEDED:
            if not os.path.exists(path):
                raise Skip(f"{path} is not there, and its package could not be fetched")
        # As the package does it: the bus refuses a connection from a user id without a name.
        self.lab.run("groupadd", "--force", "--gid", "60991", "uaf-finger")
        self.lab.run("useradd", "--system", "--no-create-home", "--uid", "60991", "--gid", "60991", "uaf-finger")
        os.makedirs("/run/dbus", exist_ok=True)
        seat.sit_down()
        CONFIGURATION.write_text(BUS)
        self.STORE.mkdir(mode=0o700, exist_ok=True)
        self.start_bus()

    # --- The bus

    def start_bus(self):
        """Starts the bus, and what is on it."""
        if self.bus and self.bus.poll() is None:
            return
        self.bus = self.lab.start("dbus-daemon", f"--config-file={CONFIGURATION}", "--nofork", "--nopidfile", "--nosyslog")
        until(SOCKET.exists, "the bus")
        self.polkit = self.lab.start(PYTHON, HERE / "polkit.py")
        until(lambda: self.has_owner("org.freedesktop.PolicyKit1"), "polkit's stand-in")
        self.start_service()

    def stop_bus(self):
        """Kills the bus; its clients lose their connection."""
        for process in (self.bus, self.polkit, self.service):
            self.lab.stop(process)
        SOCKET.unlink(missing_ok=True)

    def start_sleeper(self):
        """Puts a stand-in for logind on the bus, which tells the service that the machine sleeps; it ends with the row."""
        process = self.lab.start(PYTHON, HERE / "logind.py")
        self.lab.after(self.restart_service)
        self.lab.after(lambda: self.lab.stop(process))
        until(lambda: self.has_owner(LOGIND), "logind's stand-in")
        self.restart_service()
        until(lambda: self.sleeps("Holders") > 0, "the service has asked to be told")

    def sleep(self, begins):
        """Tells the service that the machine goes to sleep or has woken up; before sleep, waits until the service is ready."""
        self.sleeps("Sleep", f"boolean:{'true' if begins else 'false'}")
        until(lambda: (self.sleeps("Holders") > 0) != begins, "the service is ready for it")

    def sleeps(self, method, *arguments):
        """Asks logind's stand-in; returns how many programs still delay the sleep."""
        answer = self.call(LOGIND, "/org/freedesktop/login1", f"tests.Sleep.{method}", *arguments)
        must("int32" in answer, f"logind's stand-in: {answer}")
        return int(answer.rpartition("int32")[2])

    # --- The service

    def start_service(self):
        """Starts fprintd with the virtual sensor."""
        if self.service and self.service.poll() is None:
            return
        pathlib.Path(SENSOR).unlink(missing_ok=True)
        log = open("/run/fprintd.log", "ab")
        self.service = self.lab.start(FPRINTD, "-t", env={**os.environ, "FP_VIRTUAL_DEVICE": SENSOR}, stdout=log, stderr=log)
        until(self.is_started, "fprintd")

    def is_started(self):
        """Whether the service is there; its sensor has a socket only while it is claimed."""
        said = pathlib.Path("/run/fprintd.log").read_text(errors="replace")[-400:]
        must(self.service and self.service.poll() is None, f"fprintd has ended: {said}")
        return self.has_owner("net.reactivated.Fprint")

    def stop_service(self):
        """Kills it."""
        self.lab.stop(self.service)
        until(lambda: not self.has_owner("net.reactivated.Fprint"), "fprintd's end")

    def restart_service(self):
        """Starts a new service, as after a crash; also brings an unplugged sensor back."""
        self.stop_service()
        self.start_service()

    def has_owner(self, name):
        """Whether a name on the bus has an owner."""
        return "boolean true" in self.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner", f"string:{name}"
        )

    def call(self, destination, path, method, *arguments):
        """Calls a method over the bus; the answer as dbus-send shows it."""
        command = ["dbus-send", "--system", "--print-reply", "--reply-timeout=30000", f"--dest={destination}", path, method]
        return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False).stdout

    def lie(self, role, uid=None):
        """Starts liar.py in one of its roles; it ends with the row."""
        before = ["setpriv", "--reuid", str(uid), "--clear-groups"] if uid else []
        process = self.lab.start(*before, PYTHON, HERE / "liar.py", role, stderr=subprocess.DEVNULL)
        self.lab.after(lambda: self.lab.stop(process))
        return process

    # --- The sensor

    def send(self, command):
        """Sends an event to the virtual sensor."""
        with socket.socket(socket.AF_UNIX) as device:
            device.connect(SENSOR)
            device.sendall(command.encode())
            device.shutdown(socket.SHUT_WR)
            device.recv(16)

    def is_waiting(self):
        """Whether the sensor waits for a touch."""
        return "boolean true" in self.call(
            "net.reactivated.Fprint",
            "/net/reactivated/Fprint/Device/0",
            "org.freedesktop.DBus.Properties.Get",
            "string:net.reactivated.Fprint.Device",
            "string:finger-needed",
        )

    def awaits_touch(self):
        """Waits until the sensor waits for a touch."""
        until(self.is_waiting, "the sensor waits for a touch")

    def awaits_release(self):
        """Waits until the sensor is released, as it is after a match."""
        try:
            self.lab.run(PYTHON, HERE / "claim.py", timeout=60)
        except subprocess.TimeoutExpired:
            raise Broken("the sensor is still claimed") from None

    def awaits_end(self):
        """Waits until the core, which asks for a value, knows that the sensor no longer waits."""
        until(
            lambda: any(asks_alone(core) for core in running("uaf-helper") if not (listens(core) or waits(core))),
            "the core waits for an answer alone",
        )

    def touch(self, finger, then=""):
        """Touches the sensor with the finger of that name, and waits until it was released. Returns the text to type then."""
        self.awaits_touch()
        self.send(f"SCAN {finger}")
        self.awaits_release()
        return then

    def touching(self, person, then=""):
        """An answer for a prompt: touches the sensor with the person's finger, and then types something."""
        return lambda: self.touch(self.finger(person), then)

    def once_waiting(self, *actions, then=""):
        """An answer for a prompt: does something once the sensor waits, and types something then."""

        def answer():
            self.awaits_touch()
            for action in actions:
                action()
            return then

        return answer

    def touch_wrongly(self, person, times=1, then=""):
        """Touches the sensor with an unenrolled finger until the count has reached this number."""
        for _ in range(times):
            before = self.tries(person)
            self.awaits_touch()
            self.send("SCAN nobody-s-finger")
            until(lambda before=before: self.tries(person) != before, "the mismatch was counted")
        return then

    # --- People

    def enrol(self, person, finger=RIGHT):
        """Enrols a finger in fprintd, which scans it several times and reports the result of each scan."""
        said = []
        with subprocess.Popen(
            ["fprintd-enroll", "-f", finger, person.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process:
            for line in process.stdout or ():
                said.append(line)
                if line.startswith("Enrolling ") or "enroll-stage-passed" in line:
                    self.awaits_touch()
                    self.send(f"SCAN {self.finger(person, finger)}")
        must("enroll-completed" in "".join(said), f"not enrolled: {said}")

    def finger(self, person, finger=RIGHT):
        """The sensor's image of a person's finger."""
        return f"{person.name}-{finger}"

    def configure(self, more="", types='["passcode", "fingerprint"]', biometric="require_tpm = false", **options):
        """The configuration with fingerprints, without a chip unless told otherwise."""
        self.lab.configure(more=f"[biometric]\n{biometric}\n{more}", authenticators=types, **options)

    def person(self, enrolled=True, registered=True, **options):
        """Somebody with a passcode, an enrolled finger and a registered fingerprint."""
        self.start_service()
        self.configure(**options)
        person = self.lab.person()
        self.lab.after(lambda: shutil.rmtree(PRINTS / person.name, ignore_errors=True))
        if enrolled:
            self.enrol(person)
        if registered:
            said = self.register(person)
            must(said.returncode == 0, f"not registered: {said.stdout}")
        return person

    def register(self, person, finger=RIGHT, touches=True):
        """Registers the fingerprint with an enrolment code, as root; returns what uafctl said."""
        command = ["uafctl", "register", person.name, "fingerprint", "--payload", self.lab.payload(person)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if touches:
            until(lambda: process.poll() is not None or self.is_waiting(), "the sensor waits")
            if process.poll() is None:
                self.send(f"SCAN {self.finger(person, finger)}")
        said = process.communicate(timeout=120)[0]
        return subprocess.CompletedProcess(command, process.returncode, said)

    def entry(self, person, kind="fingerprint"):
        """The output of `uafctl status` for one authenticator of a person."""
        return next(e for e in self.lab.status(person)["authenticators"] if e["type"] == kind)

    def tries(self, person):
        """How many more touches may be wrong, and whether it is locked."""
        entry = self.entry(person)
        return entry["remainingTries"], entry["remainingLockSeconds"] > 0, entry["permanent"]

    def let_in(self, person, *answers, says="", **options):
        """The person runs sudo, is authenticated, and sees this message meanwhile; returns the session."""
        session = hosts.sudo(person, *answers, **options)
        must(session.is_in, f"not in: {session.text}")
        must(says in session.text, f"not told {says!r}: {session.text}")
        return session

    def finished(self, mark, person):
        """The results of a person's logins since a log position."""
        self.lab.log.since(mark, "event=authenticate")
        return self.lab.verdicts(mark, person)
