"""The four endpoints of FIDO's conformance tools as a WSGI application. Subclasses verify the answers.

It reads its environment: RP_ID, ORIGINS (with spaces between), ACCEPTED (a file that gets a line for each accepted key and login)
and, if registering a key requires a code, CODES (a file with a line for each: the code, a space, the account).
"""

import hashlib
import json
import os
import pathlib
import secrets
import threading

SECONDS = 60
REQUIRED = "required"


class Refusal(Exception):
    """An answer that is not accepted."""


class Application:
    # The status of an answer with `"status": "failed"`: some servers say 400, some 200.
    failed = "400 Bad Request"

    def __init__(self):
        self.rp_id, self.origins = os.environ["RP_ID"], os.environ["ORIGINS"].split()
        self._accepted, self._codes = pathlib.Path(os.environ["ACCEPTED"]), os.environ.get("CODES")
        self._secret = secrets.token_bytes()
        self._lock = threading.Lock()
        # By account: an opaque handle, and the keys by their identifiers.
        self.handles: dict[str, bytes] = {}
        self.keys: dict[str, dict[bytes, object]] = {}
        self._routes = {
            "/attestation/options": self.offer_registration,
            "/attestation/result": self.register,
            "/assertion/options": self.offer_login,
            "/assertion/result": self.login,
        }

    def __call__(self, environment, start):
        headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
        try:
            route = self._routes.get(environment["PATH_INFO"])
            if route is None or environment["REQUEST_METHOD"] != "POST":
                raise Refusal("no such address")
            body = environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
            with self._lock:
                members = route(json.loads(body), environment, headers)
            status, answer = "200 OK", {"status": "ok", "errorMessage": "", **members}
        except Exception as reason:
            text = str(reason) or type(reason).__name__
            status, answer = self.failed, {"status": "failed", "errorMessage": text}
        content = json.dumps(answer).encode()
        start(status, [*headers, ("Content-Length", str(len(content)))])
        return [content]

    # --- For the routes of a subclass

    def offer_registration(self, members, environment, headers):
        raise NotImplementedError

    def register(self, members, environment, headers):
        raise NotImplementedError

    def offer_login(self, members, environment, headers):
        raise NotImplementedError

    def login(self, members, environment, headers):
        raise NotImplementedError

    def must_have_code(self, account, environment):
        """Refuses a request without the account's code, if this party requires codes."""
        if self._codes is None:
            return
        code = environment.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer ")
        if f"{code} {account}" not in pathlib.Path(self._codes).read_text().splitlines():
            raise Refusal("not allowed to register")

    def handle(self, account):
        return self.handles.setdefault(account, secrets.token_bytes(32))

    def decoy(self, account):
        """An identifier for an account without keys, always the same."""
        return hashlib.sha256(self._secret + account.encode()).digest()

    def note(self, what, account):
        with self._accepted.open("a") as file:
            file.write(f"{what} {account}\n")


def cookie(environment, name):
    """A cookie of the request."""
    for pair in environment.get("HTTP_COOKIE", "").split(";"):
        key, _, value = pair.strip().partition("=")
        if key == name:
            return value
    return None
