"""The dialect `privacyidea`: a passkey without a name, or a token of type `webauthn` that a name and a PIN trigger."""

from webauthn.authenticator import HONEST, decoded, url
from webauthn.dialects import Dialect, Offer, Outcome, Refused


class _PrivacyIDEA(Dialect):
    # The Origin header, which the server compares with the client data: by default the authenticator's origin; none if this is
    # empty.
    header: str | None = None

    def _post(self, path, members, **headers):
        origin = self.authenticator.origin if self.header is None else self.header
        return self.channel.post(path, members, **({"Origin": origin} if origin else {}), **headers)

    def _signed_in(self, account, enrolment):
        """The header of a person who has signed in with a password."""
        answer = self._post("/auth", {"username": account, "password": enrolment.code})
        if not _value(answer):
            raise Refused(answer)
        return {"Authorization": answer.json["result"]["value"]["token"]}

    def _detail(self, answer):
        if answer.status != 200 or not answer.json.get("detail"):
            raise Refused(answer)
        return answer.json["detail"]


class Passkey(_PrivacyIDEA):
    def register(self, account, enrolment, twist=HONEST):
        token = self._signed_in(account, enrolment)
        detail = self._detail(self._post("/token/init", {"type": "passkey"}, **token))
        options = detail["passkey_registration"]
        challenge = url(options["challenge"].encode())
        made = self.authenticator.make(account, challenge, decoded(options["user"]["id"]), twist)
        identifier = self.encode(made.credential.identifier)
        members = {
            "type": "passkey",
            "serial": detail["serial"],
            "transaction_id": detail["transaction_id"],
            "credential_id": identifier,
            "rawId": identifier,
            "authenticatorAttachment": "platform",
            "attestationObject": self.encode(made.attestation),
            "clientDataJSON": self.encode(made.client_data),
        }
        answer = self._post("/token/init", members, **token)
        return Outcome(answer.status == 200 and _value(answer), answer), made.credential

    def begin(self, account):
        detail = self._detail(self._post("/validate/initialize", {"type": "passkey"}))
        passkey = detail["passkey"]
        return Offer(account, url(passkey["challenge"].encode()), passkey["rpId"], state=passkey["transaction_id"])

    def finish(self, offer, signed):
        members = {
            **({"user": offer.account} if offer.account else {}),
            "transaction_id": offer.state,
            "credential_id": self.encode(signed.credential.identifier),
            "authenticatorData": self.encode(signed.authenticator_data),
            "clientDataJSON": self.encode(signed.client_data),
            "signature": self.encode(signed.signature),
            "userHandle": self.encode(signed.credential.handle),
        }
        return _outcome(self._post("/validate/check", members))


class WebauthnToken(_PrivacyIDEA):
    def register(self, account, enrolment, twist=HONEST):
        token = self._signed_in(account, enrolment)
        detail = self._detail(self._post("/token/init", {"type": "webauthn"}, **token))
        asked = detail["webAuthnRegisterRequest"]
        made = self.authenticator.make(account, asked["nonce"], asked["serialNumber"].encode(), twist)
        members = {
            "type": "webauthn",
            "serial": asked["serialNumber"],
            "transaction_id": asked["transaction_id"],
            "regdata": self.encode(made.attestation),
            "clientdata": self.encode(made.client_data),
        }
        answer = self._post("/token/init", members, **token)
        return Outcome(answer.status == 200 and _value(answer), answer), made.credential

    def begin(self, account):
        answer = self._post("/validate/check", {"user": account, "pass": ""})
        challenges = self._detail(answer).get("multi_challenge", [])
        offered = [one["attributes"]["webAuthnSignRequest"] for one in challenges if one.get("type") == "webauthn"]
        if not offered:
            raise Refused(answer)
        allowed = tuple(decoded(each["id"]) for one in offered for each in one["allowCredentials"])
        transaction = answer.json["detail"]["transaction_id"]
        return Offer(account, offered[0]["challenge"], offered[0]["rpId"], allowed, transaction)

    def finish(self, offer, signed):
        members = {
            "user": offer.account,
            "pass": "",
            "transaction_id": offer.state,
            "credentialid": self.encode(signed.credential.identifier),
            "authenticatordata": self.encode(signed.authenticator_data),
            "clientdata": self.encode(signed.client_data),
            "signaturedata": self.encode(signed.signature),
            "userhandle": self.encode(signed.credential.handle),
        }
        return _outcome(self._post("/validate/check", members))


def _value(answer):
    return bool(answer.json.get("result", {}).get("value"))


def _outcome(answer):
    """Both members are needed: `value` alone is also true if no key was requested."""
    accepted = answer.json.get("result", {}).get("authentication") == "ACCEPT"
    who = (answer.json.get("detail") or {}).get("username", "")
    return Outcome(answer.status == 200 and _value(answer) and accepted, answer, who)
