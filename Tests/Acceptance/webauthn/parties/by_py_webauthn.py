"""A relying party by PyPI's `webauthn`. The challenge belongs to a session, which is a cookie."""

import json
import secrets
import time

from conformance import REQUIRED, SECONDS, Application, Refusal, cookie
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes
from webauthn.helpers.structs import (
    AttestationConveyancePreference,
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    UserVerificationRequirement,
)

COOKIE = "session"


class PyWebauthn(Application):
    def __init__(self):
        super().__init__()
        # By cookie: the session's purpose, the account, the challenge, and the time at which it expires.
        self.sessions: dict[str, tuple[str, str, bytes, float]] = {}

    def offer_registration(self, members, environment, headers):
        account = members["username"]
        self.must_have_code(account, environment)
        options = generate_registration_options(
            rp_id=self.rp_id,
            rp_name="Example",
            user_id=self.handle(account),
            user_name=account,
            user_display_name=members.get("displayName", account),
            attestation=AttestationConveyancePreference(members.get("attestation", "none")),
            authenticator_selection=AuthenticatorSelectionCriteria(user_verification=UserVerificationRequirement.REQUIRED),
            exclude_credentials=self._descriptors(account),
        )
        return self._begin("create", account, options, headers)

    def register(self, members, environment, headers):
        account, challenge = self._session("create", environment)
        verified = verify_registration_response(
            credential=members,
            expected_challenge=challenge,
            expected_rp_id=self.rp_id,
            expected_origin=self.origins,
            require_user_verification=True,
        )
        if any(verified.credential_id in keys for keys in self.keys.values()):
            raise Refusal("the credential is registered")
        self.keys.setdefault(account, {})[verified.credential_id] = [verified.credential_public_key, verified.sign_count]
        self.note("key", account)
        return {}

    def offer_login(self, members, environment, headers):
        account = members["username"]
        allowed = self._descriptors(account) or [PublicKeyCredentialDescriptor(id=self.decoy(account))]
        options = generate_authentication_options(
            rp_id=self.rp_id, allow_credentials=allowed, user_verification=UserVerificationRequirement(REQUIRED)
        )
        return self._begin("get", account, options, headers)

    def login(self, members, environment, headers):
        account, challenge = self._session("get", environment)
        self.verify_login(account, challenge, members)
        self.note("login", account)
        return {}

    def verify_login(self, account, challenge, credential):
        """Checks an assertion, and raises the counter of its key."""
        key = self.keys.get(account, {}).get(base64url_to_bytes(credential["rawId"]))
        if key is None:
            raise Refusal("unknown credential")
        verified = verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=self.rp_id,
            expected_origin=self.origins,
            credential_public_key=key[0],
            credential_current_sign_count=key[1],
            require_user_verification=True,
        )
        key[1] = verified.new_sign_count

    def _descriptors(self, account):
        return [PublicKeyCredentialDescriptor(id=identifier) for identifier in self.keys.get(account, {})]

    def _begin(self, purpose, account, options, headers):
        session = secrets.token_urlsafe()
        self.sessions[session] = (purpose, account, options.challenge, time.monotonic() + SECONDS)
        headers.append(("Set-Cookie", f"{COOKIE}={session}; Secure; HttpOnly; SameSite=Strict; Path=/"))
        return json.loads(options_to_json(options))

    def _session(self, purpose, environment):
        """The account and the challenge of the request's session, which ends with it."""
        made_for, account, challenge, until = self.sessions.pop(cookie(environment, COOKIE), ("", "", b"", 0))
        if made_for != purpose or time.monotonic() > until:
            raise Refusal("there is no such session")
        return account, challenge


application = PyWebauthn()
