"""One virtual network: a bridge, and a cable from it to each machine."""

import subprocess

BRIDGE, SELF = "office", "10.77.0.1/24"


def ip(*arguments, of=None):
    """Runs `ip`, in the network of a process if one is named."""
    inside = ["nsenter", f"--target={of}", "--net"] if of else []
    subprocess.run([*inside, "ip", *arguments], check=True)


def lay():
    ip("link", "add", BRIDGE, "type", "bridge")
    ip("addr", "add", SELF, "dev", BRIDGE)
    ip("link", "set", BRIDGE, "up")


def connect(machine, number):
    """Gives a machine the address 10.77.0.NUMBER, until it ends."""
    near, far = f"cable{number}", f"far{number}"
    ip("link", "add", near, "type", "veth", "peer", "name", far)
    ip("link", "set", far, "netns", machine.process)
    ip("link", "set", near, "master", BRIDGE, "up")
    ip("link", "set", "lo", "up", of=machine.process)
    ip("link", "set", far, "name", "eth0", of=machine.process)
    ip("addr", "add", f"10.77.0.{number}/24", "dev", "eth0", of=machine.process)
    ip("link", "set", "eth0", "up", of=machine.process)


def unplug(machine, number):
    """Unplugs the cable."""
    ip("link", "set", f"cable{number}", "down")


def plug(machine, number):
    """Plugs the cable in again."""
    ip("link", "set", f"cable{number}", "up")
