"""A machine that starts, and people at its console."""

from lab.table import must, row
from packages import scene
from packages.scene import LET_IN, PASSCODE


@row(
    "V1",
    "a whole machine starts with both packages; sudo, su and ssh there",
    "nothing has failed, doctor finds no fault, and the passcode lets in everywhere; a wrong one does not",
)
def starts(lab):
    with lab.started() as machine:
        failed = machine.run("systemctl", "list-units", "--failed", "--plain", "--no-legend").stdout
        must(not failed.strip(), f"units have failed: {failed}")
        machine.run("systemctl", "start", "uaf-server")
        scene.rescuer(machine, "otto")
        for service in ("sudo", "su", "sshd"):
            machine.run("uafctl", "pam", "enable", service)
        seen = {
            "sudo": scene.sudo(machine, "mina", PASSCODE),
            "su": scene.su(machine, "otto", "mina", PASSCODE),
            "ssh": scene.ssh(machine, "mina", PASSCODE),
        }
        for host, session in seen.items():
            must(LET_IN in session.text, f"{host}: {session.text!r}")
        must(LET_IN not in scene.sudo(machine, "mina", "wrong-guess-1").text, "a wrong passcode let in")
        doctor = machine.run("uafctl", "doctor", check=False).stdout
        must("FAIL" not in doctor, f"uafctl doctor: {doctor}")
        return f"{', '.join(seen)} let in by passcode, on {machine.run('uname', '-r').stdout.strip()}"
