"""The person's desk with a camera: a private system bus, a face service, and a face to show to it."""

import pathlib
import subprocess

from fingerprint.desk import PYTHON, Desk

from lab import hosts
from lab.table import must
from lab.waiting import until

HERE = pathlib.Path(__file__).parent
SERVICE, CAMERA, OTHER = "org.example.Face", "/org/example/Face/Device/0", "/org/example/Face/Device/1"
TEMPLATES = pathlib.Path("/var/lib/face")
NAMED = "auth required pam_uaf.so authenticator=face"
MATCH, NO_MATCH = "verify-match", "verify-no-match"


class FaceDesk(Desk):
    """The environment that the rows about faces use."""

    NEEDED = ("/usr/bin/dbus-daemon", "/usr/bin/dbus-send")
    STORE = TEMPLATES

    # --- The service

    def start_service(self, *role):
        """Starts the face service, unless one is there."""
        if self.service and self.service.poll() is None:
            return
        self.service = self.lab.start(PYTHON, HERE / "service.py", *role)
        until(self.is_started, "the face service")

    def is_started(self):
        """Whether the service has its name."""
        must(self.service and self.service.poll() is None, "the face service has ended")
        return self.has_owner(SERVICE)

    def stop_service(self):
        """Kills it."""
        self.lab.stop(self.service)
        until(lambda: not self.has_owner(SERVICE), "the face service's end")

    def play(self, *role):
        """Replaces the service by one with this role, until the row ends."""
        self.stop_service()
        self.start_service(*role)
        self.lab.after(self.restart_service)

    def lie(self, role, uid=None):
        """Starts a second service.py with a role that lies; it ends with the row."""
        before = ["setpriv", "--reuid", str(uid), "--clear-groups"] if uid else []
        process = self.lab.start(*before, PYTHON, HERE / "service.py", role, stderr=subprocess.DEVNULL)
        self.lab.after(lambda: self.lab.stop(process))
        return process

    # --- The camera

    def state(self):
        """What the camera does: free, claimed or waiting, and for whom."""
        return self.call(SERVICE, CAMERA, "tests.Camera.State")

    def is_waiting(self):
        """Whether the camera waits for a face."""
        return "waiting for" in self.state()

    def awaits_face(self):
        """Waits until the camera waits for a face."""
        until(self.is_waiting, "the camera waits for a face")

    def awaits_release(self):
        """Waits until the camera is released."""
        until(lambda: "free" in self.state(), "the camera is released")

    def show(self, status=MATCH, camera=CAMERA, then=""):
        """Waits until the camera waits, and has it report this about the face before it. Returns the text to type then."""
        self.awaits_face()
        self.call(SERVICE, camera, "tests.Camera.Show", f"string:{status}")
        return then

    def show_stranger(self, person, times=1):
        """Shows a stranger's face until the count has reached this number."""
        for _ in range(times):
            before = self.tries(person)
            self.show(NO_MATCH)
            until(lambda before=before: self.tries(person) != before, "the mismatch was counted")

    # --- People

    def enrol(self, person, template="one"):
        """Stores a template for a person, as the service does."""
        (TEMPLATES / person.name).write_text(f"{template} of {person.name}")

    def configure(self, more="", types='["passcode", "face"]', biometric="require_tpm = false", face="", **options):
        """The configuration with faces, without a chip unless told otherwise."""
        service = f'bus_name = "{SERVICE}"\ntemplates = "{TEMPLATES}"'
        self.lab.configure(more=f"[biometric]\n{biometric}\n[face]\n{service}\n{face}\n{more}", authenticators=types, **options)

    def person(self, enrolled=True, registered=True, **options):
        """Somebody with a passcode, a template and a registered face."""
        self.start_service()
        self.configure(**options)
        person = self.lab.person()
        self.lab.after(lambda: (TEMPLATES / person.name).unlink(missing_ok=True))
        if enrolled:
            self.enrol(person)
        if registered:
            said = self.register(person)
            must(said.returncode == 0, f"not registered: {said.stdout}")
        return person

    def register(self, person, looks=True, payload=None):
        """Registers the face with an enrolment code, as root; returns what uafctl said."""
        command = ["uafctl", "register", person.name, "face", "--payload", payload or self.lab.payload(person)]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if looks:
            until(lambda: process.poll() is not None or self.is_waiting(), "the camera waits")
            if process.poll() is None:
                self.show()
        said = process.communicate(timeout=120)[0]
        return subprocess.CompletedProcess(command, process.returncode, said)

    def entry(self, person, kind="face"):
        """The output of `uafctl status` for one authenticator of a person."""
        return super().entry(person, kind)

    def log_in(self, person, *acts, passcode=None, remote=None):
        """A login by a stack that names the face: the passcode is typed, and then each act is done. Returns the login and its
        results in the log."""
        mark = self.lab.log.mark()
        self.lab.stack("uaf-face", NAMED, "account required pam_permit.so")
        process = hosts.start("uaf-face", person.name, remote)
        if process.stdin:
            process.stdin.write(f"{passcode or person.passcode}\n".encode())
            process.stdin.flush()
        for act in acts:
            act()
        login = hosts.finish(process, "")
        return login, self.finished(mark, person)

    def refused(self, person, result, *acts, **options):
        """Such a login is refused with this result."""
        login, found = self.log_in(person, *acts, **options)
        must(login.code == hosts.AUTH_ERR and found == [str(result)], f"{login}, {found}")
        return login
