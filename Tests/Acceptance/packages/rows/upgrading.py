"""An upgrade in the middle of a login.

The newer package contains the same programs: these rows show that programs can be replaced while they run. How different versions
work together is tested by A41 of `make attack`.
"""

import os

from lab.processes import listens, running
from lab.table import must, row
from packages import scene
from packages.scene import CONFIGURATION, PASSCODE

# The suffix that the kernel adds to the name of a program whose file was replaced.
_DELETED = " (deleted)"


def _helpers_replaced():
    """For each running core, whether its program is no longer on the disk."""
    return [
        os.readlink(f"/proc/{process}/exe").endswith(_DELETED)
        for process in running("uaf-helper", "uaf-helper" + _DELETED)
        if not listens(process)
    ]


def _log_in_across_an_upgrade(machine, lab, prefix=()):
    """A person waits at the prompt while the package is upgraded, and logs in again with the same program."""
    scene.with_server(machine)
    machine.write("/etc/pam.d/uaf", "auth required pam_uaf.so\n")
    kept = [(path, machine.path(path).read_bytes()) for path in (CONFIGURATION, "/var/lib/pam-uaf/device.key")]
    host = machine.converse(*prefix, "pam-host", "/etc/pam.d", "uaf", "mina", "--", "auth", "auth")
    host.until("prompt")
    machine.run("dpkg", "--install", machine.bring(lab.newer("libpam-uaf", machine.folder), "/var/tmp/next.deb"))
    must(_helpers_replaced() == [True], f"cores that run, and whether each was replaced: {_helpers_replaced()}")
    host.answer(PASSCODE)
    first = host.until("result")
    host.until("prompt")
    must(_helpers_replaced() == [False], f"after the upgrade, cores: {_helpers_replaced()}")
    host.answer(PASSCODE)
    second = host.until("result")
    host.end()
    must((first, second) == ("result 0", "result 0"), f"before {first}, after {second}: {host.text!r}")
    for path, text in kept:
        must(machine.path(path).read_bytes() == text, f"{path} has changed")
    must(scene.by_host(machine, "mina", PASSCODE) == 0, "a new program does not log in")
    return "old core to its end: 0; module in memory, core of the new package: 0; both new: 0; key and configuration as before"


@row(
    "P7",
    "upgrade while somebody stands at a locker's prompt, and log in again in the same program",
    "the old core ends its conversation well; the module still in memory starts the core of the new package; "
    "the socket stays open",
)
def through_the_socket(lab):
    with lab.installed(booted=True) as machine:
        opened = machine.says("systemctl", "show", "--property", "ActiveEnterTimestampMonotonic", "pam-uaf.socket")
        # Like a locker, without root, so that the core can be reached only through the socket.
        seen = _log_in_across_an_upgrade(machine, lab, ("runuser", "-u", "mina", "--"))
        now = machine.says("systemctl", "show", "--property", "ActiveEnterTimestampMonotonic", "pam-uaf.socket")
        must(opened == now, "the socket was started anew")
        listeners = [process for process in running("uaf-helper", "uaf-helper" + _DELETED) if listens(process)]
        old = [process for process in listeners if os.readlink(f"/proc/{process}/exe").endswith(_DELETED)]
        must(listeners and not old, f"listeners that run: {listeners}, those of the old package: {old}")
        return seen + "; the socket was never closed, and its listener is the new package's"


# The units of the first packages, as far as they matter here: systemd took each connection, and started a core for it.
_OLD_UNITS = {
    "pam-uaf.socket": """[Socket]
ListenSequentialPacket=/run/pam-uaf/helper.sock
Accept=yes
SocketMode=0666
DirectoryMode=0755
RemoveOnStop=yes
MaxConnections=256
TriggerLimitIntervalSec=0
[Install]
WantedBy=sockets.target
""",
    "pam-uaf@.service": """[Unit]
CollectMode=inactive-or-failed
[Service]
ExecStart=/usr/libexec/pam-uaf/uaf-helper
StandardInput=null
StandardOutput=null
StandardError=journal
""",
}


def _with_old_units(inside):
    # The folders in which debhelper puts units: in Debian 12, and in later releases.
    (units,) = (found for folder in ("lib", "usr/lib") if (found := inside / folder / "systemd/system").is_dir())
    (units / "pam-uaf.service").unlink()
    for name, text in _OLD_UNITS.items():
        (units / name).write_text(text)


def _accepts(machine):
    """Whether systemd itself accepts the connections."""
    return machine.says("systemctl", "show", "--value", "--property", "Accept", "pam-uaf.socket").strip()


def _is_served(machine):
    return '"authenticators"' in machine.run("runuser", "-u", "mina", "--", "uafctl", "status", "--json", check=False).stdout


@row(
    "P19",
    "upgrade from units with Accept=yes while their socket is open, mina standing at a locker's prompt",
    "her core ends its conversation well; one listener runs afterwards and answers; nothing is left of the old unit",
)
def from_accepting(lab):
    with lab.bare() as machine:
        old = lab.packed_again("libpam-uaf", machine.folder, "0.0.1", _with_old_units)
        scene.install(machine, {"libpam-uaf": old, "uaf-server": lab.archives["uaf-server"]})
        scene.populate(machine)
        scene.with_server(machine)
        scene.configure(machine)
        scene.register(machine, "mina")
        machine.write("/etc/pam.d/uaf", "auth required pam_uaf.so\n")
        must(_accepts(machine) == "yes" and _is_served(machine), "the old units do not serve")
        host = machine.converse("runuser", "-u", "mina", "--", "pam-host", "/etc/pam.d", "uaf", "mina", "--", "auth", "auth")
        host.until("prompt")
        machine.run("dpkg", "--unpack", machine.bring(lab.archives["libpam-uaf"], "/var/tmp/next.deb"))
        # The old socket is still open, but the unit that it starts for a connection is gone.
        meanwhile = _is_served(machine)
        machine.run("dpkg", "--configure", "libpam-uaf")
        must(_accepts(machine) == "no", "systemd still takes the connections")
        host.answer(PASSCODE)
        first = host.until("result")
        must(_is_served(machine), "the new units do not serve")
        listeners = [process for process in running("uaf-helper") if listens(process)]
        must(len(listeners) == 1, f"listeners that run: {listeners}")
        host.until("prompt")
        host.answer(PASSCODE)
        second = host.until("result")
        host.end()
        must((first, second) == ("result 0", "result 0"), f"before {first}, after {second}: {host.text!r}")
        units = machine.says("systemctl", "list-units", "--all", "--plain", "--no-legend", "pam-uaf*").splitlines()
        states = {line.split()[0]: line.split()[2] for line in units}
        # The check-in runs for a moment once an hour.
        states.pop("pam-uaf-checkin.service", None)
        expected = dict.fromkeys(("pam-uaf.service", "pam-uaf.socket", "pam-uaf-checkin.timer"), "active")
        must(states == expected, f"units: {states}")
        return (
            "old core to its end: 0; one listener, which serves; a login through it: 0; no unit of before is left; "
            f"between unpacking and configuring uafctl was {'' if meanwhile else 'not '}served"
        )


@row("P14", "as P7 without systemd: the module in root's program starts the core itself", "as P7")
def by_the_module(lab):
    with lab.installed(booted=False) as machine:
        return _log_in_across_an_upgrade(machine, lab)


@row("P8", "upgrade with stacks and profile enabled", "both stay as they are, and still let people in")
def enabled(lab):
    with lab.installed() as machine:
        scene.with_server(machine)
        scene.rescuer(machine, "otto")
        machine.run("uafctl", "pam", "enable", "sudo")
        machine.run("pam-auth-update", "--enable", "uaf")
        before = scene.stacks(machine)
        archive = lab.newer("libpam-uaf", machine.folder)
        machine.run("dpkg", "--install", machine.bring(archive, "/var/tmp/next.deb"))
        must(scene.stacks(machine) == before, "a stack has changed")
        must(scene.LET_IN in scene.sudo(machine, "mina", PASSCODE).text, "sudo does not let in")
        return f"{len(before)} stacks as before, sudo lets in"
