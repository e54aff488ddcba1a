"""Workstations join a server, log in with it, and leave."""

import base64
import json

from lab.table import must, row
from machines import network
from machines.office import DROP_INS, SERVER, configuration, join, unchanged
from packages import scene
from packages.scene import LET_IN, PASSCODE

FILES = [f"{DROP_INS}/50-server{end}" for end in ("-ca.pem", "-verdict.pem", ".conf")]


def first_sudo(lab, machine, person="mina"):
    """Registers on a workstation that has joined, has sudo ask, and logs in."""
    lab.enrol(person, machine, "mina")
    scene.rescuer(machine, "otto")
    machine.run("uafctl", "pam", "enable", "sudo")
    session = scene.sudo(machine, "mina", PASSCODE)
    must(LET_IN in session.text, f"sudo does not let in: {session.text!r}")
    must(LET_IN not in scene.sudo(machine, "mina", "wrong-guess-1").text, "sudo lets in with a wrong passcode")


def changed(payload, **members):
    """A payload with changed members, as its holder could forge it."""
    document = json.loads(base64.urlsafe_b64decode(payload + "=="))
    document.update(members)
    return base64.urlsafe_b64encode(json.dumps(document).encode()).decode().rstrip("=")


@row(
    "M1",
    "two workstations join with one payload, mina registers and uses sudo on both; a third wants to",
    "both are known at the server with their group, and sudo asks for the passcode; the third is refused, and as it was",
)
def two_of_two(lab):
    code = lab.join_code("--machines", "2", "--group", "desks")
    names = []
    for number in (1, 2):
        with lab.workstation() as machine:
            said = json.loads(join(machine, code["payload"], "--json", "--fingerprint", code["fingerprint"]).stdout)
            must(said["server"] == SERVER and said["group"] == "desks" and said["fingerprint"] == code["fingerprint"], said)
            must(all(machine.path(path).exists() for path in FILES), "a file is missing")
            names.append(machine.says("hostname").strip())
            first_sudo(lab, machine, "mina")
            must(lab.machines()[names[-1]].get("group") == "desks", lab.machines())
            again = join(machine, code["payload"], check=False)
            must(again.returncode == 0, f"joining again with the same payload: {again.stdout}")
        must(len(set(names)) == number, names)
    with lab.workstation() as machine:
        before = configuration(machine)
        refused = join(machine, code["payload"], check=False)
        must(refused.returncode == 1 and "limit of machines" in refused.stdout, refused.stdout)
        unchanged(machine, before, "a payload that is used up")
    return f"{', '.join(names)} joined and let mina in; the third one was told that the payload is used up"


def wrong_payloads(lab):
    """Payloads that join nothing: what is wrong, the line, options, and what the workstation says."""
    good = lab.join_code("--machines", "9")
    closed = lab.join_code()
    lab.administer("join-code", "close", str(closed["number"]))
    payload = good["payload"]
    return [
        ("cut", payload[:-40], (), "this is not a machine payload"),
        ("no payload", "eyJ2IjoxfQ", (), "this is not a machine payload"),
        ("expired", changed(payload, expires=1), (), "The machine payload has expired."),
        ("closed", closed["payload"], (), "The server does not accept the join code"),
        ("a code that nobody issued", changed(payload, code="A" * 32), (), "The server does not accept the join code"),
        ("another group", payload, ("--group", "lab"), "the payload is for the group default"),
        ("another server", payload, ("--fingerprint", "0" * 64), "of a server with another fingerprint"),
        ("another key of verdicts", changed(payload, verdictKeys=OTHER_KEY), (), "The server's reply is not signed with the key"),
        ("no such host", changed(payload, server="https://nowhere.example:8443"), (), ""),
        ("another authority", changed(payload, ca=None), (), ""),
        ("a person's code", lab.says("enrol", "otto").strip(), (), "this is an enrolment code, by which a person registers"),
    ]


OTHER_KEY = """-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt
6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q==
-----END PUBLIC KEY-----
"""


@row(
    "M2",
    "payloads that are cut, expired or closed, or are for another server, group, key or person",
    "each gets one line and a hint, and the machine is as it was; the good one joins afterwards",
)
def bad_payloads(lab):
    with lab.workstation() as machine:
        before, seen = configuration(machine), []
        for what, payload, options, text in wrong_payloads(lab):
            refused = join(machine, payload, *options, check=False)
            must(refused.returncode in (1, 2), f"{what}: {refused.returncode}: {refused.stdout}")
            lines = [line for line in refused.stdout.splitlines() if not line.startswith("hint: ")]
            must(len(lines) == 1 and text in lines[0], f"{what}: {refused.stdout}")
            unchanged(machine, before, what)
            seen.append(what)
        # The server accepted some of these codes before the machine rejected the server's answer. To the server, the machine has
        # joined.
        name = machine.says("hostname").strip()
        lab.administer("revoke", "--device", lab.machines()[name]["device"], "--reason", "did not believe the server")
        join(machine, lab.join_code()["payload"])
        return f"{len(seen)} refused: {', '.join(seen)}"


@row(
    "M3",
    "something of the machine prevents the join: another owner of a file, a wrong line, another server, no space, "
    "no network, no key",
    "each gets one line that names the file, and the machine stays as it was",
)
def in_the_way(lab):
    payload, seen = lab.join_code("--machines", "9")["payload"], []

    def refuse(machine, what, text):
        before = configuration(machine)
        refused = join(machine, payload, check=False)
        must(refused.returncode != 0 and text in refused.stdout, f"{what}: {refused.returncode} {refused.stdout}")
        unchanged(machine, before, what)
        seen.append(what)

    with lab.workstation() as machine:
        rules = f"{DROP_INS}/90-rules.conf"
        machine.write(rules, "[passcode]\nmin_length = 9\n")
        machine.run("chown", "mina", rules)
        refuse(machine, "a file of another owner", rules)
        machine.run("chown", "root", rules)
        machine.write(rules, "[passcode]\nmin = 9\n")
        refuse(machine, "a wrong line", f"{rules}:2")
        machine.path(rules).unlink()
        machine.write(f"{DROP_INS}/10-other.conf", "[server]\nrequest_url = 'https://o/uaf/get'\nresponse_url = 'https://o/r'\n")
        refuse(machine, "another server in the configuration", "names another server already: https://o/uaf/get")
        machine.path(f"{DROP_INS}/10-other.conf").unlink()
        network.unplug(machine, machine.number)
        refuse(machine, "no network", "")
        network.plug(machine, machine.number)
        # A folder in memory without room: for the files of the join, then for the state.
        for folder, text in (("/etc/security", "No space left on device"), ("/var/lib/pam-uaf", "No space left on device")):
            fill(machine, folder)
            refuse(machine, f"no room in {folder}", text)
            machine.run("umount", folder)
        machine.run("mv", "/var/lib/pam-uaf", "/var/lib/pam-uaf.away")
        refuse(machine, "no state", "")
        machine.run("mv", "/var/lib/pam-uaf.away", "/var/lib/pam-uaf")
        join(machine, payload)
        before = configuration(machine)
        elsewhere = join(machine, changed(payload, server="https://other.example:8443"), check=False)
        must(elsewhere.returncode == 2 and "has joined" in elsewhere.stdout, elsewhere.stdout)
        unchanged(machine, before, "a payload of another server")
        return f"{len(seen) + 1} refused: {', '.join(seen)}, joined elsewhere"


def fill(machine, folder):
    """Mounts a file system over a folder, with the folder's content and no space for more."""
    machine.run("sh", "-c", f"cp -a {folder} /run/copy && mount -t tmpfs -o size=256k,mode=755 full {folder}")
    machine.run("sh", "-c", f"cp -a /run/copy/. {folder}/ && chmod --reference=/run/copy {folder} && rm -rf /run/copy")
    machine.run("sh", "-c", f"cat /dev/zero >{folder}/.zeros", check=False)


@row(
    "M4",
    "a workstation leaves: while sudo asks, with the server there, with the server away, and never joined",
    "refused while sudo asks; files and secret go; the server shows that it left, or the machine says that it was not told",
)
def leaving(lab):
    with lab.workstation() as machine:
        must("has not joined a server" in machine.run("uafctl", "leave", check=False).stdout, "leaving what was never joined")
        before = configuration(machine)
        join(machine, lab.join_code()["payload"])
        name = machine.says("hostname").strip()
        first_sudo(lab, machine)
        refused = machine.run("uafctl", "leave", check=False)
        must(refused.returncode == 2 and "these services ask for the passcode" in refused.stdout, refused.stdout)
        must(LET_IN in scene.sudo(machine, "mina", PASSCODE).text, "after the refusal sudo does not let in")
        machine.run("uafctl", "pam", "disable", "sudo")
        must("Left the server." in machine.run("uafctl", "leave").stdout, "the server was not told")
        must(not any(machine.path(path).exists() for path in FILES), "a file is left")
        must("/var/lib/pam-uaf/machine.join" not in configuration(machine), "the secret is left")
        must(lab.machines()[name].get("left"), lab.machines()[name])
        join(machine, lab.join_code()["payload"])
        network.unplug(machine, machine.number)
        said = machine.run("uafctl", "leave").stdout
        must("The server was not told" in said, said)
        network.plug(machine, machine.number)
        # The server still knows the machine. It accepts a join under that name only from the machine itself, unless an
        # administrator revokes it.
        lab.administer("revoke", "--device", lab.machines()[name]["device"], "--reason", "left without the server")
        kept = {path for path in configuration(machine) if not path.startswith("/var/lib/pam-uaf")}
        must(kept == {path for path in before if not path.startswith("/var/lib/pam-uaf")}, kept)
        return "refused while sudo asks; left, and seen as left by the server; left without the server, and said so"


@row(
    "M5",
    "the package of a workstation that has joined is removed, and purged",
    "a removal keeps what the join wrote, a purge removes it",
)
def purged(lab):
    with lab.workstation() as machine:
        join(machine, lab.join_code()["payload"])
        machine.run("apt-get", "remove", "--yes", "libpam-uaf")
        must(all(machine.path(path).exists() for path in FILES), "the removal has removed a file")
        machine.run("apt-get", "purge", "--yes", "libpam-uaf")
        must(
            not machine.path(DROP_INS).exists(),
            sorted(machine.path(DROP_INS).iterdir() if machine.path(DROP_INS).exists() else []),
        )
        return "kept by the removal, removed by the purge"


@row(
    "M9",
    "a workstation of this release of Debian and one of the other join with one payload; mina registers on both, and uses sudo",
    "both are known at the server, and sudo asks on both; after one has left the other goes on",
)
def two_releases(lab):
    # Before anything else is created: the file may not exist.
    with lab.of_other_release() as other:
        code = lab.join_code("--machines", "2")
        with lab.workstation() as own:
            seen = []
            for machine in (other, own):
                join(machine, code["payload"], "--fingerprint", code["fingerprint"])
                first_sudo(lab, machine)
                seen.append(machine.says("sh", "-c", ". /etc/os-release && echo $VERSION_CODENAME").strip())
            names = [machine.says("hostname").strip() for machine in (other, own)]
            must(not set(names) - set(lab.machines()), f"{names} are not among {list(lab.machines())}")
            own.run("uafctl", "pam", "disable", "sudo")
            own.run("uafctl", "leave")
            must(LET_IN in scene.sudo(other, "mina", PASSCODE).text, "one has left, and sudo of the other does not let in")
            must(lab.machines()[names[1]].get("left") and not lab.machines()[names[0]].get("left"), lab.machines())
            return f"{seen[0]} and {seen[1]} joined, and sudo asked on both; {seen[0]} went on after {seen[1]} had left"
