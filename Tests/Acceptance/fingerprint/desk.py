"""The person's desk: a private system bus, fprintd with its virtual sensor, and a finger to touch it with."""

import os
import pathlib
import shutil
import socket
import subprocess
import time

from lab import hosts
from lab.table import Skip, must
from lab.waiting import until

FPRINTD = "/usr/libexec/fprintd"
SENSOR = "/run/sensor"
PRINTS = pathlib.Path("/var/lib/fprint")
# The one with the bindings of D-Bus, whatever else is in PATH.
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
    """What the rows touch."""

    def __init__(self, lab):
        self.lab = lab
        self.service = None

    def set_up(self):
        """Starts bus, polkit's stand-in and service; Skip where Debian's packages are not there."""
        for path in (FPRINTD, "/usr/bin/dbus-daemon", "/usr/bin/fprintd-enroll"):
            if not os.path.exists(path):
                raise Skip(f"{path} is not there, and its package could not be fetched")
        # As the package does it: the bus takes no connection of a user id that has no name.
        self.lab.run("groupadd", "--force", "--gid", "60991", "uaf-finger")
        self.lab.run("useradd", "--system", "--no-create-home", "--uid", "60991", "--gid", "60991", "uaf-finger")
        os.makedirs("/run/dbus", exist_ok=True)
        configuration = pathlib.Path("/run/bus.conf")
        configuration.write_text(BUS)
        self.lab.start("dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile", "--nosyslog")
        until(lambda: os.path.exists("/run/dbus/system_bus_socket"), "the bus")
        self.lab.start(PYTHON, HERE / "polkit.py")
        until(lambda: self.has_owner("org.freedesktop.PolicyKit1"), "polkit's stand-in")
        PRINTS.mkdir(mode=0o700, exist_ok=True)
        self.start_service()

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
        if self.service:
            self.lab.stop(self.service)
        until(lambda: not self.has_owner("net.reactivated.Fprint"), "fprintd's end")

    def restart_service(self):
        """A new one, as after a crash; also brings an unplugged sensor back."""
        self.stop_service()
        self.start_service()

    def has_owner(self, name):
        """Whether somebody owns a name of the bus."""
        return "boolean true" in self.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner", f"string:{name}"
        )

    def call(self, destination, path, method, *arguments):
        """Calls a method over the bus; the answer as dbus-send shows it."""
        command = ["dbus-send", "--system", "--print-reply", "--reply-timeout=5000", f"--dest={destination}", path, method]
        return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False).stdout

    def lie(self, role, uid=None):
        """Starts a liar; it ends with the row."""
        before = ["setpriv", "--reuid", str(uid), "--clear-groups"] if uid else []
        process = self.lab.start(*before, PYTHON, HERE / "liar.py", role, stderr=subprocess.DEVNULL)
        self.lab.after(lambda: self.lab.stop(process))
        return process

    # --- The sensor

    def send(self, command):
        """Tells the virtual sensor what happens to it."""
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
        """Waits until it waits."""
        until(self.is_waiting, "the sensor waits for a touch")

    def is_free(self):
        """Whether nobody has claimed the sensor."""
        answer = self.call(
            "net.reactivated.Fprint", "/net/reactivated/Fprint/Device/0", "net.reactivated.Fprint.Device.Claim", "string:root"
        )
        return "method return" in answer

    def awaits_release(self):
        """Waits until the sensor was given back: after a match nothing has to be done any more."""
        until(self.is_free, "the sensor is given back")

    def touch(self, finger, then=""):
        """Touches the sensor with the finger of that name, and waits until it was given back. Returns what is typed then."""
        self.awaits_touch()
        self.send(f"SCAN {finger}")
        self.awaits_release()
        return then

    def touch_wrongly(self, person, times=1, then=""):
        """Touches it with a finger that nobody has enrolled, until that was counted as often."""
        for _ in range(times):
            before = self.tries(person)
            self.awaits_touch()
            self.send("SCAN nobody-s-finger")
            until(lambda before=before: self.tries(person) != before, "the mismatch was counted")
        return then

    # --- People

    def enrol(self, person, finger=RIGHT):
        """Enrols a finger in fprintd, which scans it five times."""
        process = subprocess.Popen(
            ["fprintd-enroll", "-f", finger, person.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        deadline = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < deadline:
            if self.is_waiting():
                self.send(f"SCAN {person.name}-{finger}")
            time.sleep(0.05)
        said = process.communicate()[0]
        must("enroll-completed" in said, f"not enrolled: {said}")

    def finger(self, person, finger=RIGHT):
        """What the sensor sees of somebody's finger."""
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
        """What `uafctl status` says of one of somebody's authenticators."""
        return next(e for e in self.lab.status(person)["authenticators"] if e["type"] == kind)

    def tries(self, person):
        """How many more touches may be wrong, and whether it is locked."""
        entry = self.entry(person)
        return entry["remainingTries"], entry["remainingLockSeconds"] > 0, entry["permanent"]

    def sudo(self, person, *answers, **options):
        """The person does something as root by sudo."""
        return hosts.sudo(person, *answers, **options)

    def finished(self, mark, person):
        """The results of somebody's logins since a mark."""
        self.lab.log.since(mark, "event=authenticate")
        return self.lab.verdicts(mark, person)
