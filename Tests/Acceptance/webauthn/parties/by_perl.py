"""A relying party by Debian's libauthen-webauthn-perl, which a process in Perl calls. The session is a cookie."""

import base64
import json
import pathlib
import secrets
import subprocess
import time

from conformance import REQUIRED, SECONDS, Application, Refusal, cookie

COOKIE = "session"
PROGRAM = pathlib.Path(__file__).with_name("verify.pl")


class Perl(Application):
    def __init__(self):
        super().__init__()
        # By cookie: the session's purpose, the account, the challenge, and the time at which it expires.
        self.sessions: dict[str, tuple[str, str, str, float]] = {}
        self._perl = subprocess.Popen(["perl", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def offer_registration(self, members, environment, headers):
        account = members["username"]
        options = {
            "rp": {"id": self.rp_id, "name": "Example"},
            "user": {"id": _text(self.handle(account)), "name": account, "displayName": account},
            "pubKeyCredParams": [{"type": "public-key", "alg": -7}, {"type": "public-key", "alg": -257}],
            "authenticatorSelection": {"userVerification": REQUIRED},
            "attestation": members.get("attestation", "none"),
            "excludeCredentials": self._descriptors(account),
        }
        return self._begin("create", account, options, headers)

    def register(self, members, environment, headers):
        account, challenge = self._session("create", environment)
        response = members["response"]
        found = self._ask(
            act="create",
            challenge_b64=challenge,
            requested_uv=REQUIRED,
            client_data_json_b64=response["clientDataJSON"],
            attestation_object_b64=response["attestationObject"],
        )
        if any(found["credential_id"] in keys for keys in self.keys.values()):
            raise Refusal("the credential is registered")
        self.keys.setdefault(account, {})[found["credential_id"]] = [found["credential_pubkey"], found["signature_count"]]
        self.note("key", account)
        return {}

    def offer_login(self, members, environment, headers):
        account = members["username"]
        allowed = self._descriptors(account) or [{"type": "public-key", "id": _text(self.decoy(account))}]
        options = {"rpId": self.rp_id, "allowCredentials": allowed, "userVerification": REQUIRED}
        return self._begin("get", account, options, headers)

    def login(self, members, environment, headers):
        account, challenge = self._session("get", environment)
        key = self.keys.get(account, {}).get(members["rawId"])
        if key is None:
            raise Refusal("unknown credential")
        response = members["response"]
        found = self._ask(
            act="get",
            challenge_b64=challenge,
            credential_pubkey_b64=key[0],
            stored_sign_count=key[1],
            requested_uv=REQUIRED,
            client_data_json_b64=response["clientDataJSON"],
            authenticator_data_b64=response["authenticatorData"],
            signature_b64=response["signature"],
        )
        key[1] = found["signature_count"]
        self.note("login", account)
        return {}

    def _ask(self, **members):
        """The library's result, or a refusal with its message."""
        self._perl.stdin.write(json.dumps(members) + "\n")
        self._perl.stdin.flush()
        found = json.loads(self._perl.stdout.readline())
        if "error" in found:
            raise Refusal(found["error"])
        return found

    def _descriptors(self, account):
        return [{"type": "public-key", "id": identifier} for identifier in self.keys.get(account, {})]

    def _begin(self, purpose, account, options, headers):
        session, challenge = secrets.token_urlsafe(), _text(secrets.token_bytes(32))
        self.sessions[session] = (purpose, account, challenge, time.monotonic() + SECONDS)
        headers.append(("Set-Cookie", f"{COOKIE}={session}; Secure; HttpOnly; SameSite=Strict; Path=/"))
        return {**options, "challenge": challenge, "timeout": SECONDS * 1000}

    def _session(self, purpose, environment):
        """The account and the challenge of the request's session, which ends with it."""
        made_for, account, challenge, until = self.sessions.pop(cookie(environment, COOKIE), ("", "", "", 0))
        if made_for != purpose or time.monotonic() > until:
            raise Refusal("there is no such session")
        return account, challenge


def _text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


application = Perl()
