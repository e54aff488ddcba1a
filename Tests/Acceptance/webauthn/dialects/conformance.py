"""The dialect `webauthn`: the shapes of FIDO's conformance tools."""

from webauthn.authenticator import HONEST, decoded, url
from webauthn.dialects import Dialect, Offer, Outcome, Refused


class Conformance(Dialect):
    def register(self, account, enrolment, twist=HONEST):
        options = self._ask("/attestation/options", self._wanted(account), enrolment.headers)
        made = self.authenticator.make(account, _text(options["challenge"]), decoded(options["user"]["id"]), twist)
        identifier = url(made.credential.identifier)
        response = {"clientDataJSON": url(made.client_data), "attestationObject": url(made.attestation)}
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
            "authenticatorData": url(signed.authenticator_data),
            "clientDataJSON": url(signed.client_data),
            "signature": url(signed.signature),
            "userHandle": url(signed.credential.handle),
        }
        answer = self.channel.post("/assertion/result", _credential(url(signed.credential.identifier), response))
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
