"""One-time codes of the server, guessed by an attacker."""

import http.client
import json
import pathlib
import ssl

from attack.recorder import decode, encode, request
from lab import forger
from lab.table import must, row

FOLDER, PORT = "/srv/uaf-codes", 8457
WRONG = 200
UNAUTHORIZED = 1401


def wrong_codes(name, op):
    """Sends many requests with invented codes, without a key; returns their status codes."""
    context = ssl._create_unverified_context()
    connection = http.client.HTTPSConnection("127.0.0.1", PORT, timeout=30, context=context)
    statuses = set()
    for number in range(WRONG):
        said = {"authCode": f"{number:027}"} if op == "Auth" else {"codeProof": encode(number.to_bytes(32, "big"))}
        body = json.dumps({"op": op, "context": json.dumps({"username": name, **said})})
        status, said = forger.ask("/uaf/get", body, PORT, connection=connection)
        statuses.add(json.loads(said)["statusCode"] if status == 200 else status)
    connection.close()
    return statuses


def approval(lab, name):
    """The code of a text that waits for a person's confirmation."""
    said = lab.run("uaf-server", "approve", name, "--text", "Pay 10 to Hana", "--state", FOLDER).stdout
    return json.loads(decode(said.split()[0]))["authCode"]


@row(
    "A49",
    f"{WRONG} wrong codes for somebody's enrolment, and as many for a text that waits to be confirmed",
    "the right code works afterwards, and only once: somebody who does not know it cannot use any of it up",
    causes=("a local user", "somebody remote"),
)
def wrong_ones(lab):
    person = lab.person(registered=False)
    # How often one account may be asked for in a minute is a separate limit.
    server = lab.start_server(FOLDER, PORT, options=("--account-rate", "0"))
    lab.after(lambda: pathlib.Path("/etc/ssl/uaf-ca.pem").write_bytes(pathlib.Path("/srv/uaf/ca.pem").read_bytes()))
    lab.after(lambda: lab.stop(server))
    lab.configure(port=PORT)
    payload = lab.payload(person, FOLDER)
    statuses = wrong_codes(person.name, "Reg")
    must(statuses == {UNAUTHORIZED}, f"wrong codes got {statuses}")
    values = f"{person.passcode}\n{person.passcode}\n"
    result = lab.run("uafctl", "register", person.name, "--payload", payload, answers=values, check=False)
    must(result.returncode == 0, f"after {WRONG} wrong codes the right one: {result.stdout.strip()[-200:]}")
    must(lab.login(person, person.passcode).is_in, "registered, and not let in")
    again = lab.run("uafctl", "register", person.name, "--payload", payload, answers=values, check=False)
    must(again.returncode != 0, "the code worked twice")
    code = approval(lab, person.name)
    statuses = wrong_codes(person.name, "Auth")
    must(statuses == {UNAUTHORIZED}, f"wrong codes of an approval got {statuses}")
    message = request({"username": person.name, "authCode": code}, port=PORT)
    must(isinstance(message, dict) and "transaction" in message, f"the right code of an approval: {message}")
    return (
        f"{2 * WRONG} wrong codes, each status {UNAUTHORIZED}; then registered and let in with the right one, which did "
        "not work twice, and the text asked for with the other"
    )
