"""examples/ansible and examples/cloud-init.yaml, by Debian's ansible-core and cloud-init."""

import json
import pathlib
import re
import subprocess

from lab.table import must, row
from machines.office import DROP_INS, NAME
from machines.rows.joining import changed
from packages import scene
from packages.scene import LET_IN, PASSCODE, PASSWORD

EXAMPLES = pathlib.Path(__file__).parents[4] / "examples"
JOINED = f"{DROP_INS}/50-server.conf"
KEPT = "/root/.pam-uaf.payload"
PLACE, VAULT = "/root/ansible", "/root/vault"


def bare(lab, machine):
    """Prepares an organisation's machine: it can resolve its own name and the server's, and mina and otto have accounts."""
    machine.write("/etc/hosts", f"127.0.0.1 localhost {machine.says('hostname').strip()}\n10.77.0.2 {NAME}\n")
    scene.populate(machine)


def asks(lab, machine):
    """mina registers, and sudo lets her in by the passcode alone."""
    lab.enrol("mina", machine)
    session = scene.sudo(machine, "mina", PASSCODE)
    must(LET_IN in session.text and "asscode" in session.text, f"sudo: {session.text!r}")
    must(LET_IN not in scene.sudo(machine, "mina", "wrong-guess-1").text, "sudo lets in with a wrong passcode")


# --- Ansible


def control_of(lab, control, desk):
    """Has the control machine reach the desk by ssh, and puts the role and the package there."""
    lab.equip(control, "control")
    lab.equip(desk, "managed")
    control.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/root/.ssh/id_ed25519")
    desk.run("install", "-d", "-m", "0700", "/root/.ssh")
    desk.write("/root/.ssh/authorized_keys", control.read("/root/.ssh/id_ed25519.pub"), 0o600)
    subprocess.run(["cp", "-R", EXAMPLES / "ansible", control.path(PLACE)], check=True)
    control.run("mkdir", f"{PLACE}/files")
    control.bring(lab.archives["libpam-uaf"], f"{PLACE}/files/libpam-uaf.deb")
    address = f"10.77.0.{desk.number}"
    control.write(f"{PLACE}/inventory", f"[workstations]\ndesk ansible_host={address} ansible_user=root\n")
    control.write("/root/.ssh/config", "Host *\n  StrictHostKeyChecking accept-new\n", 0o600)
    control.write(VAULT, "of-the-row\n", 0o600)


def play(control, *options):
    """Runs site.yml; returns its output, and the counts of its recap."""
    command = f"cd {PLACE} && exec ansible-playbook -v -i inventory --vault-password-file {VAULT} site.yml " + " ".join(options)
    # By default ssh gives up after 10 seconds, which may be too short on a busy machine.
    settings = {"HOME": "/root", "ANSIBLE_NOCOLOR": "1", "ANSIBLE_TIMEOUT": "120"}
    result = control.run("sh", "-c", command, check=False, limit=900, **settings)
    recap = re.search(r"^desk +: (.*)$", result.stdout, re.MULTILINE)
    must(recap, f"no recap: {result.stdout[-1500:]}")
    counts = recap[1] if recap else ""
    return result.stdout, {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", counts)}


def give(control, payload, **variables):
    """An administrator's files next to the role: the payload in a vault, the rest in plain text."""
    folder = f"{PLACE}/group_vars/workstations"
    control.run("mkdir", "-p", folder)
    control.write(f"{folder}/payload.yml", json.dumps({"pam_uaf_payload": payload}), 0o600)
    control.run("ansible-vault", "encrypt", "--vault-password-file", VAULT, f"{folder}/payload.yml", HOME="/root")
    # The playbook's own variables come first: these go with the command.
    control.write(f"{PLACE}/own.json", json.dumps(variables))


def played(control, payload, *options, fails=None):
    """Runs the playbook with the given variables; checks that the output contains no payload."""
    said, counts = play(control, "-e", "@own.json", *options)
    must(payload not in said and payload[:60] not in said, "the payload was printed")
    must((counts["failed"] > 0) == (fails is not None), f"{counts}: {said[-1500:]}")
    must(fails is None or fails in said, f"{fails!r} is not said: {said[-1500:]}")
    return counts["changed"]


@row(
    "M7",
    "examples/ansible by ansible-core, over ssh: with the fingerprint of another server, with an expired payload, right, again; "
    "absent, again",
    "refused with uafctl's words and no payload left; joined, and sudo asks; the second run changes nothing; it leaves",
    limit=3600,
)
def ansible(lab):
    code = lab.join_code("--machines", "2")
    with lab.without_packages("control") as control, lab.without_packages("desk") as desk:
        bare(lab, desk)
        control_of(lab, control, desk)
        wanted = {
            "pam_uaf_package_file": "files/libpam-uaf.deb", "pam_uaf_fingerprint": "0" * 64, "pam_uaf_rescuers": ["otto"],
            "pam_uaf_services": [{"name": "sudo", "shape": "instead"}],
        }  # fmt: skip
        give(control, code["payload"], **wanted)
        played(control, code["payload"], fails="of a server with another fingerprint")
        wanted["pam_uaf_fingerprint"] = code["fingerprint"]
        old = changed(code["payload"], expires=1)
        give(control, old, **wanted)
        played(control, old, fails="The machine payload has expired.")
        give(control, "", **wanted)
        played(control, code["payload"], fails="this machine has joined no server: set pam_uaf_payload")
        for path in (JOINED, KEPT):
            must(not desk.path(path).exists(), f"{path} is there after refusals")
        must(LET_IN in scene.sudo(desk, "mina", PASSWORD).text, "after refusals sudo does not take the password")
        give(control, code["payload"], **wanted)
        played(control, code["payload"], fails="not registered on this machine, and refused from then on: mina")
        must(desk.path(JOINED).exists(), "not joined")
        must(LET_IN in scene.sudo(desk, "mina", PASSWORD).text, "mina has not registered, and lost sudo")
        first = played(control, code["payload"], "-e", "'{\"pam_uaf_anyway\": true}'")
        must(desk.path(JOINED).exists() and not desk.path(KEPT).exists(), "not joined, or the payload is left")
        must("uaf-rescue" in desk.says("id", "otto"), "otto is not in uaf-rescue")
        asks(lab, desk)
        must(played(control, code["payload"]) == 0, "the second run has changed something")
        give(control, "", **wanted)
        must(played(control, code["payload"], "--check") == 0, "without the payload, and with --check, it would change something")
        gone = played(control, code["payload"], "-e", "pam_uaf_state=absent")
        must(gone and not desk.path(JOINED).exists(), "it has not left")
        must(lab.machines()[desk.says("hostname").strip()].get("left"), "the server does not know that it left")
        must(LET_IN in scene.sudo(desk, "mina", PASSWORD).text, "it has left, and sudo does not take the password")
        must(played(control, code["payload"], "-e", "pam_uaf_state=absent") == 0, "leaving again has changed something")
        return f"four refused with words; {first} changes, then 0, and sudo asked; left with {gone} changes, then 0"


# --- cloud-init

SEED = "/var/lib/cloud/seed/nocloud"
STAGES = (("init", "--local"), ("init",), ("modules", "--mode=config"), ("modules", "--mode=final"))


def image(lab, machine):
    """Prepares an organisation's image: cloud-init with a folder for its data, and a repository with the package."""
    lab.equip(machine, "cloud")
    ours = "/var/ours"
    machine.run("mkdir", "-p", ours, SEED)
    archive = lab.archives["libpam-uaf"]
    machine.bring(archive, f"{ours}/{archive.name}")
    scan = subprocess.run(
        ["dpkg-scanpackages", "--multiversion", "."], cwd=machine.path(ours), check=True, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    machine.write(f"{ours}/Packages", scan.stdout)
    machine.run("sh", "-c", "rm -f /etc/apt/sources.list.d/*")
    machine.write("/etc/apt/sources.list", f"deb [trusted=yes] file:{ours} ./\n")
    # The row has already set up the network, and the machine has no disk to grow.
    quiet = "datasource_list: [NoCloud]\nnetwork: {config: disabled}\ndisable_root: false\napt: {preserve_sources_list: true}\n"
    machine.write("/etc/cloud/cloud.cfg.d/99-row.cfg", quiet)


def first_boot(machine, data, number):
    """Runs cloud-init as at an instance's first boot; returns its log of the programs' output."""
    machine.write(f"{SEED}/user-data", data)
    machine.write(f"{SEED}/meta-data", f"instance-id: row-{number}\n")
    log = "/var/log/cloud-init-output.log"
    machine.run("cloud-init", "clean", "--logs")
    for stage in STAGES:
        machine.run("sh", "-c", f"cloud-init {' '.join(stage)} >>{log} 2>&1", check=False)
    return machine.read(log)


@row(
    "M8",
    "examples/cloud-init.yaml by cloud-init with the NoCloud data source: with the fingerprint of another server, then right",
    "refused with uafctl's words and no payload left, and sudo takes the password; then the package joins, and sudo asks",
    limit=3600,
)
def cloud(lab):
    code = lab.join_code()
    sample = (EXAMPLES / "cloud-init.yaml").read_text()
    good = sample.replace("PAYLOAD", code["payload"]).replace("--fingerprint FINGERPRINT", f"--fingerprint {code['fingerprint']}")
    must(good.count(code["payload"]) == 1 and good.count(code["fingerprint"]) == 1, "the example has other places")
    with lab.without_packages("cloud") as machine:
        bare(lab, machine)
        image(lab, machine)
        said = first_boot(machine, good.replace(code["fingerprint"], "0" * 64), 1)
        must("of a server with another fingerprint" in said, f"with another fingerprint: {said[-1500:]}")
        for path in (JOINED, KEPT):
            must(not machine.path(path).exists(), f"{path} is there after a refusal")
        must(LET_IN in scene.sudo(machine, "mina", PASSWORD).text, "after a refusal sudo does not take the password")
        said = first_boot(machine, good, 2)
        must(machine.path(JOINED).exists(), f"not joined: {said[-1500:]}")
        must(not machine.path(KEPT).exists(), "the payload is left")
        must(code["payload"] not in said, "the payload was printed")
        must("uaf-rescue" in machine.says("id", "otto"), "otto is not in uaf-rescue")
        asks(lab, machine)
        return "refused with words; then the package was installed, the machine joined, and sudo asked"
