"""Removes the package, which must not lock anybody out, and purges it."""

from lab.table import must, row
from packages import scene
from packages.scene import CONFIGURATION, LET_IN, PASSCODE

SERVICES = ("sudo", "sshd", "login", "su")
STATE = "/var/lib/pam-uaf"


def enable_all(machine):
    scene.rescuer(machine, "otto")
    for service in SERVICES:
        machine.run("uafctl", "pam", "enable", service, "--anyway")
    must(scene.services_with_module(machine), "nothing was enabled")


def module_is_there(machine):
    return machine.run("sh", "-c", "ls /usr/lib/*/security/pam_uaf.so", check=False).returncode == 0


def is_out(machine, before):
    """Checks after a removal that the module is gone, that no stack names it, and that everybody can log in by password; returns
    the number of logins."""
    must(not module_is_there(machine), "the module is still there")
    must(not scene.services_with_module(machine), f"it is named in {scene.services_with_module(machine)}")
    must(scene.stacks(machine) == before, "the stacks are not as they were before the package was used")
    return scene.passwords_let_in(machine)


def refused(machine, says):
    """Tries to remove the package, which must fail and leave every stack unchanged."""
    before = scene.stacks(machine)
    result = machine.run("dpkg", "--remove", "libpam-uaf", check=False)
    must(result.returncode != 0 and says in result.stdout, f"removal ended with {result.returncode}: {result.stdout}")
    must(module_is_there(machine), "the module is gone although the removal failed")
    must(scene.state_of(machine, "libpam-uaf") == "installed", f"dpkg: {scene.state_of(machine, 'libpam-uaf')}")
    after = scene.stacks(machine)
    changed = sorted(name for name in before | after if before.get(name) != after.get(name))
    must(not changed, f"a removal that failed has changed {changed}")


@row(
    "P9",
    "remove while sudo, sshd, login and su ask for the passcode",
    "the includes are removed before the module; each of the four lets in by password; state and configuration stay",
)
def while_enabled(lab):
    with lab.installed() as machine:
        before = scene.stacks(machine)
        enable_all(machine)
        machine.run("apt-get", "remove", "--yes", "libpam-uaf")
        count = is_out(machine, before)
        must(scene.state_of(machine, "libpam-uaf") == "config-files", "dpkg has forgotten the configuration")
        machine.run("test", "-s", f"{STATE}/accounts/1000.db", "-a", "-s", CONFIGURATION)
        if machine.is_booted:
            active = machine.run("systemctl", "is-active", "pam-uaf.socket", check=False).stdout.strip()
            must(active != "active", "the socket is still open")
        return f"{len(before)} stacks as before they were enabled; {count} logins by password through {', '.join(SERVICES)}"


@row(
    "P10",
    "remove while the profile is enabled",
    "pam-auth-update takes it out before the module goes; everybody logs in by password",
)
def while_profile(lab):
    with lab.installed() as machine:
        before = scene.stacks(machine)
        machine.run("pam-auth-update", "--enable", "uaf")
        must(scene.services_with_module(machine) == ["common-auth"], "the profile was not enabled")
        machine.run("apt-get", "remove", "--yes", "libpam-uaf")
        return f"{is_out(machine, before)} logins by password, stacks as before"


@row(
    "P11",
    "remove where uafctl cannot take the includes out, or a line was written by hand",
    "the removal fails, says what to do, leaves stacks and profile as they were, and works once that was done",
)
def cannot_be_taken_out(lab):
    with lab.installed() as machine:
        before = scene.stacks(machine)
        scene.with_server(machine)
        enable_all(machine)
        machine.run("pam-auth-update", "--enable", "uaf")
        tool = machine.path("/usr/bin/uafctl")
        tool.rename(tool.with_suffix(".whole"))
        machine.write("/usr/bin/uafctl", "#!/bin/sh\nexit 1\n", 0o755)
        refused(machine, "the package stays")
        tool.with_suffix(".whole").rename(tool)
        must(LET_IN in scene.sudo(machine, "mina", PASSCODE).text, "after the failed removal sudo does not let in")
        # libpam reads some of these lines, but a different reader may miss them.
        for text in (
            "auth required pam_uaf.so\n",
            "@include uaf-sudo\n",
            "auth substack uaf-sshd\n",
            "# see wiki \\\nauth required pam_uaf.so\n",
            "# ops\r\n@include uaf-sudo\n",
            "@INCLUDE \\\n uaf-sudo\n",
        ):
            machine.write("/etc/pam.d/vpn", text)
            refused(machine, "take the lines of pam_uaf.so out of /etc/pam.d/vpn")
        must(LET_IN in scene.sudo(machine, "mina", PASSCODE).text, "after the failed removals sudo does not let in")
        # A copy that an editor left is not a service.
        machine.path("/etc/pam.d/vpn").rename(machine.path("/etc/pam.d/sudo.bak"))
        machine.run("dpkg", "--remove", "libpam-uaf")
        machine.path("/etc/pam.d/sudo.bak").unlink()
        return f"refused seven times with the reason, nothing changed; then removed: {is_out(machine, before)} logins by password"


@row(
    "P16",
    "remove a package that was unpacked and not configured, for which dpkg asks no prerm",
    "each stack asks for the password again, the profile's lines are gone; everybody logs in by password; "
    "reinstalled, the package works",
)
def half_installed(lab):
    with lab.installed() as machine:
        enable_all(machine)
        machine.run("pam-auth-update", "--enable", "uaf")
        newer = machine.bring(lab.newer("libpam-uaf", machine.folder), "/var/tmp/next.deb")
        machine.run("dpkg", "--unpack", newer)
        must(scene.state_of(machine, "libpam-uaf") == "unpacked", scene.state_of(machine, "libpam-uaf"))
        said = machine.run("dpkg", "--remove", "libpam-uaf").stdout
        must(not module_is_there(machine), "the module is still there")
        must(not scene.services_with_module(machine), f"it is named in {scene.services_with_module(machine)}")
        for service in SERVICES:
            must(f"/etc/pam.d/uaf-{service} asks for the password again" in said, said)
        count = scene.passwords_let_in(machine)
        machine.run("dpkg", "--install", newer)
        for service in SERVICES:
            machine.run("uafctl", "pam", "disable", service)
            machine.run("uafctl", "pam", "enable", service, "--anyway")
        scene.with_server(machine)
        must(LET_IN in scene.sudo(machine, "mina", PASSCODE).text, "enabled once more, sudo does not let in")
        machine.run("dpkg", "--remove", "libpam-uaf")
        more = scene.passwords_let_in(machine)
        return f"{count} logins by password; installed and enabled again the passcode; removed: {more} more"


@row("P12", "install again after a removal", "the key, the registrations and the configuration are those of before")
def again(lab):
    with lab.installed() as machine:
        machine.run("dpkg", "--remove", "libpam-uaf")
        machine.run("dpkg", "--install", "/var/tmp/" + lab.archives["libpam-uaf"].name)
        scene.with_server(machine)
        machine.write("/etc/pam.d/uaf", "auth required pam_uaf.so\n")
        code = scene.by_host(machine, "mina", PASSCODE)
        must(code == 0, f"mina logs in with {code}")
        return "the passcode registered before lets in"


@row(
    "P13",
    "purge, with the question unanswered, answered no, and answered yes",
    "only a yes removes the state; the configuration is removed each time",
)
def purge(lab):
    seen = []
    for answer, stays in ((None, True), ("no", True), ("yes", False)):
        with lab.installed() as machine:
            if answer is None:
                machine.run("apt-get", "purge", "--yes", "libpam-uaf")
            else:
                session = machine.terminal(
                    "dpkg", "--purge", "libpam-uaf", answers=[answer], DEBIAN_FRONTEND="teletype", ends=(b"[yes/no]",)
                )
                must("Delete this machine's key" in session.text, f"nothing was asked: {session.text!r}")
            must(machine.path(STATE).exists() == stays, f"answered {answer}: {STATE} is there: {not stays}")
            must(not machine.path(CONFIGURATION).exists(), f"{CONFIGURATION} is still there")
            must(not scene.state_of(machine, "libpam-uaf"), "dpkg still knows the package")
            seen.append(f"{answer or 'nobody asked'}: {'kept' if stays else 'gone'}")
    return "; ".join(seen)
