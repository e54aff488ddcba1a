"""The addresses in the machine's network that a server makes a login contact."""

import json

from attack.rows.network import count_connections
from lab import forger
from lab.table import must, row


def naming(app_id):
    """A proxy whose requests name its own AppID."""

    def reply(request):
        status, said = forger.ask(request.path, request.body)
        outer = json.loads(said)
        messages = json.loads(outer["uafRequest"])
        for message in messages:
            message["header"]["appID"] = app_id
        outer["uafRequest"] = json.dumps(messages)
        return forger.answer(json.dumps(outer), status=f"{status} as said")

    return reply


def leading(url, target):
    """The same, with an AppID at this server that redirects to a different address."""

    def reply(request):
        if request.path.endswith("/facets"):
            return forger.answer(b"", status="302 Found", more=f"Location: {target}\r\nFIDO-AppID-Redirect-Authorized: true\r\n")
        return naming(url)(request)

    return reply


@row(
    "A59",
    "a server whose AppID, or the way to it, names another port or address of the machine's network",
    "only the configured host and port are contacted, unless root lists more",
    causes=("the server",),
)
def reaching(lab):
    person = lab.person()
    port, visits = count_connections(lab)
    between = forger.Forger(lab, forger.passing, shown=forger.STOLEN)
    lab.configure(port=between.port)
    must(lab.login(person, person.passcode).is_in, "the server in between does not pass a login on")
    own = f"https://127.0.0.1:{between.port}/facets"
    tried = {
        "another port": naming(f"https://127.0.0.1:{port}/facets"),
        "a redirect to another port": leading(own, f"https://127.0.0.1:{port}/facets"),
        "another name": naming(f"https://localhost:{port}/facets"),
        "the port of ssh": naming("https://127.0.0.1:22/facets"),
    }
    knocked = {}
    for name, reply in tried.items():
        between.reply, before = reply, len(visits)
        login = lab.login(person, person.passcode)
        must(not login.is_in, f"{name}: let in: {login}")
        knocked[name] = len(visits) - before
    must(not any(knocked.values()), f"connections elsewhere: {knocked}")
    between.reply = leading(own, own)
    asked = len(between.heard)
    must(not lab.login(person, person.passcode).is_in, "an AppID that leads in a circle lets in")
    must(len(between.heard) - asked > 1, "the server's own AppID is not asked for: nothing is shown")
    return f"{', '.join(tried)}: refused, 0 connections; an AppID at the server's own port was asked for"
