"""The server's keys and certificate change, and reach the machines that have joined by check-in."""

import contextlib
import json

from lab.table import must, row
from lab.waiting import until
from machines import network
from machines.office import AUTHORITY, NAME, SERVER, join
from machines.rows.following import lets_in
from machines.rows.joining import first_sudo
from packages.machine import STEP


def _name(machine):
    return machine.says("hostname").strip()


def _check_in(machine):
    """Runs what the timer runs."""
    machine.run("systemctl", "start", "pam-uaf-checkin.service")


def _coming(lab):
    """What is going to be used, and who lacks it."""
    return [json.loads(line) for line in lab.says("keys", "status", "--json").splitlines()]


def _served(machine):
    """The fingerprint of the certificate that the server shows."""
    ask = f"openssl s_client -connect {NAME}:8443 </dev/null 2>/dev/null | openssl x509 -noout -fingerprint -sha256"
    return machine.says("sh", "-c", ask).strip()


@row(
    "M18",
    "the server's verdict key is rotated while one machine of five is off",
    "four learn the key by check-in, and the rotation is not finished before the fifth, which the refusal names; "
    "it comes back and learns the key; finished, all five log in with the new key",
)
def rotation(lab):
    payload = lab.join_code("--machines", "5")["payload"]
    with contextlib.ExitStack() as offices:
        machines = [offices.enter_context(lab.workstation()) for _ in range(5)]
        fifth = machines[-1]
        for machine in machines:
            join(machine, payload)
            first_sudo(lab, machine)
            enabled = machine.run("systemctl", "is-enabled", "pam-uaf-checkin.timer").stdout.strip()
            must(enabled == "enabled", f"the timer is {enabled}")
        names = {_name(machine) for machine in machines}
        lab.administer("keys", "rotate", "verdict")
        lab.server.run("systemctl", "reload", "uaf-server")
        (coming,) = _coming(lab)
        # Machines of earlier rows may have joined, too, and are gone.
        must(coming["lacking"] >= 5, f"right after the rotation: {coming}")
        network.unplug(fifth, fifth.number)
        for machine in machines[:4]:
            _check_in(machine)
            status = json.loads(machine.says("uafctl", "status", "mina", "--json").splitlines()[-1])
            must(status["announced"]["verdictKeys"] == [coming["name"]], f"{_name(machine)}: {status.get('announced')}")
            # Doctor finds the same in the timer's service as for root.
            found = lab.machines()[_name(machine)].get("failures")
            machine.run("uafctl", "check-in", "--doctor")
            own = lab.machines()[_name(machine)].get("failures")
            must(found is not None and found == own, f"{_name(machine)}: the timer found {found}, and root {own}")
        away = fifth.run("systemctl", "start", "pam-uaf-checkin.service", check=False)
        must(away.returncode != 0, "a machine without network checks in")
        for gone in lab.machines().values():
            if gone.get("name") not in names and "left" not in gone:
                lab.administer("revoke", "--device", gone["device"], "--reason", "a machine of another row")
        refused = lab.administer("keys", "finish", "verdict", check=False)
        said = f"1 joined machine seen in the last 30 days lacks verdict key {coming['name']}: {_name(fifth)}."
        must(refused.returncode == 1 and said in refused.stdout, f"finished too early: {refused.stdout}")
        must(all(lets_in(machine) for machine in machines[:4]), "after the refusal, sudo does not let in")
        network.plug(fifth, fifth.number)
        until(lambda: fifth.run("systemctl", "start", "pam-uaf-checkin.service", check=False).returncode == 0, "check-in")
        lab.administer("keys", "finish", "verdict")
        lab.server.run("systemctl", "reload", "uaf-server")

        def is_used():
            return (
                f"verdict {coming['name']} in-use"
                in lab.server.run("journalctl", "--quiet", "-u", "uaf-server", "-n", "40").stdout
            )

        until(is_used, "the new key in the server's log", seconds=STEP)
        for machine in machines:
            must(lets_in(machine), f"{_name(machine)}: sudo does not let in after the rotation")
        must(not _coming(lab), "something is still to come")
        return f"finish refused: {said}; after it came back, all five log in with key {coming['name']}"


@row(
    "M19",
    "the server's certificate is renewed, and then replaced by one of a different authority",
    "systemctl reload serves the renewed one, and goes on serving it when the files are broken; the other authority's is refused "
    "until machines know the authority, and then they log in",
)
def authority(lab):
    made = "/root/authority"
    new = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")

    def issue(ca, days="90"):
        lab.server.run(
            *new, "-days", days, "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-addext",
            "basicConstraints=critical,CA:FALSE", "-CA", f"{made}/{ca}.pem", "-CAkey", f"{made}/{ca}.key",
            "-keyout", "/root/next.key", "-out", "/root/next.pem",
        )  # fmt: skip
        lab.server.run("install", "-m", "0600", "/root/next.key", "/etc/uaf-server/key.pem")
        lab.server.run("install", "-m", "0600", "/root/next.pem", "/etc/uaf-server/certificate.pem")

    def reload():
        lab.server.run("systemctl", "reload", "uaf-server")

    def shows(other, than):
        until(lambda: (_served(lab.server) != than) == other, "the certificate after a reload", seconds=STEP)

    with lab.workstation() as machine:
        join(machine, lab.join_code()["payload"])
        first_sudo(lab, machine)
        process = lab.server.run("systemctl", "show", "--value", "--property", "MainPID", "uaf-server").stdout
        first = _served(lab.server)
        issue("ca")
        reload()
        shows(True, first)
        renewed = _served(lab.server)
        lab.server.write("/etc/uaf-server/certificate.pem", "broken\n", 0o600)
        reload()

        def is_refused():
            return "certificates-not-read" in lab.server.run("journalctl", "--quiet", "-u", "uaf-server", "-n", "20").stdout

        until(is_refused, "the refusal in the log", seconds=STEP)
        must(_served(lab.server) == renewed and lets_in(machine), "a broken certificate is served")
        # Without a certificate to copy, the reload still reads new keys.
        lab.server.run("rm", "/etc/uaf-server/certificate.pem")
        (coming,) = [
            key["id"]
            for key in map(json.loads, lab.says("keys", "rotate", "secret", "--json").splitlines())
            if (key["kind"], key["use"]) == ("secret", "to-come")
        ]
        reload()
        until(
            lambda: f"secret {coming} to-come" in lab.server.run("journalctl", "--quiet", "-u", "uaf-server", "-n", "20").stdout,
            "the new secret in the log of a reload without a certificate",
            seconds=STEP,
        )
        must(_served(lab.server) == renewed and lets_in(machine), "a reload without a certificate ends the one in use")
        lab.server.run(
            *new, "-days", "3650", "-subj", "/CN=Next authority", "-keyout", f"{made}/next.key", "-out", f"{made}/next.pem"
        )
        lab.server.run("install", "-m", "0644", f"{made}/next.pem", "/etc/uaf-server/next.pem")
        lab.administer("authority", "announce", "/etc/uaf-server/next.pem")
        fingerprint = _coming(lab)[0]["name"]
        issue("next")
        reload()
        until(
            lambda: fingerprint in lab.server.run("journalctl", "--quiet", "-u", "uaf-server", "-n", "20").stdout,
            "the refusal of a certificate whose authority machines lack",
            seconds=STEP,
        )
        must(_served(lab.server) == renewed, "a certificate that machines do not trust is served")
        must(lab.administer("authority", "finish", fingerprint, check=False).returncode == 1, "finished while a machine lacks it")
        _check_in(machine)
        for gone in lab.machines().values():
            if gone.get("name") != _name(machine) and "left" not in gone:
                lab.administer("revoke", "--device", gone["device"], "--reason", "a machine of another row")
        lab.administer("authority", "finish", fingerprint)
        reload()
        shows(True, renewed)
        must(lets_in(machine), f"sudo does not let in with the new authority at {SERVER}")
        now = lab.server.run("systemctl", "show", "--value", "--property", "MainPID", "uaf-server").stdout
        must(now == process, "the server was restarted")
        # Payloads of later rows must have the new authority.
        lab.server.run("install", "-D", "-m", "0644", f"{made}/next.pem", AUTHORITY)
        for name in ("key", "pem"):
            lab.server.run("cp", f"{made}/next.{name}", f"{made}/ca.{name}")
        return "renewed and replaced by reload, in one process; a broken one, and one that machines lack, were refused"
