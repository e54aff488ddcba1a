"""Stands in for systemd-logind: lets programs delay the machine's sleep, and announces the sleep."""

import os

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.login1"
MANAGER = NAME + ".Manager"


class Manager(dbus.service.Object):
    """The part of logind's interface that fprintd uses, and methods for the rows."""

    def __init__(self, connection):
        super().__init__(connection, "/org/freedesktop/login1")
        # Our end of each pipe: a program that is ready for the sleep closes the other end.
        self.holders = []

    @dbus.service.method(MANAGER, in_signature="ssss", out_signature="h")
    def Inhibit(self, _what, _who, _why, _mode):
        ours, theirs = os.pipe()
        os.set_blocking(ours, False)
        self.holders.append(ours)
        given = dbus.types.UnixFd(theirs)
        os.close(theirs)
        return given

    @dbus.service.signal(MANAGER, signature="b")
    def PrepareForSleep(self, _begins):
        pass

    @dbus.service.method("tests.Sleep", in_signature="b", out_signature="i")
    def Sleep(self, begins):
        self.PrepareForSleep(begins)
        return len(self.holders)

    @dbus.service.method("tests.Sleep", out_signature="i")
    def Holders(self):
        self.holders = [holder for holder in self.holders if not is_closed(holder)]
        return len(self.holders)


def is_closed(pipe):
    """Whether no program holds the other end any longer."""
    try:
        return os.read(pipe, 1) == b""
    except BlockingIOError:
        return False


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
name = dbus.service.BusName(NAME, bus)
Manager(bus)
GLib.MainLoop().run()
