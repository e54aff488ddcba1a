"""A relying party by PyPI's `fido2`. It needs no cookie: the challenge in an answer identifies the session."""

import time

from conformance import REQUIRED, SECONDS, Application, Refusal
from fido2.server import Fido2Server
from fido2.utils import websafe_decode
from fido2.webauthn import (
    Aaguid,
    AttestedCredentialData,
    AuthenticationResponse,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
)


class PythonFido2(Application):
    failed = "200 OK"

    def __init__(self):
        super().__init__()
        party = PublicKeyCredentialRpEntity(name="Example", id=self.rp_id)
        self.server = Fido2Server(party, verify_origin=lambda origin: origin in self.origins)
        self.server.timeout = SECONDS * 1000
        # By challenge: the account, the library's state, and until when.
        self.pending: dict[str, tuple[str, dict, float]] = {}
        self.counters: dict[bytes, int] = {}

    def offer_registration(self, members, environment, headers):
        account = members["username"]
        self.must_have_code(account, environment)
        user = PublicKeyCredentialUserEntity(name=account, id=self.handle(account), display_name=account)
        options, state = self.server.register_begin(user, self._credentials(account), user_verification=REQUIRED)
        return self._begin("create", account, options, state)

    def register(self, members, environment, headers):
        client_data = RegistrationResponse.from_dict(members).response.client_data
        account, state = self._pending("create", client_data)
        data = self.server.register_complete(state, members)
        credential = data.credential_data
        if any(credential.credential_id in keys for keys in self.keys.values()):
            raise Refusal("the credential is registered")
        self.keys.setdefault(account, {})[credential.credential_id] = credential
        self.counters[credential.credential_id] = data.counter
        self.note("key", account)
        return {}

    def offer_login(self, members, environment, headers):
        account = members["username"]
        # For an account without keys, the answer names a key that does not exist.
        credentials = self._credentials(account) or [
            AttestedCredentialData.create(Aaguid.NONE, self.decoy(account), {1: 2, 3: -7, -1: 1, -2: bytes(32), -3: bytes(32)})
        ]
        options, state = self.server.authenticate_begin(credentials, REQUIRED)
        return self._begin("get", account, options, state)

    def login(self, members, environment, headers):
        response = AuthenticationResponse.from_dict(members).response
        account, state = self._pending("get", response.client_data)
        credential = self.server.authenticate_complete(state, self._credentials(account), members)
        # The library leaves the counter to its caller.
        if response.authenticator_data.counter <= self.counters[credential.credential_id]:
            raise Refusal("the counter has gone back")
        self.counters[credential.credential_id] = response.authenticator_data.counter
        self.note("login", account)
        return {}

    def _credentials(self, account):
        return list(self.keys.get(account, {}).values())

    def _begin(self, purpose, account, options, state):
        members = dict(options)["publicKey"]
        members = {name: value for name, value in members.items() if value is not None}
        self.pending[f"{purpose} {state['challenge']}"] = (account, state, time.monotonic() + SECONDS)
        return members

    def _pending(self, purpose, client_data):
        """The account and the library's state for a challenge, which can be used only once."""
        challenge = client_data.challenge
        key = next((key for key in self.pending if key.startswith(purpose) and websafe_decode(key.split()[1]) == challenge), "")
        account, state, until = self.pending.pop(key, ("", {}, 0))
        if time.monotonic() > until:
            raise Refusal("there is no such challenge")
        return account, state


application = PythonFido2()
