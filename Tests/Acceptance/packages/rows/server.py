"""uaf-server as a service: its units, its sandbox, and its requirements at startup."""

import re

from lab.table import must, row
from lab.waiting import until
from packages import scene

# The highest allowed score of `systemd-analyze security`; 0 is closed, 10 is open.
EXPOSURE = 1.5
_MISSING = "certificate.pem or key.pem is missing in /etc/uaf-server: put the certificate chain and its private key"


def _shown(machine, name):
    """A property of the service, as reported by systemd."""
    return machine.run("systemctl", "show", "--value", "--property", name, "uaf-server").stdout.strip()


def _process(machine):
    """The id of the service's process; "0" if it does not run."""
    return _shown(machine, "MainPID")


@row(
    "P3",
    "look at the units, and start the server's without and with a certificate",
    "no complaint of systemd-analyze; without certificate or key it does not start, says so once, and is not tried again; "
    "with both it serves behind its walls as a user of its own, after a crash too",
)
def units(lab):
    with lab.bare() as machine:
        scene.install(machine, lab.archives)
        complaints = machine.run(
            "systemd-analyze",
            "verify",
            "--man=no",
            "uaf-server.service",
            "pam-uaf.socket",
            "pam-uaf.service",
            "pam-uaf-checkin.service",
            "pam-uaf-checkin.timer",
        ).stdout
        must(not complaints.strip(), f"systemd-analyze: {complaints}")
        said = machine.run("systemd-analyze", "security", "--no-pager", "uaf-server.service").stdout
        exposure = float(re.findall(r"Overall exposure level for uaf-server\.service: ([0-9.]+)", said)[0])
        must(exposure <= EXPOSURE, f"an exposure of {exposure}, {EXPOSURE} at most")
        machine.write("/etc/uaf-server/certificate.pem", "")
        for missing in ("key.pem", "certificate.pem"):
            started = machine.run("systemctl", "start", "uaf-server", check=False)
            must(started.returncode != 0, f"it starts without {missing}")
            said = machine.run("systemctl", "status", "uaf-server", check=False).stdout
            must(f"]: {_MISSING}" in said, f"status without {missing}: {said}")
            must(_shown(machine, "ActiveState") == "failed", f"without {missing}, it is {_shown(machine, 'ActiveState')}")
            machine.run("rm", "-f", "/etc/uaf-server/certificate.pem")
        scene.with_server(machine)
        crashed = _process(machine)
        machine.run("kill", "-SEGV", crashed)
        until(lambda: _process(machine) != crashed and _shown(machine, "ActiveState") == "active", "a start after a crash")
        process = _process(machine)
        status = machine.run("cat", f"/proc/{process}/status").stdout
        user = machine.run("id", "-u", "uaf-server").stdout.strip()
        for expected in (f"Uid:\t{user}\t{user}\t{user}\t{user}", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"):
            must(expected in status, f"/proc/{process}/status has no {expected!r}")
        return f"exposure {exposure}, runs as uid {user} without capabilities, behind a filter of system calls"


@row(
    "P4",
    "upgrade uaf-server, running and stopped; remove and purge it",
    "a running server runs the new program afterwards, a stopped one stays stopped; remove ends the service; "
    "purge keeps the store, and says so",
)
def remove(lab):
    with lab.installed(booted=True) as machine:
        newer = machine.bring(lab.newer("uaf-server", machine.folder), "/var/tmp/next.deb")
        machine.run("dpkg", "--install", newer)
        must(_process(machine) == "0", "an upgrade has started it")
        scene.with_server(machine)
        before = _process(machine)
        machine.run("dpkg", "--install", newer)
        must(_process(machine) not in ("0", before), f"process {before} before, {_process(machine)} after an upgrade")
        machine.run("dpkg", "--remove", "uaf-server")
        must(_process(machine) == "0", "the service still runs")
        said = machine.run("dpkg", "--purge", "uaf-server").stdout
        must("/var/lib/uaf-server is kept" in said and "/etc/uaf-server is kept" in said, said)
        machine.run("test", "-s", "/var/lib/uaf-server/server.db")
        machine.run("test", "-s", "/etc/uaf-server/key.pem")
        must(not machine.path("/etc/default/uaf-server").exists(), "the package's configuration is still there")
        return "stopped: stays stopped; running: started anew; purged: ended, its configuration gone, store and TLS key there"
