"""From an installed package to a login, and the profile of pam-auth-update."""

from lab.table import must, row
from packages import scene
from packages.scene import CONFIGURATION, LET_IN, PASSCODE, PASSWORD


def _steps(machine, lab):
    """Follows the steps of README.md for an administrator in their order, with an existing server and people."""
    yield "apt install", lambda: scene.install(machine, {"libpam-uaf": lab.archives["libpam-uaf"]})
    yield "write the server's addresses", lambda: scene.configure(machine)
    yield "a second way in", lambda: scene.rescuer(machine, "otto")
    yield "register", lambda: scene.register(machine, "mina")
    yield "uafctl pam enable sudo", lambda: machine.run("uafctl", "pam", "enable", "sudo")


@row(
    "P5",
    "from `apt install` to a first sudo, as README.md says; then `uafctl pam disable`",
    "sudo asks for the passcode, which lets in; so does otto's password; "
    "once disabled, the password lets in and the stacks are as before",
)
def enable_sudo(lab):
    with lab.bare() as machine:
        scene.install(machine, {"uaf-server": lab.archives["uaf-server"]})
        scene.populate(machine)
        scene.with_server(machine)
        before = scene.stacks(machine)
        done = []
        for step, do in _steps(machine, lab):
            do()
            done.append(step)
        session = scene.sudo(machine, "mina", PASSCODE)
        must(LET_IN in session.text, f"sudo: {session.text!r}")
        must("Passcode" in session.text, f"sudo asked for something else: {session.text!r}")
        must(LET_IN not in scene.sudo(machine, "mina", "wrong-guess-1").text, "a wrong passcode let in")
        status = machine.run("uafctl", "pam", "status").stdout
        must("sudo-i: fallback/sudo\n" in status, f"sudo -i asks for the password: {status}")
        must(LET_IN in scene.sudo(machine, "otto", PASSWORD).text, "the second way does not let in")
        healthy = machine.run("uafctl", "doctor")
        must("FAIL" not in healthy.stdout, f"uafctl doctor: {healthy.stdout}")
        machine.run("uafctl", "pam", "disable", "sudo")
        must(scene.stacks(machine) == before, "the stacks are not as they were")
        must(LET_IN in scene.sudo(machine, "mina", PASSWORD).text, "the password does not let in afterwards")
        return f"{len(done)} steps ({', '.join(done)}), then sudo lets in by passcode; disabled, all is as before"


@row(
    "P6",
    "the profile of pam-auth-update",
    "off until somebody enables it; then the password alone lets in only the unregistered, uaf-rescue, "
    "and anybody if the configuration is broken",
)
def profile(lab):
    with lab.installed() as machine:
        before = scene.stacks(machine)
        scene.with_server(machine)
        machine.run("pam-auth-update", "--enable", "uaf")
        changed = sorted(name for name, stack in scene.stacks(machine).items() if stack != before[name])
        must(changed == ["common-auth"], f"changed: {changed}")
        entered = let_in_by_profile(machine)
        refused = refused_by_profile(machine)
        with_core_missing(machine, entered, refused)
        for what, session in (entered | refused).items():
            must((LET_IN in session.text) == (what in entered), f"{what}: {session.text!r}")
        must(LET_IN not in scene.sudo(machine, "otto", "wrong").text, "a wrong password let in")
        machine.run("pam-auth-update", "--disable", "uaf")
        must(scene.stacks(machine) == before, "the stacks are not as they were")
        return f"in: {'; '.join(entered)}; refused: {'; '.join(refused)}"


def let_in_by_profile(machine):
    seen = {
        "passcode": scene.sudo(machine, "mina", PASSCODE),
        "never registered, password": scene.sudo(machine, "otto", PASSWORD),
    }
    text = machine.read(CONFIGURATION)
    machine.write(CONFIGURATION, text + "\n[service.sshd]\nhide_state = false\n")
    seen["ssh with hide_state = false, never registered, password"] = scene.ssh(machine, "otto", PASSWORD)
    machine.write(CONFIGURATION, text)
    machine.write(CONFIGURATION, "nonsense\n" + text)
    seen["configuration broken, password"] = scene.sudo(machine, "mina", PASSWORD)
    machine.write(CONFIGURATION, text)
    scene.without_server(machine)
    seen["no server, passcode, password"] = scene.sudo(machine, "mina", PASSCODE, PASSWORD)
    scene.with_server(machine)
    return seen


def refused_by_profile(machine):
    # After a refused answer there is no further prompt, not even for the password.
    seen = {
        "wrong passcode": scene.sudo(machine, "mina", "wrong-guess-1", PASSWORD),
        # Remote logins must not reveal who has a passcode: everybody is asked for one, and needs one.
        "ssh, never registered, password": scene.ssh(machine, "otto", PASSWORD),
    }
    for _ in range(2):
        scene.by_host(machine, "mina", "wrong-guess", service="sudo")
    seen["locked, password"] = scene.sudo(machine, "mina", PASSWORD)
    machine.run("uafctl", "unlock", "mina")
    machine.run("runuser", "-u", "uaf-server", "--", "uaf-server", "revoke", "mina", "--state", "/var/lib/uaf-server")
    seen["revoked, passcode, password"] = scene.sudo(machine, "mina", PASSCODE, PASSWORD)
    return seen


def with_core_missing(machine, entered, refused):
    """A missing core must be treated like one that a caller has starved of resources: only members of uaf-rescue can log in."""
    core = machine.path("/usr/libexec/pam-uaf/uaf-helper")
    core.rename(f"{core}.away")
    refused["core missing, password"] = scene.sudo(machine, "mina", PASSWORD)
    scene.rescuer(machine, "otto")
    entered["core missing, one of uaf-rescue, password"] = scene.sudo(machine, "otto", PASSWORD)
    core.with_name(core.name + ".away").rename(core)
