"""The dialect `django-otp-webauthn`: four addresses with JSON, a session and a token against forgery in cookies."""

import secrets

from webauthn.authenticator import HONEST, decoded
from webauthn.dialects import Dialect, Offer, Outcome, Refused

BASE = "/webauthn"


class DjangoOTP(Dialect):
    # Whether a login keeps the cookies of a person who is signed in already.
    keeps_session = False

    def register(self, account, enrolment, twist=HONEST):
        self.channel.cookies = dict(enrolment.cookies)
        answer = self._post("registration/begin/", {})
        if answer.status != 200:
            raise Refused(answer)
        options = answer.json
        made = self.authenticator.make(account, options["challenge"], decoded(options["user"]["id"]), twist)
        identifier = self.encode(made.credential.identifier)
        response = {"clientDataJSON": self.encode(made.client_data), "attestationObject": self.encode(made.attestation)}
        answer = self._post("registration/complete/", _credential(identifier, response))
        # A login is without the session of the registration.
        self.channel.cookies.clear()
        return Outcome(answer.status == 200 and "id" in answer.json, answer), made.credential

    def begin(self, account):
        if not self.keeps_session:
            self.channel.cookies.clear()
        answer = self._post("authentication/begin/", {})
        if answer.status != 200:
            raise Refused(answer)
        allowed = tuple(decoded(each["id"]) for each in answer.json.get("allowCredentials", []))
        return Offer(account, answer.json["challenge"], answer.json["rpId"], allowed, answer=answer)

    def finish(self, offer, signed):
        response = {
            "authenticatorData": self.encode(signed.authenticator_data),
            "clientDataJSON": self.encode(signed.client_data),
            "signature": self.encode(signed.signature),
            "userHandle": self.encode(signed.credential.handle),
        }
        answer = self._post("authentication/complete/", _credential(self.encode(signed.credential.identifier), response))
        return Outcome(answer.status == 200 and "id" in answer.json, answer)

    def _post(self, path, members):
        # Django only compares the cookie with the header, so the client can make up the token. It also requires a Referer for
        # https.
        token = self.channel.cookies.setdefault("csrftoken", secrets.token_hex(16))
        referer = f"https://{self.channel.name}:{self.channel.port}/"
        return self.channel.post(f"{BASE}/{path}", members, X_CSRFToken=token, Referer=referer)


def _credential(identifier, response):
    return {"id": identifier, "rawId": identifier, "type": "public-key", "response": response, "clientExtensionResults": {}}
