"""Claims the sensor once it is free, releases it, and ends: this shows that the previous program has left nothing behind."""

import time

import dbus

SERVICE = "net.reactivated.Fprint"

device = dbus.Interface(dbus.SystemBus().get_object(SERVICE, "/net/reactivated/Fprint/Device/0"), SERVICE + ".Device")
while True:
    try:
        device.Claim("root")
    except dbus.DBusException as error:
        if error.get_dbus_name() != SERVICE + ".Error.AlreadyInUse":
            raise
        time.sleep(0.01)
    else:
        device.Release()
        break
