"""Behaviour of single parties that docs/webauthn-servers.md describes."""

import dataclasses
import json

from lab.table import must, row
from webauthn import document
from webauthn.authenticator import Twist
from webauthn.dialects import django_otp
from webauthn.rigs import NAME
from webauthn.rows.parties import OTHER, guest


@row(
    "privacyidea-header",
    "privacyidea: another origin in the client data and in the header; no header",
    "accepted, since the server compares the two and nothing else; refused",
    limit=180,
)
def header(lab):
    one = guest(lab, "privacyidea")
    honest, one.client.authenticator.origin = one.party.origin, one.party.origin.replace(NAME, OTHER)
    outcome = one.client.login(one.account, one.credential)
    must(outcome.accepted, str(outcome.answer))
    one.client.header = honest
    refused = one.client.login(one.account, one.credential)
    must(not refused.accepted, f"the header says something else than the client data: {refused.answer}")
    one.client.header = ""
    without = one.client.login(one.account, one.credential)
    must(not without.accepted, f"there is no header: {without.answer}")
    return f"accepted; with another header {refused.answer}; without {without.answer}"


@row(
    "privacyidea-nameless",
    "privacyidea: a login without a name",
    "the owner of the key is logged in, and the answer names them",
    limit=180,
)
def nameless(lab):
    one, two = guest(lab, "privacyidea"), guest(lab, "privacyidea")
    offer = dataclasses.replace(one.client.begin(one.account), account="")
    outcome = one.client.finish(offer, one.client.authenticator.sign(two.credential, offer.challenge))
    must(outcome.accepted and outcome.who == two.account, f"{two.account} has the key: {outcome.answer}")
    return f"{outcome.who} is logged in"


@row(
    "privacyidea-token-level",
    "privacyidea-token: attestation none, and packed by the key itself, at the level that is the default",
    "refused; accepted",
    limit=180,
)
def level(lab):
    party = lab.party("privacyidea-token")
    policy = json.loads(document.block("privacyIDEA", "json"))[0]
    changed = {**policy, "action": policy["action"].replace("level=none", "level=untrusted"), "active": True}
    must(changed["action"] != policy["action"], "the document has no level")
    party.administer(f"/policy/{policy['name']}", changed)
    try:
        none, packed = (_registered(lab, party, attestation) for attestation in ("none", "packed"))
    finally:
        party.administer(f"/policy/{policy['name']}", {**policy, "active": True})
    must(not none.accepted and packed.accepted, f"none: {none.answer}; packed: {packed.answer}")
    return f"none: {none.answer}"


def _registered(lab, party, attestation):
    account = lab.account()
    return party.client(attestation).register(account, party.enrol(account))[0]


@row(
    "django-otp-webauthn-forgery",
    "django-otp-webauthn: requests without a token against forgery, without a referrer, with our origin in a header",
    "403 and an HTML page",
    limit=180,
)
def forgery(lab):
    channel = lab.party("django-otp-webauthn").client().channel
    channel.cookies["csrftoken"] = token = "a" * 32
    referer, path = f"https://{NAME}:{channel.port}/", f"{django_otp.BASE}/authentication/begin/"
    right = channel.post(path, X_CSRFToken=token, Referer=referer)
    must(right.status == 200, f"the token of our own is refused: {right}")
    for missing in (
        {"Referer": referer},
        {"X_CSRFToken": token},
        {"X_CSRFToken": token, "Referer": referer, "Origin": f"linux://{NAME}"},
    ):
        answer = channel.post(path, **missing)
        must(answer.status == 403 and answer.body.startswith(b"<"), f"with {list(missing)}: {answer}")
    return "a token that the client has made is taken; 403 and HTML for the others"


@row(
    "django-otp-webauthn-signed-in",
    "django-otp-webauthn: somebody who is signed in uses another person's key",
    "their own keys are named, user verification is not wanted, and the other key is refused",
    limit=180,
)
def signed_in(lab):
    one, two = guest(lab, "django-otp-webauthn"), guest(lab, "django-otp-webauthn")
    one.client.keeps_session = True
    one.client.channel.cookies = dict(one.party.enrol(one.account).cookies)
    offer = one.client.begin(one.account)
    must(offer.allowed == (one.credential.identifier,), f"other keys are named: {offer.answer}")
    must(offer.answer.json["userVerification"] == "discouraged", f"{offer.answer}")
    outcome = one.client.finish(offer, one.client.authenticator.sign(two.credential, offer.challenge))
    must(not outcome.accepted, str(outcome.answer))
    offer = one.client.begin(one.account)
    unverified = one.client.finish(offer, one.client.authenticator.sign(one.credential, offer.challenge, Twist(verified=False)))
    must(unverified.accepted, str(unverified.answer))
    return f"{outcome.answer}; without user verification {unverified.answer}"


@row(
    "django-allauth-handle",
    "django-allauth: another person's key with one's own handle; a password alone after the first key",
    "both are refused",
    limit=180,
)
def handle(lab):
    one, two = guest(lab, "django-allauth"), guest(lab, "django-allauth")
    forged = dataclasses.replace(two.credential, handle=one.credential.handle)
    outcome = one.client.login(one.account, forged)
    must(not outcome.accepted, str(outcome.answer))
    code = one.party.enrol(one.account).code
    answer = one.client.channel.post("/_allauth/app/v1/auth/login", {"username": one.account, "password": code})
    must(answer.status == 401 and "mfa_authenticate" in str(answer), str(answer))
    return f"{outcome.answer}; {answer}"


@row(
    "flask-security-again",
    "flask-security: a challenge is answered twice, with a counter that is always 0",
    "both answers are accepted, since the server keeps no record of a challenge",
    limit=180,
)
def again(lab):
    party, account = lab.party("flask-security"), lab.account()
    client, zero = party.client(), Twist(counter=0)
    outcome, credential = client.register(account, party.enrol(account), zero)
    must(outcome.accepted, str(outcome.answer))
    offer = client.begin(account)
    signed = client.authenticator.sign(credential, offer.challenge, zero)
    for number in (1, 2):
        outcome = client.finish(offer, signed)
        must(outcome.accepted and party.accepted("login", account) == number, f"answer {number}: {outcome.answer}")
    return f"twice {outcome.answer}"


@row(
    "flask-security-identity",
    "flask-security: a login that names somebody, and one that names nobody's address",
    "the keys of the account, and none; another person's key is accepted all the same",
    limit=180,
)
def identity(lab):
    one, two = guest(lab, "flask-security"), guest(lab, "flask-security")
    one.client.names = True
    must(one.client.begin("nobody").allowed == (), "keys are named for a stranger's address")
    offer = one.client.begin(one.account)
    must(offer.allowed == (one.credential.identifier,), f"other keys are named: {offer.allowed}")
    outcome = one.client.finish(offer, one.client.authenticator.sign(two.credential, offer.challenge))
    must(outcome.accepted and two.logins() == 1 and one.logins() == 0, str(outcome.answer))
    return f"the other person is logged in: {outcome.answer}"
