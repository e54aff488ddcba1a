"""The server's store moves, or becomes an older one: which workstations it knows then."""

from lab.table import must, row
from machines.office import STATE, join
from machines.rows.following import lets_in
from machines.rows.joining import first_sudo

KEYS = ("verdict.key", "verdict.pub", "audit.key", "audit.pub", "decoy.secret", "machine.secret")
BACKUPS = "/var/lib/uaf-backup"


def doctor(machine):
    return machine.run("uafctl", "doctor", check=False).stdout


@row(
    "M20",
    "the server's store moves into another folder by export and import, with the keys that the guide names",
    "the workstation checks in as before, looks like no copy, and sudo lets in with the same passcode",
)
def moved(lab):
    with lab.workstation() as machine:
        join(machine, lab.join_code("--group", "moving")["payload"])
        first_sudo(lab, machine)
        name = machine.says("hostname").strip()
        lab.administer("export", f"{STATE}/export")
        with lab.empty_state() as old:
            for key in KEYS:
                lab.server.run("cp", "-p", f"{old}/{key}", f"{STATE}/{key}")
            lab.administer("import", f"{old}/export")
            # A proof of the second in which a store was moved may have been used before.
            lab.server.run("sleep", "1")
        machine.run("uafctl", "check-in")
        known = lab.machines()[name]
        must(known["group"] == "moving" and "copySeen" not in known, known)
        must("machine-unknown" not in doctor(machine), "doctor warns of a server that knows the machine")
        must(lets_in(machine), "sudo does not let in")
        return f"{name} checked in at the moved store, and let mina in"


@row(
    "M21",
    "the server's store is restored from a backup that is older than a workstation's last join",
    "the workstation learns it: doctor says so, with the command that helps, and sudo still lets in; "
    "after that command the server knows the machine, and the same passcode logs in",
)
def older(lab):
    lab.server.run("install", "-d", "-o", "uaf-server", "-g", "uaf-server", "-m", "0700", BACKUPS)
    with lab.workstation() as machine:
        join(machine, lab.join_code("--group", "first")["payload"])
        first_sudo(lab, machine)
        lab.administer("backup", f"{BACKUPS}/older")
        join(machine, lab.join_code("--group", "second")["payload"])
        name = machine.says("hostname").strip()
        must(lab.machines()[name]["group"] == "second", lab.machines())
        with lab.empty_state():
            lab.administer("restore", f"{BACKUPS}/older")
        refused = machine.run("uafctl", "check-in", check=False)
        must(refused.returncode != 0 and "does not know this machine" in refused.stdout, refused.stdout)
        told = [line for line in doctor(machine).splitlines() if "[machine-unknown]" in line]
        must(told and "uafctl join" in told[0], f"doctor: {told}")
        must(lets_in(machine), "sudo does not let in at a server that does not know the machine")
        join(machine, lab.join_code("--group", "third")["payload"])
        must("machine-unknown" not in doctor(machine), "doctor still warns after the machine has joined again")
        must(lab.machines()[name]["group"] == "third", lab.machines())
        must(lets_in(machine), "sudo does not let in with the same passcode after the machine has joined again")
        return told[0]
