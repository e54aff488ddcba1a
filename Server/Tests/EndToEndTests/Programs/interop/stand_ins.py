"""Stand-ins for servers of others: stand_ins.py AAID FACETID

docs/servers-of-others.md describes three servers of other makers with which the client was tried, and one from its maker's
documents alone. A class here imitates each: it sends what that server sends, and omits what that server omits. Prints one line
of JSON that says where they listen. A line on standard input decides how they reply to right answers from then on; the program
prints the same line once it has taken effect. The program ends with its standard input.

    yes         as the server does
    no          with the server's refusal
    unmarked    without anything that says whether it is a success
    page        with an HTML page, as a proxy in front of the server does
    heard       as with yes; prints the number of requests so far instead of the line

    own     UAF 1.0, bare messages at its own addresses, and its own format for a success
    engine  UAF 1.0 at /fido/get and /fido/respond, requires a code
    newer   UAF 1.1 under application/json, adds a text to each login
    nevis   UAF 1.1 at the addresses of nevisFIDO, where a token is redeemed for a registration; it hears of no deregistration
"""

import http.server
import json
import os
import sys
import threading
import typing
import urllib.parse

import tls
import uaf

MODEL, FACET = sys.argv[1:3]
CODE = "stand-in-code"
LOCK = threading.Lock()
TOKEN = "b4b07559-f934-4597-a1c5-44d89f691e8f"
SAYS = {"word": "yes"}
HEARD = []


class StandIn:
    """The base of the three: accounts by name. None of the three distinguishes the machines of an account."""

    version: typing.ClassVar = {"major": 1, "minor": 0}
    kind = "application/json"
    text: str | None = None
    facets = ""

    def __init__(self, base, certificate):
        self.base, self.certificate = base, certificate
        self.accounts, self.open = {}, {}

    @property
    def app_id(self):
        return self.base + self.facets

    def header(self, op):
        return {"upv": self.version, "op": op, "appID": self.app_id, "serverData": uaf.encode(os.urandom(12)), "exts": None}

    def accepted(self, keys):
        return [[{"aaid": [MODEL], "keyIDs": [key["keyID"] for key in keys]}]]

    def disallowed(self):
        return []

    def registration(self, user, code):
        return self.asked(
            "Reg",
            user,
            {
                "username": user,
                "policy": {
                    "accepted": [[{"aaid": [MODEL], "vendorID": None, "keyIDs": None, "exts": None}]],
                    "disallowed": self.disallowed(),
                },
            },
        )

    def authentication(self, user):
        keys = self.accounts.get(user)
        uaf.check(keys, 1404, "no such account")
        text = self.text and [{"contentType": "text/plain", "content": uaf.encode(self.text.encode())}]
        return self.asked("Auth", user, {"transaction": text, "policy": {"accepted": self.accepted(keys), "disallowed": []}})

    def asked(self, op, user, fields):
        challenge = uaf.encode(os.urandom(32))
        self.open[challenge] = (op, user)
        return [{"header": self.header(op), "challenge": challenge, **fields}]

    def deregistration(self, user):
        """Deletes every key of the account, whichever machine has it."""
        keys = self.accounts.pop(user, None)
        uaf.check(keys, 1404, "no such account")
        return [{"header": self.header("Dereg"), "authenticators": self.order(keys)}]

    def order(self, keys):
        return [{"aaid": key["aaid"], "keyID": key["keyID"]} for key in keys]

    def respond(self, message):
        response = message[0]
        challenge = json.loads(uaf.decode(response["fcParams"]))["challenge"]
        uaf.check(challenge in self.open, 1491, "challenge")
        op, user = self.open.pop(challenge)
        uaf.check(response["header"]["upv"] == self.version, 1400, "version")
        uaf.check_final_challenge(response["fcParams"], self.app_id, challenge, [FACET], self.certificate)
        challenge_hash = uaf.final_challenge_hash(response["fcParams"])
        envelope = response["assertions"][0]
        if op == "Reg":
            key = uaf.check_registration(envelope, challenge_hash)
            uaf.check(SAYS["word"] != "no", 1496, "told to say no")
            self.accounts.setdefault(user, []).append(key)
        else:
            text = self.text and self.text.encode()
            key = uaf.check_authentication(envelope, challenge_hash, self.accounts.get(user, []), transaction=text)
            uaf.check(SAYS["word"] != "no", 1498, "told to say no")
        return key


class Own(StandIn):
    """Names no KeyIDs in a request for a login, and replies with lists."""

    facets = "/v1/public/uaf/facets"

    def accepted(self, keys):
        return [[{"aaid": [MODEL]}]]

    def get(self, path, query):
        place, user = path.removeprefix("/v1/public/").split("/")
        steps = {
            "regRequest": lambda: self.registration(user, None),
            "authRequest": lambda: self.authentication(user),
            "deregRequest": lambda: self.deregistration(user),
        }
        try:
            return steps[place]()
        except uaf.Refused as refused:
            return [{"statusCode": refused.status, "description": None}]

    def post(self, path, body):
        try:
            key = self.respond(body)
        except uaf.Refused:
            return [{"AAID": MODEL, "KeyID": None, "status": "ASSERTIONS_CHECK_FAILED"}]
        return [{"AAID": key["aaid"], "KeyID": key["keyID"], "status": "SUCCESS", "deviceId": None}]


class Engine(StandIn):
    """Lists every key of every account in `disallowed`, and writes out each member of a body."""

    kind = "application/fido+uaf"
    facets = "/fido/facets"

    def disallowed(self):
        return [{"aaid": [key["aaid"]], "keyIDs": [key["keyID"]]} for keys in self.accounts.values() for key in keys]

    def registration(self, user, code):
        uaf.check(code == CODE, 1401, "code")
        return super().registration(user, code)

    def question(self, body):
        context = json.loads(body["context"])
        user = context["username"]
        steps = {
            "Reg": lambda: self.registration(user, context.get("authCode")),
            "Auth": lambda: self.authentication(user),
            "Dereg": lambda: self.deregistration(user),
        }
        text = json.dumps(steps[body["op"]]())
        return {"statusCode": 1200, "uafRequest": text, "op": body["op"], "lifetimeMillis": None}

    def post(self, path, body):
        try:
            if path.endswith(self.ask):
                return self.question(body)
            self.respond(json.loads(body["uafResponse"]))
        except uaf.Refused as refused:
            return {"statusCode": refused.status, "description": None, "uafRequest": None}
        return {
            "statusCode": 1200,
            "description": "OK",
            "additionalTokens": None,
            "location": None,
            "postData": None,
            "newUAFRequest": None,
        }

    ask = "/get"


class Newer(Engine):
    """Adds a text to each login, and uses the wildcard of UAF 1.1 to have every key deleted."""

    version: typing.ClassVar = {"major": 1, "minor": 1}
    kind = "application/json"
    facets = "/uaf/1.1/facets"
    ask = "/request"
    text = "Sign in to example.com"

    def disallowed(self):
        return []

    def registration(self, user, code):
        return StandIn.registration(self, user, code)

    def order(self, keys):
        return [{"aaid": "", "keyID": ""}]


class Nevis(Engine):
    """Refuses a member, a header or an operation that its documents do not have: of the real server that is not known."""

    version: typing.ClassVar = {"major": 1, "minor": 1}
    facets = "/nevisfido/uaf/1.1/facets"

    def disallowed(self):
        return []

    def post(self, path, body, kinds=None):
        prefix, redeems = "/nevisfido/uaf/1.1/", "/nevisfido/token/redeem/registration"
        try:
            uaf.check(kinds == ("application/json" if path == redeems else self.kind, self.kind), 1400, str(kinds))
            if path == redeems:
                return self.redeem(body)
            if path == prefix + "request/authentication":
                uaf.check(body["op"] == "Auth" and set(json.loads(body["context"])) == {"username"}, 1400, "context")
                return self.question(body)
            uaf.check(path in (prefix + "registration", prefix + "authentication"), 1404, path)
            uaf.check("authCode" not in body.get("context", ""), 1400, "the token again")
            self.respond(json.loads(body["uafResponse"]))
        except uaf.Refused as refused:
            return {"statusCode": refused.status, "description": None}
        return {"statusCode": 1200}

    def redeem(self, body):
        """The test names the account after the token: the real server knows whose token it is."""
        token, _, user = body["token"].partition("_")
        uaf.check(set(body) == {"token"} and token == TOKEN and user, 1401, "token")
        text = json.dumps(StandIn.registration(self, user, None))
        return {"statusCode": 1200, "uafRequest": text, "op": "Reg", "lifetimeMillis": 60000}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    servers: typing.ClassVar = []

    def log_message(self, *_):
        pass

    def server_of(self, path):
        return next(server for prefix, server in self.servers if path.startswith(prefix))

    def answer(self, body, kind):
        body = json.dumps(body).encode()
        if SAYS["word"] == "page":
            body, kind = b"<html><body>Service Unavailable</body></html>", "text/html"
        self.send_response(200)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        server = self.server_of(path)
        if path == server.facets:
            listed = {"trustedFacets": [{"version": server.version, "ids": ["https://127.0.0.1", FACET]}]}
            return self.answer(listed, "application/fido.trusted-apps+json")
        with LOCK:
            body = server.get(urllib.parse.unquote(path), query)
        self.answer(body, server.kind)
        return None

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server_of(self.path)
        kinds = (self.headers["Content-Type"].split(";")[0], self.headers["Accept"])
        with LOCK:
            HEARD.append(self.path)
            if isinstance(server, Nevis):
                body = server.post(self.path, body, kinds)
            else:
                assert kinds[0] == server.kind, kinds
                body = server.post(self.path, body)
        if SAYS["word"] == "unmarked" and "uafRequest" not in body:
            body = {"description": "OK"}
        self.answer(body, server.kind)


def prepare(base, certificate):
    Handler.servers = [
        ("/v1/", Own(base, certificate)),
        ("/fido/", Engine(base, certificate)),
        ("/uaf/", Newer(base, certificate)),
        ("/nevisfido/", Nevis(base, certificate)),
    ]


def listen():
    for line in sys.stdin:
        word = line.strip()
        with LOCK:
            if word == "heard":
                word = str(len(HEARD))
            else:
                SAYS["word"] = word
        print(word, flush=True)


if __name__ == "__main__":
    tls.serve(Handler, prepare, listen)
