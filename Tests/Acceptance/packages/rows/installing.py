"""What installing leaves behind, and that it decides nothing."""

import re

from lab.table import must, row
from packages import scene

# Path, mode, owner, group.
PLACES = [
    ("/etc/security/pam_uaf.conf", "644", "root", "root"),
    ("/usr/bin/uafctl", "755", "root", "root"),
    ("/usr/libexec/pam-uaf/uaf-fetch", "755", "root", "root"),
    ("/usr/libexec/pam-uaf/uaf-finger", "755", "root", "root"),
    ("/usr/libexec/pam-uaf/uaf-name", "755", "root", "root"),
    ("/usr/share/polkit-1/rules.d/50-pam-uaf.rules", "644", "root", "root"),
    ("/usr/libexec/pam-uaf/uaf-helper", "755", "root", "root"),
    ("/usr/share/pam-configs/uaf", "644", "root", "root"),
    ("/usr/share/pam-uaf/pam.d/fallback/sudo", "644", "root", "root"),
    ("/usr/share/man/man8/pam_uaf.8.gz", "644", "root", "root"),
    ("/var/lib/pam-uaf", "700", "root", "root"),
    ("/var/lib/pam-uaf/device.key", "400", "root", "root"),
    ("/run/pam-uaf", "755", "root", "root"),
    ("/etc/default/uaf-server", "644", "root", "root"),
    ("/usr/bin/uaf-server", "755", "root", "root"),
    ("/usr/share/man/man8/uaf-server.8.gz", "644", "root", "root"),
    ("/usr/share/doc/uaf-server/examples/uaf-server-policy.json", "644", "root", "root"),
]
COMPLETIONS = (
    "/usr/share/bash-completion/completions/{}",
    "/usr/share/zsh/vendor-completions/_{}",
    "/usr/share/fish/vendor_completions.d/{}.fish",
)


def places(machine):
    """Checks every path of PLACES; returns how many there are."""
    module = machine.run("sh", "-c", "ls /usr/lib/*/security/pam_uaf.so").stdout.strip()
    for path, *expected in [*PLACES, (module, "644", "root", "root")]:
        seen = machine.run("stat", "-c", "%a %U %G", path, check=False).stdout.split()
        must(seen == expected, f"{path} is {seen}, not {expected}")
    for program in ("uafctl", "uaf-server"):
        for pattern in COMPLETIONS:
            path = pattern.format(program)
            must(program in machine.read(path), f"{path} is nothing of {program}'s")
        machine.run("bash", "-n", COMPLETIONS[0].format(program))
    return len(PLACES) + 1


def nothing_was_asked(machine):
    """debconf marks the questions that it has shown: there must be none. Its only question must exist in both languages."""
    shown = machine.run("debconf-show", "libpam-uaf").stdout
    must("libpam-uaf/purge-state" in shown and "*" not in shown, f"debconf: {shown!r}")
    must("\nDescription-ko.UTF-8:" in machine.read("/var/lib/dpkg/info/libpam-uaf.templates"), "no question in Korean")


def only_rules_of_new_passcodes(machine):
    """Checks that the installed configuration sets only the rules for new passcodes, and nothing about logins."""
    decided = dict(re.findall(r"(?m)^([a-z_]+) *= *([^\s#]+)", machine.read(scene.CONFIGURATION)))
    refusals = ("equal_character", "ascending_descending", "two_character_repeat", "two_equal_character_repeat")
    expected = {"min_length": "8"} | dict.fromkeys(refusals, "true")
    must(decided == expected, f"the configuration as installed decides {decided}")


@row(
    "P1",
    "install both packages, with nobody there to answer",
    "everything in its place, the machine's key made, the socket open, no stack changed, no server running",
)
def install(lab):
    with lab.bare() as machine:
        before = scene.stacks(machine)
        scene.install(machine, lab.archives, DEBIAN_FRONTEND="teletype")
        must(scene.stacks(machine) == before, "a stack of /etc/pam.d has changed")
        nothing_was_asked(machine)
        count = places(machine)
        user = machine.run("id", "uaf-fetch").stdout
        must(user.startswith("uid=60990(uaf-fetch) gid=60990(uaf-fetch)"), f"uaf-fetch is {user}")
        user = machine.run("id", "uaf-finger").stdout
        must(user.startswith("uid=60991(uaf-finger) gid=60991(uaf-finger)"), f"uaf-finger is {user}")
        user = machine.run("id", "uaf-name").stdout
        must(user.startswith("uid=60992(uaf-name) gid=60992(uaf-name)"), f"uaf-name is {user}")
        for unit in ("pam-uaf.socket", "pam-uaf-checkin.timer"):
            for question, expected in (("is-enabled", "enabled"), ("is-active", "active")):
                said = machine.run("systemctl", question, unit, check=False).stdout.strip()
                must(said == expected, f"{unit} {question}: {said}")
        # On a machine that has not joined, what the timer runs does nothing.
        machine.run("systemctl", "start", "pam-uaf-checkin.service")
        for question, expected in (("is-enabled", "disabled"), ("is-active", "inactive")):
            said = machine.run("systemctl", question, "uaf-server", check=False).stdout.strip()
            must(said == expected, f"the server {question}: {said}")
        only_rules_of_new_passcodes(machine)
        accepted = machine.run("uafctl", "policy", "check", answers="amber-kite-47\n", check=False)
        must(accepted.returncode == 0, f"the configuration as installed: {accepted.stdout}")
        key = machine.path("/var/lib/pam-uaf/device.key").read_bytes()
        machine.run("dpkg-reconfigure", "libpam-uaf")
        must(machine.path("/var/lib/pam-uaf/device.key").read_bytes() == key, "the key is another one after configuring again")
        return f"{count} places as they should be, {len(before)} stacks as before, socket enabled and open, server off"


@row(
    "P2",
    "install where no systemd runs, as in a container",
    "nothing is started; root's programs log in, since they start the core themselves; removal works the same",
)
def without_systemd(lab):
    with lab.bare(booted=False) as machine:
        machine.write("/usr/sbin/policy-rc.d", "#!/bin/sh\nexit 101\n", 0o755)
        scene.install(machine, lab.archives)
        scene.populate(machine)
        scene.with_server(machine)
        scene.configure(machine)
        scene.register(machine, "mina")
        machine.write("/etc/pam.d/uaf", "auth required pam_uaf.so\n")
        right, wrong = (scene.by_host(machine, "mina", value) for value in (scene.PASSCODE, "wrong-guess-1"))
        must((right, wrong) == (0, 7), f"right {right}, wrong {wrong}")
        machine.path("/etc/pam.d/uaf").unlink()
        machine.run("dpkg", "--remove", "libpam-uaf")
        return "right passcode 0, wrong one 7 (PAM_AUTH_ERR), removed"
