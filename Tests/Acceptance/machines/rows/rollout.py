"""examples/ansible and examples/cloud-init.yaml, by Debian's ansible-core and cloud-init."""

import json
import pathlib
import re
import subprocess

from lab.table import must, row
from lab.waiting import until
from machines.office import DROP_INS, NAME, PORT, join
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


def control_of(lab, control, managed, host, group, package):
    """Has the control machine reach another one by ssh, and installs the collection there, as its README.md says."""
    lab.equip(control, "control")
    lab.equip(managed, "managed")
    control.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "/root/.ssh/id_ed25519")
    managed.run("install", "-d", "-m", "0700", "/root/.ssh")
    managed.write("/root/.ssh/authorized_keys", control.read("/root/.ssh/id_ed25519.pub"), 0o600)
    control.run("mkdir", "-p", f"{PLACE}/files")
    subprocess.run(["cp", "-R", EXAMPLES / "ansible", control.path("/root/collection")], check=True)
    control.run("ansible-galaxy", "collection", "build", "--output-path", "/root/built", "/root/collection", HOME="/root")
    control.run("sh", "-c", "ansible-galaxy collection install --offline /root/built/*.tar.gz", HOME="/root")
    control.bring(lab.archives[package], f"{PLACE}/files/{package}.deb")
    address = f"10.77.0.{managed.number}"
    control.write(f"{PLACE}/inventory", f"[{group}]\n{host} ansible_host={address} ansible_user=root\n")
    control.write("/root/.ssh/config", "Host *\n  StrictHostKeyChecking accept-new\n", 0o600)
    control.write(VAULT, "of-the-row\n", 0o600)


def play(control, playbook, host, *options):
    """Runs a playbook of the collection; returns its output, and the counts of its recap for the host."""
    command = f"cd {PLACE} && exec ansible-playbook -v -i inventory --vault-password-file {VAULT} pam_uaf.fleet.{playbook} "
    # By default ssh gives up after 10 seconds, which may be too short on a busy machine.
    settings = {"HOME": "/root", "ANSIBLE_NOCOLOR": "1", "ANSIBLE_TIMEOUT": "120"}
    result = control.run("sh", "-c", command + " ".join(options), check=False, limit=900, **settings)
    recap = re.search(rf"^{host} +: (.*)$", result.stdout, re.MULTILINE)
    must(recap, f"no recap: {result.stdout[-1500:]}")
    counts = recap[1] if recap else ""
    return result.stdout, {name: int(count) for name, count in re.findall(r"(\w+)=(\d+)", counts)}


def give(control, group, secrets, **variables):
    """An administrator's files next to the inventory: the secrets in a vault, the rest in plain text."""
    folder = f"{PLACE}/group_vars/{group}"
    control.run("mkdir", "-p", folder)
    control.write(f"{folder}/secrets.yml", json.dumps(secrets), 0o600)
    control.run("ansible-vault", "encrypt", "--vault-password-file", VAULT, f"{folder}/secrets.yml", HOME="/root")
    control.write(f"{folder}/plain.yml", json.dumps(variables))


def played(control, playbook, host, secret, *options, fails=None, says=None):
    """Runs the playbook, and returns how many tasks have changed something; checks that the output contains no secret."""
    said, counts = play(control, playbook, host, *options)
    must(secret not in said and secret[:60] not in said, "a secret was printed")
    must((counts["failed"] > 0) == (fails is not None), f"{counts}: {said[-1500:]}")
    for text in (fails, says):
        must(text is None or text in said, f"{text!r} is not said: {said[-1500:]}")
    return counts["changed"]


@row(
    "M7",
    "the collection of examples/ansible, built and installed by ansible-core, joins a workstation over ssh: with --check on a "
    "machine that has nothing, with a rescuer without an account, with the fingerprint of another server, with an expired "
    "payload, right, again; absent, again",
    "--check says what it would do, and does nothing; refused with words and no payload left; joined, and sudo asks; the second "
    "run changes nothing; it leaves",
    limit=3600,
)
def ansible(lab):
    code = lab.join_code("--machines", "2")
    with lab.without_packages("control") as control, lab.without_packages("desk") as desk:
        bare(lab, desk)
        control_of(lab, control, desk, "desk", "workstations", "libpam-uaf")
        wanted = {
            "pam_uaf_package_file": f"{PLACE}/files/libpam-uaf.deb", "pam_uaf_fingerprint": "0" * 64,
            "pam_uaf_rescuers": ["otto"], "pam_uaf_services": [{"name": "sudo", "shape": "instead"}],
        }  # fmt: skip

        def giving(payload):
            give(control, "workstations", {"pam_uaf_payload": payload}, **wanted)

        def playing(*options, **expected):
            return played(control, "workstations", "desk", code["payload"], *options, **expected)

        giving(code["payload"])
        must(playing("--check", "-e", "pam_uaf_state=absent") == 0, "--check says of a new machine that it would leave")
        must(playing("--check", says="have them ask: sudo") > 0, "--check says of a new machine that nothing would change")
        must(
            not desk.path("/usr/bin/uafctl").exists() and "uaf-rescue" not in desk.read("/etc/group"),
            "--check has changed something",
        )
        playing("-e", '\'{"pam_uaf_rescuers": ["nobody-here"]}\'', fails="nobody-here of pam_uaf_rescuers has no account")
        no_day = '\'{"pam_uaf_services": [{"name": "sudo", "until": "31.01.2027"}]}\''
        playing("-e", no_day, fails="until of sudo in pam_uaf_services must be a day")
        playing("-e", '\'{"pam_uaf_state": "gone"}\'', fails="value of pam_uaf_state must be one of")
        playing(fails="of a server with another fingerprint")
        wanted["pam_uaf_fingerprint"] = code["fingerprint"]
        giving(changed(code["payload"], expires=1))
        playing(fails="The machine payload has expired.")
        giving("")
        playing(fails="this machine has joined no server: set pam_uaf_payload")
        for path in (JOINED, KEPT):
            must(not desk.path(path).exists(), f"{path} is there after refusals")
        must(LET_IN in scene.sudo(desk, "mina", PASSWORD).text, "after refusals sudo does not take the password")
        giving(code["payload"])
        must(playing("--check") > 0, "--check says that a machine that has not joined would not change")
        must(not desk.path(JOINED).exists() and not desk.path(KEPT).exists(), "--check has joined, or left a payload")
        playing(fails="not registered on this machine, and refused from then on: mina")
        must(desk.path(JOINED).exists(), "not joined")
        must(LET_IN in scene.sudo(desk, "mina", PASSWORD).text, "mina has not registered, and lost sudo")
        playing("--check", says="not registered on this machine, and refused from then on: mina")
        first = playing("-e", "'{\"pam_uaf_anyway\": true}'")
        must(desk.path(JOINED).exists() and not desk.path(KEPT).exists(), "not joined, or the payload is left")
        must("uaf-rescue" in desk.says("id", "otto"), "otto is not in uaf-rescue")
        asks(lab, desk)
        must(playing() == 0, "the second run has changed something")
        giving("")
        must(playing("--check") == 0, "without the payload, and with --check, it would change something")
        gone = playing("-e", "pam_uaf_state=absent")
        must(gone and not desk.path(JOINED).exists(), "it has not left")
        must(lab.machines()[desk.says("hostname").strip()].get("left"), "the server does not know that it left")
        must(LET_IN in scene.sudo(desk, "mina", PASSWORD).text, "it has left, and sudo does not take the password")
        must(playing("-e", "pam_uaf_state=absent") == 0, "leaving again has changed something")
        return f"seven refused with words; {first} changes, then 0, and sudo asked; left with {gone} changes, then 0"


# --- Ansible's role of the server

SERVES, PAYLOAD = f"https://{NAME}:{PORT}", "/root/uaf-server.payload"


def certified(control):
    """A certificate of the organisation's authority for the control machine's files, another one each time."""
    files = f"{PLACE}/files"
    new = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    if not control.path(f"{files}/ca.key").exists():
        control.run(
            *new, "-days", "3650", "-subj", "/CN=Example authority", "-keyout", f"{files}/ca.key", "-out", f"{files}/ca.pem"
        )
    control.run(
        *new, "-days", "90", "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
        "-addext", "basicConstraints=critical,CA:FALSE", "-CA", f"{files}/ca.pem", "-CAkey", f"{files}/ca.key",
        "-keyout", f"{files}/key.pem", "-out", f"{files}/certificate.pem",
    )  # fmt: skip
    control.run("ansible-vault", "encrypt", "--vault-password-file", VAULT, f"{files}/key.pem", HOME="/root")


def served(machine):
    """The certificate that the server shows to those who connect."""
    command = f"openssl s_client -connect 127.0.0.1:{PORT} -servername {NAME} </dev/null 2>/dev/null | openssl x509"
    return machine.run("sh", "-c", command).stdout


@row(
    "M16",
    "the collection's role uaf_server: with --check on a machine that has nothing, without a certificate, right, again; the "
    "first administrator registers; with another certificate, with another public URL",
    "--check says what it would do, and does nothing; refused by name; it serves, and the second run changes nothing; the "
    "payload is root's alone, and gone when the person has the role; the new certificate is shown; another URL is refused",
    limit=3600,
)
def server_role(lab):
    with lab.without_packages("control") as control, lab.without_packages("server") as server, lab.workstation() as desk:
        control_of(lab, control, server, "server", "uaf_servers", "uaf-server")
        own = server.says("hostname").strip()
        server.write("/etc/hosts", f"127.0.0.1 localhost {own} {NAME}\n")
        certified(control)
        wanted = {
            "uaf_server_package_file": f"{PLACE}/files/uaf-server.deb", "uaf_server_listen": f"0.0.0.0:{PORT}",
            "uaf_server_public_url": SERVES, "uaf_server_first_administrator": "mina",
        }  # fmt: skip

        def playing(*options, **expected):
            return played(control, "server", "server", "BEGIN PRIVATE KEY", *options, **expected)

        wanted |= {
            "uaf_server_certificate": f"{PLACE}/files/certificate.pem",
            "uaf_server_certificate_key": f"{PLACE}/files/key.pem",
        }
        give(control, "uaf_servers", {}, **wanted)
        must(
            playing("--check", "--diff", says="enrol the first administrator: mina") > 0, "--check says that nothing would change"
        )
        there = [path for path in ("/usr/bin/uaf-server", "/etc/default/uaf-server", PAYLOAD) if server.path(path).exists()]
        must(not there, f"--check has made {there}")
        playing("-e", "uaf_server_store=mysql://db/uaf", fails="uaf_server_store is a URL, postgresql://USER@HOST/DATABASE")
        without = ("-e", "uaf_server_certificate=", "-e", "uaf_server_certificate_key=")
        playing(*without, fails="certificate.pem or key.pem is missing in /etc/uaf-server")
        must(server.run("systemctl", "is-active", "uaf-server", check=False).returncode != 0, "it runs without a certificate")
        first = playing(says=f"{PAYLOAD} on server lets mina register")
        must(server.says("stat", "-c", "%a %U", PAYLOAD).split() == ["600", "root"], "others can read the payload")
        must(server.says("stat", "-c", "%a %U", "/etc/uaf-server/key.pem").split() == ["600", "root"], "others can read the key")
        before = server.read(PAYLOAD)
        must(playing() == 0, "the second run has changed something")
        must(playing("--check") == 0, "after it, --check would change something")
        must(server.read(PAYLOAD) == before, "the second run has made another payload")
        process = server.says("systemctl", "show", "--value", "--property=MainPID", "uaf-server")

        desk.write("/etc/hosts", f"127.0.0.1 localhost {desk.says('hostname').strip()}\n10.77.0.{server.number} {NAME}\n")
        server.write("/root/ca.pem", control.read(f"{PLACE}/files/ca.pem"))
        code = json.loads(server.says("uaf-server", "join-code", "create", "--json", "--authority", "/root/ca.pem"))
        join(desk, code["payload"])
        desk.write("/home/mina/code", before, 0o600)
        desk.run("chown", "mina", "/home/mina/code")
        register = ("runuser", "-u", "mina", "--", "uafctl", "register", "passcode", "--code", "/home/mina/code")
        desk.run(*register, answers=f"{PASSCODE}\n{PASSCODE}\n")
        must(playing() == 2, "with a registered person, the role is not given, or the payload not removed")
        administrators = server.says("uaf-server", "admin", "list", "--json")
        must(
            '"administrator"' in administrators and not server.path(PAYLOAD).exists(), f"{administrators}, or the payload is left"
        )
        must(playing() == 0, "with an administrator, it has changed something")

        certified(control)
        must(playing() > 0, "another certificate has changed nothing")
        must(served(server).strip() == control.read(f"{PLACE}/files/certificate.pem").strip(), "the old certificate is shown")
        renewed = server.says("systemctl", "show", "--value", "--property=MainPID", "uaf-server") == process
        must(playing() == 0, "with the same certificate, it has changed something")
        for name in ("certificate", "key"):
            server.run("cp", f"/etc/uaf-server/{name}.pem", f"/root/live-{name}.pem")
        wanted |= {"uaf_server_certificate": "/root/live-certificate.pem", "uaf_server_certificate_key": "/root/live-key.pem"}
        give(control, "uaf_servers", {}, **wanted, uaf_server_certificate_is_remote=True)
        must(playing() == 0, "with the same certificate on the server, it has changed something")
        server.run("sh", "-c", "echo >>/root/live-certificate.pem")
        must(playing() > 0 and playing() == 0, "with a certificate renewed on the server, nothing or too much has changed")
        playing("-e", "uaf_server_public_url=https://other.example", fails=f"was started with the public URL {SERVES}")
        must(SERVES in server.read("/etc/default/uaf-server"), "after a refusal, the options are others")
        how = "reloaded" if renewed else "started anew"
        return f"{first} changes, then 0; mina registered and has the role; renewed: {how}; three refused with words"


@row(
    "M17",
    "the collection's role uaf_server with PostgreSQL: a password in the URL; its own file; again; without it",
    "refused by name; the password is in no command line and in no file that others can read; the second run changes nothing; "
    "back to SQLite is refused",
    limit=3600,
)
def server_role_with_database(lab):
    with lab.without_packages("control") as control, lab.without_packages("server") as server:
        control_of(lab, control, server, "server", "uaf_servers", "uaf-server")
        lab.equip(server, "database")
        secret = "of-the-database-77"
        make = f"CREATE ROLE uaf_server LOGIN PASSWORD '{secret}'"
        create = "CREATE DATABASE uaf OWNER uaf_server ENCODING 'UTF8' TEMPLATE template0"
        until(
            lambda: server.run("runuser", "-u", "postgres", "--", "psql", "-c", "SELECT 1", check=False).returncode == 0,
            "PostgreSQL",
        )
        server.run("runuser", "-u", "postgres", "--", "psql", "-q", "-c", make, "-c", create)
        certified(control)
        wanted = {
            "uaf_server_package_file": f"{PLACE}/files/uaf-server.deb", "uaf_server_listen": f"0.0.0.0:{PORT}",
            "uaf_server_public_url": SERVES, "uaf_server_store": "postgresql://uaf_server@127.0.0.1/uaf",
            "uaf_server_certificate": f"{PLACE}/files/certificate.pem", "uaf_server_certificate_key": f"{PLACE}/files/key.pem",
        }  # fmt: skip

        def playing(*options, **expected):
            return played(control, "server", "server", secret, *options, **expected)

        give(control, "uaf_servers", {"uaf_server_store": f"postgresql://uaf_server:{secret}@127.0.0.1/uaf"}, **wanted)
        control.run("rm", f"{PLACE}/group_vars/uaf_servers/plain.yml")
        for name, value in wanted.items():
            if name != "uaf_server_store":
                control.run("sh", "-c", f"echo '{name}: {value}' >>{PLACE}/group_vars/uaf_servers/plain.yml")
        playing(fails="without a password: everybody on the machine can read it")
        must(not server.path("/usr/bin/uaf-server").exists(), "refused, and installed all the same")
        give(control, "uaf_servers", {"uaf_server_store_password": secret}, **wanted)
        must(playing("--check") > 0, "--check says of a new machine that nothing would change")
        first = playing()
        look = "for file in /proc/[0-9]*/cmdline /proc/[0-9]*/environ; do tr '\\0' ' ' <$file; done 2>/dev/null"
        must(secret not in server.run("sh", "-c", look).stdout, "a process has the password in its command line or environment")
        readable = server.run("grep", "-rlF", secret, "/etc", check=False).stdout.split()
        must(readable == ["/etc/uaf-server/store.password"], f"the password is in {readable}")
        must(server.says("stat", "-c", "%a %U", *readable).split() == ["600", "root"], "others can read the password")
        ready = server.says(
            "runuser", "-u", "postgres", "--", "psql", "-At", "uaf", "-c", "SELECT count(*) > 0 FROM uaf.migration"
        )
        must(ready.strip() == "t", "the database has no tables")
        must(playing() == 0, "the second run has changed something")
        give(control, "uaf_servers", {}, **{name: value for name, value in wanted.items() if name != "uaf_server_store"})
        playing(fails="the store postgresql://uaf_server@127.0.0.1/uaf")
        return f"{first} changes, then 0; the password is root's alone"


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
