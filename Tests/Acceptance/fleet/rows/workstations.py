"""Workstations of a fleet, by a client of their own."""

import json

from fleet.server import URL
from fleet.single import Single
from fleet.workstation import Workstation, decode
from lab.table import must, row

MACHINES = 50


def told(instance, *arguments):
    """What a command prints as JSON, one object a line."""
    return [json.loads(line) for line in instance.run(*arguments, "--json").stdout.splitlines()]


@row(
    "F25",
    "fifty workstations join and check in at two instances of one store; one answer is lost, one machine is copied",
    "both instances list what each told; each login without the server has one row; the copy is noticed, and refused nothing",
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
    return listed(instances, fleet, seen)


def listed(instances, fleet, seen):
    """What both instances say of the machines, and what the audit has."""
    for instance in instances:
        machines = {machine["device"]: machine for machine in told(instance, "machines")}
        must(len(machines) == MACHINES, f"{len(machines)} machines")
        must(all(machine["module"] == "1.0" and machine["group"] == "lab" for machine in machines.values()), "not what was told")
        copies = [device for device, machine in machines.items() if "copySeen" in machine]
        must(copies == [fleet[7].device], f"taken for copies: {copies}")
    rows = [json.loads(line) for line in instances[1].run("audit", "export", "--after", "0").stdout.splitlines()]
    logins = [json.loads(entry["detail"]) for entry in rows if entry["kind"] == "offline-login"]
    must(len(logins) == 2 * MACHINES, f"{len(logins)} rows of logins without the server")
    verified = sum(login["verified"] for login in logins)
    must(verified == MACHINES, f"{verified} logins count as verified")
    must(sum(entry["kind"] == "machine-copied" for entry in rows) == 1, "the copy has no row, or several")
    instances[0].run("audit", "verify")
    return f"{MACHINES} joined, listed at both; {len(logins)} logins have rows, {verified} verified; 1 copy seen; refused {seen}"
