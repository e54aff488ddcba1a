"""Workstations of a fleet, played by an independent client."""

import json
import pathlib
import tempfile

from fleet.server import URL
from fleet.single import Single
from fleet.workstation import Workstation, decode
from lab.table import must, row

MACHINES = 50


def told(instance, *arguments):
    """The JSON objects that a command prints, one in each line."""
    return [json.loads(line) for line in instance.run(*arguments, "--json").stdout.splitlines()]


@row(
    "F25",
    "fifty workstations join, check in and take a policy at two instances; one answer is lost, one machine is copied",
    "both instances list what each told; each login without the server has one row; the copy is noticed; all have the policy",
    causes=("root", "the network"),
    limit=180,
)
def check_ins(lab):
    single = Single(lab)
    instances = single.serve()
    one, two = (lab.channel(instance) for instance in instances)
    person = lab.person(instances[0])
    line = instances[0].run("join-code", "create", "--server", URL, "--group", "lab", "--machines", MACHINES).stdout.strip()
    fleet = [Workstation(f"desk-{number}") for number in range(MACHINES)]
    for number, machine in enumerate(fleet):
        machine.join((one, two)[number % 2], line)
        must(machine.group == "lab", f"joined the group {machine.group}")
    late = {"v": 1, "code": json.loads(decode(line))["code"], "nonce": "A" * 22, "deviceID": "late"}
    status, answer = one.tell("/uaf/join", json.dumps(late).encode())
    must(status == 200 and answer == {"statusCode": 1491}, f"a machine too many: HTTP {status}, {answer}")
    for number, machine in enumerate(fleet):
        here, there = (one, two)[number % 2], (two, one)[number % 2]
        lock = {"account": person.name, "type": "passcode", "origin": "local", "until": 4_000_000_000}
        must(machine.check_in(there, locks=[lock] if number < 3 else [])[0] == 200, "the first report was refused")
        machine.let_in(person.name)
        machine.let_in(person.name, "su", is_forged=True)
        if number == 0:
            must(machine.check_in(here, loses_answer=True)[0] == 200, "the report whose answer was lost was refused")
        must(machine.check_in(here)[0] == 200, "the second report was refused")
    copied = fleet[7].copy()
    must([copied.check_in(one)[0], fleet[7].check_in(two)[0]] == [200, 200], "a copy or its original was refused")
    body = b'{"v":1,"report":{"module":"1","nextMark":"AAAAAAAAAAAAAAAAAAAAAA"}}'
    proof = fleet[1].proof(body, bytes(16))
    seen = [one.tell("/uaf/machine", body + b" ", proof)[0], one.tell("/uaf/machine", body, None)[0]]
    must(seen == [403, 403], f"another body, and no proof: {seen}")
    follow(instances, fleet, (one, two))
    return listed(instances, fleet, seen)


def follow(instances, fleet, channels):
    """Saves a policy at the first instance; each machine receives it with its next report to either instance."""
    text = "[passcode]\nmin_length = 12\n"
    file = pathlib.Path(tempfile.mkdtemp()) / "lab.toml"
    file.write_text(text)
    for folder_or_file, mode in ((file.parent, 0o755), (file, 0o644)):
        folder_or_file.chmod(mode)
    instances[0].run("machine-policy", "set", file, "--group", "lab", "--reason", "longer passcodes")
    for number, machine in enumerate(fleet):
        must(machine.check_in(channels[number % 2])[0] == 200, "the report that asks for the policy was refused")
        said = {name: machine.policy.get(name) for name in ("machine", "group", "toml")}
        must(said == {"machine": machine.device, "group": "lab", "toml": text}, f"a policy for somebody else: {said}")
        had = machine.policy
        must(machine.check_in(channels[1 - number % 2])[0] == 200 and machine.policy is had, "the policy came twice")


def listed(instances, fleet, seen):
    """Both instances' lists of the machines, and the audit's rows."""
    for instance in instances:
        machines = {machine["device"]: machine for machine in told(instance, "machines") if machine.get("group") == "lab"}
        must(len(machines) == MACHINES, f"{len(machines)} machines")
        must(all(machine["module"] == "1.0" for machine in machines.values()), "not what was told")
        versions = {machine.get("policy") for machine in machines.values()}
        must(versions == {fleet[0].policy["version"]}, f"versions of the policy: {versions}")
        copies = [device for device, machine in machines.items() if "copySeen" in machine]
        must(copies == [fleet[7].device], f"taken for copies: {copies}")
    rows = [json.loads(line) for line in instances[1].run("audit", "export", "--after", "0").stdout.splitlines()]
    logins = [json.loads(entry["detail"]) for entry in rows if entry["kind"] == "offline-login"]
    must(len(logins) == 2 * MACHINES, f"{len(logins)} rows of logins without the server")
    verified = sum(login["verified"] for login in logins)
    # The secret of a join proves no account's logins: no account has a key on these machines.
    must(verified == 0, f"{verified} logins count for an account without a key on the machine")
    must(sum(entry["kind"] == "machine-copied" for entry in rows) == 1, "the copy has no row, or several")
    instances[0].run("audit", "verify")
    told_of = f"{len(logins)} logins have rows and count for nobody; 1 copy seen; all follow policy {versions.pop()}"
    return f"{MACHINES} joined, listed at both; {told_of}; refused {seen}"
