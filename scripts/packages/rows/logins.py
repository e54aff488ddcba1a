"""From an installed package to a login, and the profile of pam-auth-update."""

from lab.table import must, row
from packages import scene
from packages.scene import LET_IN, PASSCODE, PASSWORD


@row("P5", "enable sudo, and use it", "asks for the passcode, which lets in; with `disable` for the password, as before")
def enable_sudo(lab):
    with lab.installed() as machine:
        before = scene.stacks(machine)
        scene.with_server(machine)
        machine.run("groupadd", "--system", "uaf-rescue")
        machine.run("usermod", "--append", "--groups", "uaf-rescue", "otto")
        machine.run("uafctl", "pam", "enable", "sudo")
        session = scene.sudo(machine, "mina", PASSCODE)
        must(LET_IN in session.text, f"sudo: {session.text!r}")
        must("Passcode" in session.text, f"sudo asked for something else: {session.text!r}")
        must(LET_IN not in scene.sudo(machine, "mina", "wrong-guess-1").text, "a wrong passcode let in")
        machine.run("uafctl", "pam", "disable", "sudo")
        must(scene.stacks(machine) == before, "the stacks are not as they were")
        must(LET_IN in scene.sudo(machine, "mina", PASSWORD).text, "the password does not let in afterwards")
        return "passcode let in, wrong one not; after disable the stacks are as before, byte for byte"


@row("P6", "the profile of pam-auth-update", "off until somebody enables it; then an alternative to the password, never more")
def profile(lab):
    with lab.installed() as machine:
        before = scene.stacks(machine)
        scene.with_server(machine)
        machine.run("pam-auth-update", "--enable", "uaf")
        changed = sorted(name for name, stack in scene.stacks(machine).items() if stack != before[name])
        must(changed == ["common-auth"], f"changed: {changed}")
        seen = {
            "passcode": scene.sudo(machine, "mina", PASSCODE),
            "wrong passcode, password": scene.sudo(machine, "mina", "wrong-guess-1", PASSWORD),
            "never registered, password": scene.sudo(machine, "otto", PASSWORD),
        }
        scene.without_server(machine)
        seen["no server, passcode, password"] = scene.sudo(machine, "mina", PASSCODE, PASSWORD)
        for _ in range(4):
            scene.by_host(machine, "mina", "wrong-guess", service="sudo")
        seen["locked, password"] = scene.sudo(machine, "mina", PASSWORD)
        for what, session in seen.items():
            must(LET_IN in session.text, f"{what}: {session.text!r}")
        must(LET_IN not in scene.sudo(machine, "mina", "wrong").text, "a wrong password let in")
        machine.run("pam-auth-update", "--disable", "uaf")
        must(scene.stacks(machine) == before, "the stacks are not as they were")
        return f"sudo lets in by: {'; '.join(seen)}"
