"""The dialect `flask-security`: forms as JSON, a session in a cookie, and a token against forgery in each answer."""

import json

from webauthn.authenticator import HONEST, decoded
from webauthn.dialects import Dialect, Offer, Outcome, Refused

# The domain of everybody's mail address, by which this server names people.
DOMAIN = "example.com"


class FlaskSecurity(Dialect):
    # Whether a login names the account when it begins.
    names = False

    def register(self, account, enrolment, twist=HONEST):
        self._enter()
        self._ask("/login", {"email": f"{account}@{DOMAIN}", "password": enrolment.code})
        reply = self._ask("/wan-register", {"name": "pam", "usage": "first"})
        options = reply["credential_options"]
        made = self.authenticator.make(account, options["challenge"], decoded(options["user"]["id"]), twist)
        response = {"clientDataJSON": self.encode(made.client_data), "attestationObject": self.encode(made.attestation)}
        answer = self._post(f"/wan-register/{reply['wan_state']}", self._credential(made.credential, response))
        return Outcome(_succeeded(answer), answer), made.credential

    def begin(self, account):
        self._enter()
        reply = self._ask("/wan-signin", {"identity": f"{account}@{DOMAIN}"} if self.names else {})
        options = reply["credential_options"]
        allowed = tuple(decoded(each["id"]) for each in options["allowCredentials"])
        return Offer(account, options["challenge"], options["rpId"], allowed, reply["wan_state"])

    def finish(self, offer, signed):
        response = {
            "authenticatorData": self.encode(signed.authenticator_data),
            "clientDataJSON": self.encode(signed.client_data),
            "signature": self.encode(signed.signature),
            "userHandle": self.encode(signed.credential.handle),
        }
        answer = self._post(f"/wan-signin/{offer.state}", self._credential(signed.credential, response))
        reply = answer.json.get("response", {})
        return Outcome(_succeeded(answer) and reply.get("tf_required") is False, answer, reply.get("user", {}).get("email", ""))

    def _enter(self):
        """Begins a session of nobody, and takes its token."""
        self.channel.cookies.clear()
        self._token = ""
        answer = self.channel.get("/wan-signin")
        if not _succeeded(answer):
            raise Refused(answer)
        self._token = answer.json["response"]["csrf_token"]

    def _ask(self, path, members):
        answer = self._post(path, members)
        if not _succeeded(answer):
            raise Refused(answer)
        return answer.json["response"]

    def _post(self, path, members):
        # The forms read the member; an application that protects all its addresses reads the headers.
        referer = f"https://{self.channel.name}:{self.channel.port}/"
        return self.channel.post(path, {**members, "csrf_token": self._token}, X_CSRFToken=self._token, Referer=referer)

    def _credential(self, credential, response):
        identifier = self.encode(credential.identifier)
        members = {"id": identifier, "rawId": identifier, "type": "public-key", "response": response}
        return {"credential": json.dumps({**members, "clientExtensionResults": {}})}


def _succeeded(answer):
    return answer.status == 200 and answer.json.get("meta", {}).get("code") == 200
