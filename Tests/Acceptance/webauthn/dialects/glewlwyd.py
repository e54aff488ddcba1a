"""The dialect `glewlwyd`: a scheme of one user, standard base64 in every member."""

from webauthn.authenticator import HONEST, decoded, standard, url
from webauthn.dialects import Dialect, Offer, Outcome, Refused

SCHEME = {"scheme_type": "webauthn", "scheme_name": "webauthn"}


class Glewlwyd(Dialect):
    encode, other = staticmethod(standard), staticmethod(url)

    def register(self, account, enrolment, twist=HONEST):
        self.channel.cookies.clear()
        answer = self.channel.post("/api/auth/", {"username": account, "password": enrolment.code})
        if answer.status != 200:
            raise Refused(answer)
        path = "/api/profile/scheme/register/"
        answer = self.channel.post(path, _value(account, {"register": "new-credential"}))
        if answer.status != 200:
            raise Refused(answer)
        options = answer.json
        challenge = url(decoded(options["challenge"]))
        made = self.authenticator.make(account, challenge, decoded(options["user"]["id"]), twist)
        response = {"clientDataJSON": self.encode(made.client_data), "attestationObject": self.encode(made.attestation)}
        credential = self._credential(made.credential, response)
        sent = {"register": "register-credential", "session": options["session"], "credential": credential}
        answer = self.channel.post(path, _value(account, sent))
        self.channel.cookies.clear()
        return Outcome(answer.status == 200, answer), made.credential

    def begin(self, account):
        self.channel.cookies.clear()
        answer = self.channel.post("/api/auth/scheme/trigger/", _value(account, {}))
        if answer.status != 200:
            raise Refused(answer)
        options = answer.json
        allowed = tuple(decoded(each["credential_id"]) for each in options["allowCredentials"])
        return Offer(account, url(decoded(options["challenge"])), options["rpId"], allowed, options["session"])

    def finish(self, offer, signed):
        response = {
            "authenticatorData": self.encode(signed.authenticator_data),
            "clientDataJSON": self.encode(signed.client_data),
            "signature": self.encode(signed.signature),
            "userHandle": self.encode(signed.credential.handle),
        }
        sent = {"session": offer.state, "credential": self._credential(signed.credential, response)}
        answer = self.channel.post("/api/auth/", _value(offer.account, sent))
        return Outcome(answer.status == 200, answer)

    def _credential(self, credential, response):
        identifiers = {"id": url(credential.identifier), "rawId": self.encode(credential.identifier)}
        return {**identifiers, "type": "public-key", "response": response}


def _value(account, value):
    return {"username": account, **SCHEME, "value": value}
