"""Follows docs/two-machines.md: runs the commands of the page in their order."""

import pathlib
import re

from lab.table import must, row
from packages.scene import PASSCODE, PASSWORD

PAGE = pathlib.Path(__file__).parents[4] / "docs/two-machines.md"
NAME = "uaf.example.com"
LINE = re.compile(r" {4}(server#|desk#|mina@desk\$) (.*)")


def commands():
    """Pairs of prompt and command, in the order of the page."""
    found = [match.groups() for match in map(LINE.fullmatch, PAGE.read_text().splitlines()) if match]
    must(len(found) > 10, f"the page has {len(found)} commands")
    return found


def people(machine):
    for name in ("mina", "otto"):
        machine.run("useradd", "--create-home", "--shell", "/bin/sh", "--groups", "sudo", name)
        machine.run("chpasswd", answers=f"{name}:{PASSWORD}\n")


@row(
    "M6",
    "docs/two-machines.md, command by command, on two machines that never had our packages",
    "each command succeeds, and the last one, sudo, asks for the passcode that mina has registered",
    limit=600,
)
def guide(lab):
    with lab.without_packages("server") as server, lab.without_packages("desk") as desk:
        for machine in (server, desk):
            own = machine.says("hostname").strip()
            machine.write("/etc/hosts", f"127.0.0.1 localhost {own}\n10.77.0.{server.number} {NAME}\n")
            for archive in lab.archives.values():
                machine.bring(archive, f"/root/{archive.name}")
        people(desk)
        text = ""
        for prompt, command in commands():
            if prompt == "server#":
                server.run("sh", "-c", f"cd /root && {command}")
            elif prompt == "desk#":
                if "uafctl join" in command:
                    hand_over(server, desk)
                desk.run("sh", "-c", f"cd /root && {command}")
            else:
                answers = [PASSCODE] * (2 if "register" in command else 1)
                session = desk.terminal("runuser", "-u", "mina", "--", "sh", "-c", f"cd && {command}", answers=answers)
                text = session.text
        must("uid=0(root)" in text and "asscode" in text, f"sudo has shown: {text!r}")
        return f"{len(commands())} commands; sudo asked: {text.splitlines()[0]}"


def hand_over(server, desk):
    """Copies the files that the page tells the reader to copy with scp."""
    desk.write("/root/payload", server.read("/root/payload"), 0o600)
    desk.write("/home/mina/mina.code", server.read("/root/mina.code"), 0o600)
    desk.run("chown", "mina", "/home/mina/mina.code")
