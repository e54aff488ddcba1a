"""A stand-in for kanidm, which cannot be had here: the forms of its published types around PyPI's `webauthn`.

Its environment is that of `conformance`. CODES has a line for each token of a credential reset: the token, a space, the account.
"""

import json
import pathlib
import secrets
import uuid

from by_py_webauthn import PyWebauthn
from conformance import Refusal
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_registration_response,
)
from webauthn.helpers.structs import AuthenticatorSelectionCriteria, UserVerificationRequirement

HEADER = "X-KANIDM-AUTH-SESSION-ID"
REQUIRED = UserVerificationRequirement.REQUIRED


class KanidmTypes(PyWebauthn):
    def __init__(self):
        super().__init__()
        self._used: set[str] = set()
        # By session of a registration: the account, the challenge, and the key that is not committed yet.
        self._updates: dict[str, dict] = {}
        # By session of a login, which is the header: the account and the challenge.
        self._logins: dict[str, tuple[str, bytes | None]] = {}
        self._routes = {
            "/v1/credential/_exchange_intent": self._exchange,
            "/v1/credential/_update": self._update,
            "/v1/credential/_commit": self._commit,
            "/v1/auth": self._authenticate,
        }

    def __call__(self, environment, start):
        headers = []
        try:
            body = environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0))
            with self._lock:
                answer = self._routes[environment["PATH_INFO"]](json.loads(body), environment, headers)
            status, kind = "200 OK", "application/json"
        except Refusal as reason:
            # kanidm writes its errors as JSON under another media type.
            status, kind, answer = "404 Not Found", "text/plain; charset=utf-8", str(reason)
        except Exception as reason:
            status, kind, answer = "500 Internal Server Error", "text/plain; charset=utf-8", type(reason).__name__
        content = json.dumps(answer).encode()
        start(status, [*headers, ("Content-Type", kind), ("Content-Length", str(len(content)))])
        return [content]

    # --- A registration

    def _exchange(self, token, environment, headers):
        codes = pathlib.Path(self._codes).read_text().splitlines()
        account = next((account for code, account in map(str.split, codes) if code == token), None)
        if account is None or token in self._used:
            raise Refusal("sessionexpired")
        self._used.add(token)
        session = secrets.token_urlsafe()
        self._updates[session] = {"account": account, "added": None}
        return [{"token": session}, self._status(session, "None")]

    def _status(self, session, state):
        update = self._updates[session]
        known = [{"uuid": str(uuid.UUID(bytes=each[:16])), "tag": "known"} for each in self.keys.get(update["account"], {})]
        added = [{"uuid": update["uuid"], "tag": update["tag"]}] if update["added"] else []
        return {
            "spn": f"{update['account']}@{self.rp_id}",
            "displayname": update["account"],
            "ext_cred_portal": "None",
            "mfaregstate": state,
            "can_commit": True,
            "warnings": [],
            "primary": None,
            "primary_state": "Modifiable",
            "passkeys": known + added,
            "passkeys_state": "Modifiable",
            "attested_passkeys": [],
            "attested_passkeys_state": "Modifiable",
            "attested_passkeys_allowed_devices": [],
        }

    def _update(self, parts, environment, headers):
        request, session = parts[0], parts[1]["token"]
        update = self._updates[session]
        if request == "passkeyinit":
            options = generate_registration_options(
                rp_id=self.rp_id,
                rp_name="Example",
                user_id=self.handle(update["account"]),
                user_name=f"{update['account']}@{self.rp_id}",
                user_display_name=update["account"],
                authenticator_selection=AuthenticatorSelectionCriteria(user_verification=REQUIRED),
                exclude_credentials=self._descriptors(update["account"]),
            )
            update["challenge"] = options.challenge
            return self._status(session, {"Passkey": {"publicKey": json.loads(options_to_json(options))}})
        tag, credential = request["passkeyfinish"]
        verified = verify_registration_response(
            credential=credential,
            expected_challenge=update.pop("challenge"),
            expected_rp_id=self.rp_id,
            expected_origin=self.origins,
            require_user_verification=True,
        )
        update.update(added=verified, tag=tag, uuid=str(uuid.uuid4()))
        return self._status(session, "None")

    def _commit(self, token, environment, headers):
        update = self._updates.pop(token["token"])
        key = update["added"]
        if key:
            self.keys.setdefault(update["account"], {})[key.credential_id] = [key.credential_public_key, key.sign_count]
            self.note("key", update["account"])

    # --- A login

    def _authenticate(self, members, environment, headers):
        step = members["step"]
        if "init2" in step:
            account = step["init2"]["username"]
            if account not in self.keys:
                raise Refusal("nomatchingentries")
            return self._continued(account, None, {"choose": ["password", "passkey"]}, headers)
        account, challenge = self._logins.pop(environment.get("HTTP_X_KANIDM_AUTH_SESSION_ID", ""))
        if step.get("begin") == "passkey":
            options = generate_authentication_options(
                rp_id=self.rp_id, allow_credentials=self._descriptors(account), user_verification=REQUIRED
            )
            offered = [{"passkey": {"publicKey": json.loads(options_to_json(options))}}]
            return self._continued(account, options.challenge, {"continue": offered}, headers)
        try:
            self.verify_login(account, challenge, step["cred"]["passkey"])
        except Exception as reason:
            return {"sessionid": str(uuid.uuid4()), "state": {"denied": str(reason)}}
        self.note("login", account)
        return {"sessionid": str(uuid.uuid4()), "state": {"success": secrets.token_urlsafe()}}

    def _continued(self, account, challenge, state, headers):
        session = f"eyJ.{secrets.token_urlsafe()}.{secrets.token_urlsafe()}"
        self._logins[session] = (account, challenge)
        headers.append((HEADER, session))
        return {"sessionid": str(uuid.uuid4()), "state": state}


application = KanidmTypes()
