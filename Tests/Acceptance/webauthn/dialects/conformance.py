"""The dialect `webauthn`: the shapes of FIDO's conformance tools."""

from webauthn.authenticator import HONEST, decoded, url
from webauthn.dialects import Dialect, Offer, Outcome, Refused


class Conformance(Dialect):
    def register(self, account, enrolment, twist=HONEST):
        options = self._ask("/attestation/options", self._wanted(account), enrolment.headers)
        made = self.authenticator.make(account, _text(options["challenge"]), decoded(options["user"]["id"]), twist)
        identifier = self.encode(made.credential.identifier)
        response = {"clientDataJSON": self.encode(made.client_data), "attestationObject": self.encode(made.attestation)}
        answer = self.channel.post("/attestation/result", _credential(identifier, response), **enrolment.headers)
        return Outcome(_succeeded(answer), answer), made.credential

    def _wanted(self, account):
        selection = {"userVerification": "required", "requireResidentKey": False}
        direct = {"none": "none", "packed": "direct"}[self.authenticator.attestation]
        return {"username": account, "displayName": account, "authenticatorSelection": selection, "attestation": direct}

    def begin(self, account):
        options = self._ask("/assertion/options", {"username": account, "userVerification": "required"}, {})
        allowed = tuple(decoded(each["id"]) for each in options.get("allowCredentials", []))
        return Offer(account, _text(options["challenge"]), options["rpId"], allowed)

    def finish(self, offer, signed):
        response = {
            "authenticatorData": self.encode(signed.authenticator_data),
            "clientDataJSON": self.encode(signed.client_data),
            "signature": self.encode(signed.signature),
            "userHandle": self.encode(signed.credential.handle),
        }
        answer = self.channel.post("/assertion/result", _credential(self.encode(signed.credential.identifier), response))
        return Outcome(_succeeded(answer), answer)

    def _ask(self, path, members, headers):
        answer = self.channel.post(path, members, **headers)
        if not _succeeded(answer):
            raise Refused(answer)
        return answer.json


def _text(challenge):
    """The challenge as base64url, whatever the server wrote."""
    return url(decoded(challenge))


def _credential(identifier, response):
    return {"id": identifier, "rawId": identifier, "type": "public-key", "response": response, "getClientExtensionResults": {}}


def _succeeded(answer):
    return answer.status == 200 and answer.json.get("status") == "ok"
