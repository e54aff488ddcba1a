"""Somebody whom only a directory knows, on a workstation as it is installed: the core comes from the package's units."""

from lab.table import must, row
from machines.office import join
from packages import scene
from packages.scene import LET_IN, PASSCODE

NUMBER = 70001


@row(
    "M10",
    "lena, whom libnss-extrausers knows and /etc/passwd does not, registers on a workstation that has joined, and uses sudo",
    "registered under the directory's name; sudo lets her in with the passcode alone",
)
def of_a_directory(lab):
    with lab.workstation() as machine:
        lab.equip(machine, "directory")
        machine.run("mkdir", "-p", "/var/lib/extrausers", "/home/lena")
        machine.write("/var/lib/extrausers/passwd", f"lena:x:{NUMBER}:{NUMBER}::/home/lena:/bin/sh\n")
        machine.write("/var/lib/extrausers/group", f"lena:x:{NUMBER}:\n")
        machine.write("/var/lib/extrausers/shadow", "lena:*:19000:0:99999:7:::\n", 0o640)
        for database in ("passwd", "group", "shadow"):
            machine.run("sed", "-i", f"s/^{database}: .*/{database}: files extrausers/", "/etc/nsswitch.conf")
        machine.run("chown", "lena:lena", "/home/lena")
        machine.write("/etc/sudoers.d/lena", "lena ALL=(ALL) ALL\n", 0o440)
        join(machine, lab.join_code()["payload"])
        scene.rescuer(machine, "otto")
        machine.run("uafctl", "pam", "enable", "sudo", "--anyway")  # mina is not registered here
        lab.enrol("lena", machine, "lena")
        must("lena:" not in machine.read("/etc/passwd"), "lena is in /etc/passwd")
        session = scene.sudo(machine, "lena", PASSCODE)
        must(LET_IN in session.text and "asscode" in session.text, f"sudo: {session.text!r}")
        must(LET_IN not in scene.sudo(machine, "lena", "wrong-guess-1").text, "sudo lets in with a wrong passcode")
        return f"registered under the name of the number {NUMBER}; sudo asked: {session.text.splitlines()[0]}"
