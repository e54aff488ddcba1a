"""Stands in for polkit: lets root and uaf-finger's user id do what they ask for, unless it is told to refuse."""

import os

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

ALLOWED = (0, 60991)
REFUSES = "/run/polkit-refuses"
NAME = "org.freedesktop.PolicyKit1"


class Authority(dbus.service.Object):
    """The part of polkit's interface that fprintd uses."""

    @dbus.service.method(NAME + ".Authority", in_signature="(sa{sv})sa{ss}us", out_signature="(bba{ss})")
    def CheckAuthorization(self, subject, action, _details, _flags, _cancellation):
        user = bus.get_unix_user(subject[1]["name"])
        # The rule file allows uaf-finger these two and nothing else.
        is_known = action.rsplit(".", 1)[1] in ("verify", "setusername") or user == 0
        return user in ALLOWED and is_known and not os.path.exists(REFUSES), False, {}

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, _interface, name):
        return self.GetAll("")[name]

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _interface):
        return {"BackendName": "tests", "BackendVersion": "1", "BackendFeatures": dbus.UInt32(0)}


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
name = dbus.service.BusName(NAME, bus)
Authority(bus, "/org/freedesktop/PolicyKit1/Authority")
GLib.MainLoop().run()
