"""A different release of Debian: its packages here, and an upgrade of the machine to it."""

import os

from lab.processes import listens, running
from lab.table import Skip, must, row
from packages import scene
from packages.scene import LET_IN, PASSCODE

# Letters that Unicode can encode in two ways, in the decomposed form, which keyboards do not send: both forms must be the same
# passcode.
_DECOMPOSED = "\u1112\u1161\u11ab\u1100\u1173\u11af-u\u0308ber-e\u0301te\u0301-\u03b1\u0301-47"
_COMPOSED = "\ud55c\uae00-\u00fcber-\u00e9t\u00e9-\u03ac-47"


@row(
    "P20",
    "install a package that was built for another release of Debian",
    "apt says which packages are missing; nothing is unpacked, nothing is left to repair",
)
def of_another_release(lab):
    others = lab.of_other_releases()
    if not others:
        raise Skip("no packages of another release were built: make deb DIST=trixie, or bookworm")
    with lab.bare(booted=False) as machine:
        status = machine.read("/var/lib/dpkg/status")
        for archive in others:
            path = machine.bring(archive, f"/var/tmp/{archive.name}")
            refused = machine.run("apt-get", "install", "--yes", "--no-install-recommends", path, check=False)
            missing = [line.split("Depends:")[1].split()[0] for line in refused.stdout.splitlines() if "Depends:" in line]
            must(refused.returncode != 0 and missing, f"{archive.name}: {refused.stdout[-600:]}")
            must(machine.read("/var/lib/dpkg/status") == status, f"{archive.name} has changed what dpkg knows")
        machine.run("apt-get", "check")
        for program in ("uafctl", "uaf-server"):
            must(not machine.path(f"/usr/bin/{program}").exists(), f"{program} is there")
        return f"{len(others)} packages refused, the last for want of {', '.join(missing)}; dpkg knows what it knew"


def _people_and_stacks(machine):
    """mina and otto log in with passcodes: sudo by its own stack, everything else by the profile."""
    scene.with_server(machine)
    machine.run("systemctl", "enable", "uaf-server")
    scene.register(machine, "otto", _DECOMPOSED)
    machine.run("useradd", "--groups", "sudo", "ada")
    machine.run("chpasswd", answers=f"ada:{scene.PASSWORD}\n")
    scene.rescuer(machine, "ada")
    machine.run("uafctl", "pam", "enable", "sudo")
    machine.run("pam-auth-update", "--enable", "uaf")
    machine.write("/etc/pam.d/uaf", "auth required pam_uaf.so\n")


def _all_log_in(machine):
    """Checks that people can log in through each host, but not with a wrong value; returns the number of logins."""
    tried = [
        (scene.sudo(machine, "mina", PASSCODE), True),
        (scene.sudo(machine, "otto", _COMPOSED), True),
        (scene.sudo(machine, "otto", _DECOMPOSED), True),
        (scene.sudo(machine, "otto", "wrong-guess-1"), False),
        (scene.console(machine, "mina", PASSCODE), True),
        (scene.su(machine, "otto", "mina", PASSCODE), True),
        (scene.ssh(machine, "mina", PASSCODE), True),
        (scene.ssh(machine, "mina", "wrong-guess-1"), False),
    ]
    for number, (session, right) in enumerate(tried):
        must((LET_IN in session.text) == right, f"login {number}: {session.text!r}")
    return len(tried)


def _shown(machine, unit, *properties):
    return [machine.says("systemctl", "show", "--value", "--property", name, unit).strip() for name in properties]


def _kept(machine):
    """The files that an upgrade of the machine must not touch."""
    return {
        "socket": _shown(machine, "pam-uaf.socket", "ActiveEnterTimestampMonotonic", "UnitFileState"),
        "server": _shown(machine, "uaf-server", "ActiveState", "UnitFileState"),
        "services": scene.services_with_module(machine),
        "sudo": machine.read("/etc/pam.d/sudo"),
        "configuration": machine.read(scene.CONFIGURATION),
        "device key": machine.path("/var/lib/pam-uaf/device.key").read_bytes(),
    }


@row(
    "P21",
    "upgrade the machine to the next release of Debian with apt full-upgrade, while mina stands at a locker's prompt",
    "our packages are upgraded with it; the core that runs ends well, the module in memory starts the new core; the socket "
    "stays open; stacks, services, registrations and the values that people had let in as before",
    limit=1800,
)
def full_upgrade(lab):
    bundle = lab.next_release()
    with lab.installed(booted=True) as machine:
        _people_and_stacks(machine)
        _all_log_in(machine)
        before = _kept(machine)
        locker = machine.converse("runuser", "-u", "mina", "--", "pam-host", "/etc/pam.d", "uaf", "mina", "--", "auth", "auth")
        locker.until("prompt")

        machine.unpack(bundle)
        keep = ("-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold")
        said = machine.run("apt-get", "--yes", *keep, "full-upgrade", limit=1500).stdout
        must("The following packages will be REMOVED:\n  libpam-uaf" not in said, "libpam-uaf was to be removed")

        locker.answer(PASSCODE)
        first = locker.until("result")
        locker.until("prompt")
        locker.answer(PASSCODE)
        second = locker.until("result")
        locker.end()
        must((first, second) == ("result 0", "result 0"), f"before {first}, after {second}: {locker.text!r}")

        release = machine.run("sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME").stdout.strip()
        versions = [machine.says("dpkg-query", "-W", "-f", "${Version}", package) for package in scene.PACKAGES]
        must(release == lab.NEXT and lab.version not in versions, f"{release}, with {versions} for {lab.version}")
        after = _kept(machine)
        changed = [name for name in before if before[name] != after[name]]
        must(not changed, f"changed: {[(name, before[name], after[name]) for name in changed]}")
        old = [p for p in running("uaf-helper (deleted)") if listens(p)]
        must(not old and os.path.exists(machine.path("/usr/bin/uafctl")), f"listeners of the old package: {old}")
        count = _all_log_in(machine)
        problems = machine.run("uafctl", "doctor", check=False)
        return (
            f"{release}, {' and '.join(versions)}; old core 0, new core for the old module 0; socket, server, "
            f"{len(after['services'])} stacks and key as before; {count} logins as before; doctor ends with {problems.returncode}"
        )
