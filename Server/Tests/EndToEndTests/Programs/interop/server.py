"""A UAF server written from the specification, in both dialects over TLS: server.py AAID FACETID

Prints one line of JSON that says where it listens, and ends when its standard input ends. The first part of each path says
how it behaves: `honest`, or the name of a lie.

    POST /HOW/get, /HOW/respond            the transport specification's bodies
    GET  /HOW/reg/USER, /auth/, /dereg/    bare requests;  POST /HOW/reg, /HOW/auth  bare responses
"""

import http.server
import json
import os
import sys
import threading
import urllib.parse

import tls
import uaf

MODEL, FACET = sys.argv[1:3]
CODE = "interop-code"
LIST = "application/fido.trusted-apps+json"


class Store:
    """Accounts, and the requests that may still be answered."""

    def __init__(self, base, certificate):
        self.base, self.certificate = base, certificate
        self.accounts, self.open, self.lock = {}, {}, threading.Lock()

    # Requests

    def messages(self, how, op, fields, *, versions=((1, 0), (1, 1)), exts=()):
        app_id = {
            "redirected": "/moved",
            "unvouched": "/moved-unvouched",
            "unlisted": "/list-of-others",
            "untyped": "/list-untyped",
        }.get(how, "/facets")
        header = {"op": op, "appID": self.base + app_id, "serverData": uaf.encode(os.urandom(12))}
        if how == "foreign-app":
            header["appID"] = "https://10.255.255.1/facets"
        if how == "android-app":
            header["appID"] = "android:apk-key-hash:2jmj7l5rSw0yVb/vlWAYkK/YBwk"
        if how == "future":
            versions = ((2, 0),)
        if how == "demanding":
            exts = [{"id": "com.example.must", "data": "", "fail_if_unknown": True}]
        if how == "asking":
            exts = [{"id": "com.example.may", "data": "", "fail_if_unknown": False}]
        if how in ("verified", "verified-if-known"):
            exts = [{"id": "fido.uaf.uvm", "data": "", "fail_if_unknown": how == "verified"}]
        if exts:
            header["exts"] = list(exts)
        return [{"header": {**header, "upv": {"major": major, "minor": minor}}, **fields} for major, minor in versions]

    def request(self, how, op, user, context, round=0):
        keys = self.accounts.get(user, [])
        if op == "Dereg":
            wanted = context.get("deregisterAAID")
            uaf.check(wanted or context.get("deregisterAll"), 1400, "nothing is named")
            gone = [key for key in keys if wanted in (None, key["aaid"])]
            uaf.check(gone, 1481, "no key")
            if how == "honest":
                self.accounts[user] = [key for key in keys if key not in gone]
            names = [{"aaid": key["aaid"], "keyID": key["keyID"]} for key in gone]
            if how == "others-keys":
                names = [{"aaid": MODEL, "keyID": uaf.encode(os.urandom(32))}]
            if how == "old-wildcard":
                return self.messages(how, op, {"authenticators": [{"aaid": "", "keyID": ""}]}, versions=((1, 0),))
            if how == "wildcard":
                return self.messages(how, op, {"authenticators": [{"aaid": "", "keyID": ""}]}, versions=((1, 1),))
            return self.messages(how, op, {"authenticators": names})
        challenge = uaf.encode(os.urandom(7 if how == "short-challenge" else 32))
        held = {"aaid": [MODEL], "keyIDs": [key["keyID"] for key in keys]}
        if op == "Reg":
            uaf.check(context.get("authCode", CODE) == CODE, 1401, "code")
            policy: dict = {"accepted": [[{"aaid": [MODEL]}]]}
            if keys:
                policy["disallowed"] = [held]
            fields = {"challenge": challenge, "policy": policy, "username": user + "2" if how == "other-user" else user}
        else:
            uaf.check(keys, 1404, "no such account")
            if how == "other-keys":
                held["keyIDs"] = [uaf.encode(os.urandom(32))]
            fields = {"challenge": challenge, "policy": {"accepted": [[held]]}}
            if how == "slipped":
                fields["transaction"] = [{"contentType": "text/plain", "content": uaf.encode(b"pay 1000")}]
        said = {"other-op": "Dereg" if op == "Auth" else "Auth"}.get(how, op)
        messages = self.messages(how, said, fields)
        for message in messages:
            self.open[challenge] = (op, user, message["header"]["appID"], round)
        return messages

    # Responses

    def respond(self, message):
        """Checks a response as sections 3.4.6.5 and 3.5.7.5 of the UAF protocol 1.1 say; returns (op, user, key, round)."""
        uaf.check(isinstance(message, list) and len(message) == 1, 1400, "not one message")
        response = message[0]
        challenge = json.loads(uaf.decode(response["fcParams"]))["challenge"]
        uaf.check(challenge in self.open, 1491, "challenge")
        op, user, app_id, round = self.open.pop(challenge)
        header = response["header"]
        uaf.check(header["op"] == op and header["appID"] == app_id, 1400, "header")
        uaf.check(header["upv"] == {"major": 1, "minor": 1}, 1400, "the highest version is not the one that was chosen")
        uaf.check(header.get("serverData"), 1400, "serverData")
        uaf.check_final_challenge(response["fcParams"], app_id, challenge, [FACET], self.certificate)
        challenge_hash = uaf.final_challenge_hash(response["fcParams"])
        # The verification methods passcode in software, key and matcher in software: a client names them only if it was asked.
        asked = any(ext["id"] == "fido.uaf.uvm" for ext in header.get("exts", ()))
        verified = (4, 1, 1) if asked else None
        uaf.check(len(response["assertions"]) == 1, 1498, "assertions")
        envelope = response["assertions"][0]
        if op == "Reg":
            key = uaf.check_registration(envelope, challenge_hash, verified)
            uaf.check(key["aaid"] == MODEL, 1480, "AAID")
            known = [other["keyID"] for keys in self.accounts.values() for other in keys]
            uaf.check(key["keyID"] not in known, 1494, "KeyID is taken")
            self.accounts.setdefault(user, []).append(key)
        else:
            key = uaf.check_authentication(envelope, challenge_hash, self.accounts.get(user, []), verified=verified)
        return op, user, key, round


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: "Store"

    def log_message(self, *_):
        pass

    def answer(self, body, kind="application/json", status=200, headers=()):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def facets(self, ids, kind=LIST, headers=()):
        entries = [{"version": {"major": 1, "minor": minor}, "ids": ids} for minor in (0, 1)]
        self.answer({"trustedFacets": entries}, kind, headers=headers)

    def moved(self, *headers):
        self.answer(b"", "text/plain", 302, [("Location", "/facets"), *headers])

    def do_GET(self):
        lists = {
            "/facets": lambda: self.facets(["https://127.0.0.1/app", FACET], headers=[("Cache-Control", "max-age=60")]),
            "/list-of-others": lambda: self.facets([FACET + "2", "https://127.0.0.1"]),
            "/list-untyped": lambda: self.facets([FACET], "application/json"),
            "/moved": lambda: self.moved(("FIDO-AppID-Redirect-Authorized", "true")),
            "/moved-unvouched": self.moved,
        }
        if self.path in lists:
            return lists[self.path]()
        path, _, query = self.path.partition("?")
        how, op, user = [urllib.parse.unquote(part) for part in path.split("/")[1:]]
        parameters = dict(urllib.parse.parse_qsl(query))
        context = {"authCode": parameters.get("code", ""), "deregisterAAID": parameters.get("model")}
        self.guarded(
            how,
            lambda: self.plain_request(
                how,
                {"reg": "Reg", "auth": "Auth", "dereg": "Dereg"}[op],
                user,
                {name: text for name, text in context.items() if text},
            ),
        )
        return None

    def plain_request(self, how, op, user, context):
        messages = self.store.request(how, op, user, context)
        if how == "wrapped":
            messages = {"statusCode": 1200, "uafRequest": json.dumps(messages)}
        if how == "created":
            return self.answer(messages, status=201)
        return self.answer(messages)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        _, how, call = self.path.partition("?")[0].split("/")
        steps = {"get": self.fido_get, "respond": self.fido_respond}
        self.guarded(how, lambda: steps.get(call, self.plain_respond)(how, json.loads(body)))

    def guarded(self, how, step):
        with self.store.lock:
            try:
                step()
            except uaf.Refused as refused:
                self.refuse(refused.status, str(refused))
            except (KeyError, TypeError, ValueError) as error:
                self.refuse(1400, f"1400 not understood: {error!r}")

    def refuse(self, status, text):
        print(text, file=sys.stderr)
        self.answer({"statusCode": status, "description": text}, self.kind)

    @property
    def kind(self):
        return self.headers.get("Content-Type", "application/json")

    def fido_get(self, how, body):
        context = json.loads(body["context"])
        if how == "other-kind":
            return self.answer(b"<html>welcome</html>", "text/html")
        messages = self.store.request(how, body["op"], context["username"], context)
        text = json.dumps(messages)
        if how == "twice":
            text = text.replace('"op":', '"op": "Reg", "op":', 1)
        if how == "trailing":
            text += "[]"
        self.answer({"statusCode": 1200, "uafRequest": text, "op": body["op"], "lifetimeMillis": 60000}, self.kind)
        return None

    def fido_respond(self, how, body):
        op, user, _, round = self.store.respond(json.loads(body["uafResponse"]))
        self.verdict(how, op, user, round, {"statusCode": 1200, "description": "welcome"})

    def plain_respond(self, how, body):
        op, user, key, round = self.store.respond(body)
        # The list of keys that servers send if they were made for one vendor's clients.
        self.verdict(how, op, user, round, [{"AAID": key["aaid"], "KeyID": key["keyID"], "status": "SUCCESS"}])

    def verdict(self, how, op, user, round, yes):
        demanded = {"one-more": 1, "four-more": 4, "always-more": 99}.get(how, 0)
        if round < demanded:
            more = json.dumps(self.store.request(how, "Auth", user, {}, round + 1))
            return self.answer({"statusCode": 1200, "newUAFRequest": more}, self.kind)
        if how == "more-of-another":
            more = json.dumps(self.store.request(how, "Dereg", user, {"deregisterAll": True}))
            return self.answer({"statusCode": 1200, "newUAFRequest": more}, self.kind)
        lies = {
            "empty": b"",
            "ok-text": b"OK",
            "no-status": b"{}",
            "status-text": b'{"statusCode":"1200"}',
            "pending": b'{"statusCode":1202}',
            "bare": b'[{"status":"FAILED"}]',
            "status-twice": b'{"statusCode":1400,"statusCode":1200}',
            "revoked": b'{"statusCode":1493}',
            "cut": b'{"statusCode":1200',
            "half": b'[{"status":"SUCCESS"},{"status":"FAILED"}]',
        }
        if how in lies:
            return self.answer(lies[how], self.kind)
        if how == "http-201":
            return self.answer(yes, self.kind, 201)
        return self.answer(yes, self.kind)


def main():
    def store(base, certificate):
        Handler.store = Store(base, certificate)

    tls.serve(Handler, store, sys.stdin.read)


if __name__ == "__main__":
    main()
