"""The dialect `allauth`: django-allauth's headless interface for apps, with a session in a header."""

from webauthn.authenticator import HONEST, decoded
from webauthn.dialects import Dialect, Offer, Outcome, Refused

BASE = "/_allauth/app/v1"
HEADER = "X_Session_Token"


class Allauth(Dialect):
    def register(self, account, enrolment, twist=HONEST):
        answer = self.channel.post(f"{BASE}/auth/login", {"username": account, "password": enrolment.code})
        session = {HEADER: self._token(answer)}
        # A sign-in is not enough for a new key: the server requires the password again.
        answer = self.channel.post(f"{BASE}/auth/reauthenticate", {"password": enrolment.code}, **session)
        if answer.status != 200:
            raise Refused(answer)
        answer = self.channel.get(f"{BASE}/account/authenticators/webauthn?passwordless", **session)
        if answer.status != 200:
            raise Refused(answer)
        options = answer.json["data"]["creation_options"]["publicKey"]
        made = self.authenticator.make(account, options["challenge"], decoded(options["user"]["id"]), twist)
        response = {"clientDataJSON": self.encode(made.client_data), "attestationObject": self.encode(made.attestation)}
        credential = self._credential(made.credential, response, {"credProps": {"rk": True}})
        members = {"name": "pam", "credential": credential}
        answer = self.channel.post(f"{BASE}/account/authenticators/webauthn", members, **session)
        return Outcome(answer.status == 200 and "id" in answer.json.get("data", {}), answer), made.credential

    def begin(self, account):
        answer = self.channel.get(f"{BASE}/auth/webauthn/login")
        token = self._token(answer)
        options = answer.json["data"]["request_options"]["publicKey"]
        allowed = tuple(decoded(each["id"]) for each in options.get("allowCredentials") or [])
        return Offer(account, options["challenge"], options["rpId"], allowed, token)

    def finish(self, offer, signed):
        response = {
            "authenticatorData": self.encode(signed.authenticator_data),
            "clientDataJSON": self.encode(signed.client_data),
            "signature": self.encode(signed.signature),
            "userHandle": self.encode(signed.credential.handle),
        }
        members = {"credential": self._credential(signed.credential, response, {})}
        answer = self.channel.post(f"{BASE}/auth/webauthn/login", members, **{HEADER: offer.state})
        accepted = answer.status == 200 and answer.json.get("meta", {}).get("is_authenticated") is True
        # The server finds the account by the key alone.
        return Outcome(accepted, answer, answer.json["data"]["user"]["username"] if accepted else "")

    def _token(self, answer):
        token = answer.json.get("meta", {}).get("session_token")
        if answer.status != 200 or not token:
            raise Refused(answer)
        return token

    def _credential(self, credential, response, extensions):
        identifier = self.encode(credential.identifier)
        members = {"id": identifier, "rawId": identifier, "type": "public-key", "response": response}
        return {**members, "clientExtensionResults": extensions}
