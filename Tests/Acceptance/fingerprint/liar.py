"""Lies on the bus.

liar.py owner       takes the service's name, in place of the service that is gone, and says that every finger matches
liar.py seize       the same, once the service's connection ends, and says so at once
liar.py signal      sends a match for each sensor four times a second, and owns nothing
"""

import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

SERVICE = "net.reactivated.Fprint"
MANAGER, DEVICE = SERVICE + ".Manager", SERVICE + ".Device"
PATH = "/net/reactivated/Fprint/Device/0"


class Manager(dbus.service.Object):
    """A forged service manager, which reports one sensor."""

    @dbus.service.method(MANAGER, out_signature="o")
    def GetDefaultDevice(self):
        return dbus.ObjectPath(PATH)


class Device(dbus.service.Object):
    """A forged sensor, on which every finger matches."""

    @dbus.service.method(DEVICE, in_signature="s", out_signature="as")
    def ListEnrolledFingers(self, _name):
        return ["right-index-finger"]

    @dbus.service.method(DEVICE, in_signature="s")
    def Claim(self, _name):
        pass

    @dbus.service.method(DEVICE)
    def Release(self):
        pass

    @dbus.service.method(DEVICE, in_signature="s")
    def VerifyStart(self, _finger):
        GLib.timeout_add(50, self.match)

    @dbus.service.method(DEVICE)
    def VerifyStop(self):
        pass

    @dbus.service.signal(DEVICE, signature="sb")
    def VerifyStatus(self, _status, _done):
        pass

    def match(self):
        self.VerifyStatus("verify-match", True)
        return role == "signal"


def seized(name):
    """Reports a match as soon as this process owns the service's name."""
    if name == SERVICE:
        GLib.timeout_add(20, lambda: device.match() or True)


role = sys.argv[1]
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
device = Device(bus, PATH)
if role == "signal":
    GLib.timeout_add(250, device.match)
else:
    Manager(bus, "/net/reactivated/Fprint/Manager")
    if role == "seize":
        bus.add_signal_receiver(seized, "NameAcquired", dbus.BUS_DAEMON_IFACE, dbus.BUS_DAEMON_NAME)
    # If the name has an owner, the bus queues this request behind it.
    bus.request_name(SERVICE)
GLib.MainLoop().run()
