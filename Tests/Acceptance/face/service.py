"""A face service in fprintd's form, whose camera sees what a row shows it; or a program that lies about one.

service.py              the camera waits for what a row shows (`tests.Camera.Show`)
service.py hang METHOD  the same, but this method is never answered
service.py eager        reports a match as soon as it is claimed, before a comparison was started
service.py liar         every face matches; takes the service's name, or waits in the queue for it
service.py seize        the same, and says so as soon as it has the name
service.py signal       owns no name, and sends a match for the camera four times a second
"""

import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

SERVICE = "org.example.Face"
MANAGER, DEVICE, CAMERA = SERVICE + ".Manager", SERVICE + ".Device", "tests.Camera"
PATHS = ["/org/example/Face/Device/0", "/org/example/Face/Device/1"]
FINAL = ("verify-match", "verify-no-match", "verify-unknown-error", "verify-disconnected")


class Refused(dbus.DBusException):
    """An error of the service."""

    def __init__(self, name):
        super().__init__(name, name=f"{SERVICE}.Error.{name}")


class Manager(dbus.service.Object):
    """The service's manager, which has one camera."""

    @dbus.service.method(MANAGER, out_signature="o", async_callbacks=("reply", "fail"))
    def GetDefaultDevice(self, reply, fail):
        del fail
        if not hangs("GetDefaultDevice"):
            reply(dbus.ObjectPath(PATHS[0]))


class Camera(dbus.service.Object):
    """A camera: claimed for an account, and then waiting for a face."""

    account, holder, is_waiting = "", "", False

    @dbus.service.method(DEVICE, in_signature="s", async_callbacks=("reply", "fail"), sender_keyword="holder")
    def Claim(self, account, reply, fail, holder=""):
        if hangs("Claim"):
            return
        if self.account:
            fail(Refused("AlreadyInUse"))
            return
        self.account, self.holder = account, holder
        bus.watch_name_owner(holder, lambda owner: owner or self.holder != holder or self.Release())
        if role == "eager":
            self.VerifyStatus("verify-match", True)
        reply()

    @dbus.service.method(DEVICE)
    def Release(self):
        self.account, self.holder, self.is_waiting = "", "", False

    @dbus.service.method(DEVICE, in_signature="s", async_callbacks=("reply", "fail"))
    def VerifyStart(self, _face, reply, fail):
        if hangs("VerifyStart"):
            return
        if not self.account:
            fail(Refused("ClaimDevice"))
            return
        self.is_waiting = True
        if role in ("liar", "seize"):
            GLib.timeout_add(50, self.match)
        reply()

    @dbus.service.method(DEVICE)
    def VerifyStop(self):
        self.is_waiting = False

    @dbus.service.signal(DEVICE, signature="sb")
    def VerifyStatus(self, _status, _done):
        pass

    @dbus.service.method(CAMERA, in_signature="s")
    def Show(self, status):
        self.VerifyStatus(status, status in FINAL)

    @dbus.service.method(CAMERA, out_signature="s")
    def State(self):
        return f"{'waiting' if self.is_waiting else 'claimed' if self.account else 'free'} for '{self.account}'"

    def match(self):
        """Reports a match; returns whether to do it again."""
        self.VerifyStatus("verify-match", True)
        return role == "signal"


def hangs(method):
    """Whether this method is never answered."""
    return sys.argv[1:] == ["hang", method]


def seized(name):
    """Reports a match as soon as this process owns the service's name."""
    if name == SERVICE:
        GLib.timeout_add(20, lambda: cameras[0].match() or True)


role = sys.argv[1] if len(sys.argv) > 1 else ""
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
cameras = [Camera(bus, path) for path in PATHS]
if role == "signal":
    GLib.timeout_add(250, cameras[0].match)
else:
    Manager(bus, "/org/example/Face/Manager")
    if role == "seize":
        bus.add_signal_receiver(seized, "NameAcquired", dbus.BUS_DAEMON_IFACE, dbus.BUS_DAEMON_NAME)
    # If the name has an owner, the bus queues this request behind it.
    bus.request_name(SERVICE)
GLib.MainLoop().run()
