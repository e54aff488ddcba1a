"""Passcodes in the hands of programs, as docs/automation.md has it: Ansible, sshpass and Mitogen."""

import json

from lab.table import must, row
from machines.office import join
from packages import scene
from packages.scene import PASSCODE

OWN = "/root/own.json"


def equipped(lab, control, desk):
    """mina and root have registered on the desk, and its sudo, su and sshd ask; the control machine has the programs."""
    lab.equip(control, "control")
    lab.equip(desk, "managed")
    join(desk, lab.join_code()["payload"])
    lab.enrol("mina", desk)
    desk.write("/root/code", lab.says("enrol", "root"), 0o600)
    desk.run("uafctl", "register", "passcode", "--code", "/root/code", answers=f"{PASSCODE}\n{PASSCODE}\n")
    scene.rescuer(desk, "otto")
    for service in ("sudo", "su", "sshd"):
        desk.run("uafctl", "pam", "enable", service)
    desk.write("/etc/sudoers.d/deploy", "Defaults:mina passprompt_override\n", 0o440)
    settings = "KbdInteractiveAuthentication yes\nPasswordAuthentication no\n"
    desk.write("/etc/ssh/sshd_config.d/asking.conf", settings)
    desk.run("systemctl", "restart", "ssh")
    control.run("install", "-d", "-m", "0700", "/root/.ssh")
    # Of ssh's prompts, Mitogen answers only one for a password, so it logs in with a key here.
    control.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/root/key")
    desk.run("install", "-d", "-m", "0700", "-o", "mina", "/home/mina/.ssh")
    desk.write("/home/mina/.ssh/authorized_keys", control.read("/root/key.pub"), 0o600)
    desk.run("chown", "mina", "/home/mina/.ssh/authorized_keys")
    control.write("/root/.ssh/config", "Host *\n  StrictHostKeyChecking accept-new\n", 0o600)
    control.write("/root/inventory", f"desk ansible_host=10.77.0.{desk.number} ansible_user=mina\n")


def ansible(control, variables, **settings):
    """The user that Ansible's tasks run as on the desk; None if they cannot run."""
    control.write(OWN, json.dumps(variables), 0o600)
    environment = {"HOME": "/root", "ANSIBLE_NOCOLOR": "1", "ANSIBLE_TIMEOUT": "30", **settings}
    command = ("ansible", "-i", "/root/inventory", "desk", "-e", f"@{OWN}", "-m", "command", "-a", "id -un")
    result = control.run(*command, check=False, limit=180, **environment)
    must(PASSCODE not in result.stdout, "the passcode was printed")
    return (result.stdout.split() or [None])[-1] if result.returncode == 0 else None


@row(
    "M15",
    "docs/automation.md: sshpass, and Ansible by ssh with a passcode, with become by sudo and by su, and through Mitogen",
    "each gets in with the right passcode and the prompt that the page names; none with a wrong one, and nothing hangs",
    limit=1200,
)
def automation(lab):
    with lab.without_packages("control") as control, lab.workstation() as desk:
        equipped(lab, control, desk)
        address = f"mina@10.77.0.{desk.number}"
        control.write("/root/passcode", PASSCODE + "\n", 0o600)
        by_pass = ("sshpass", "-f", "/root/passcode", "-P", "asscode", "ssh", "-F", "/root/.ssh/config", address, "id -un")
        must(control.run(*by_pass, limit=60, HOME="/root").stdout.split()[-1] == "mina", "sshpass does not get in")
        ssh = {"ansible_password": PASSCODE, "ansible_sshpass_prompt": "asscode"}
        must(ansible(control, ssh) == "mina", "Ansible does not log in")
        sudo = {**ssh, "ansible_become": True, "ansible_become_method": "sudo", "ansible_become_password": PASSCODE}
        must(ansible(control, sudo) == "root", "Ansible does not become root by sudo")
        must(ansible(control, {**sudo, "ansible_become_password": "wrong-guess-1"}) is None, "root by a wrong passcode")
        must(ansible(control, sudo) == "root", "Ansible does not become root after a wrong passcode")
        prompts = ["Passcode for root .su.", "Passcode for root (su)"]
        su = {**sudo, "ansible_become_method": "su", "ansible_su_prompt_l10n": prompts}
        must(ansible(control, su) == "root", "Ansible does not become root by su")
        must(ansible(control, {**su, "ansible_become_password": "wrong-guess-1"}) is None, "root by su, wrong passcode")
        look = "dpkg -L ansible-mitogen 2>/dev/null | grep 'ansible_mitogen/plugins/strategy$' || true"
        plugins = control.run("sh", "-c", look)
        done = "sshpass, ssh, sudo, su"
        if plugins.stdout:
            by_mitogen = {"ANSIBLE_STRATEGY": "mitogen_linear", "ANSIBLE_STRATEGY_PLUGINS": plugins.stdout.strip()}
            by_key = {name: value for name, value in sudo.items() if name not in ssh}
            by_key["ansible_ssh_private_key_file"] = "/root/key"
            must(ansible(control, by_key, **by_mitogen) == "root", "Mitogen does not become root by sudo")
            done += ", Mitogen's sudo"
        return f"in by {done}; wrong ones refused"
