"""Checks that each party treats correct answers and each kind of wrong one as docs/webauthn-servers.md says."""

import dataclasses
import importlib

from cryptography.hazmat.primitives.asymmetric import ec

from lab.table import must, row
from webauthn import document
from webauthn.authenticator import HONEST, Credential, Twist
from webauthn.dialects import Dialect, Enrolment, Refused
from webauthn.rigs import NAME, Party
from webauthn.rigs.every import PARTIES

# Replaces the name in the party's origin, or its rpId.
OTHER = "other.example.com"
# The table in the document, by party.
SAID = {line["server"]: line for line in document.table("What each server checks")}
# What is wrong with an answer to a login, by the head of the table's column.
WRONG = {
    "origin": ("a login with another origin", Twist(origin=OTHER)),
    "rpId": ("a login with the hash of another rpId", Twist(rp_id=OTHER)),
    "UV": ("a login without user verification", Twist(verified=False)),
    "counter": ("a login whose counter has gone back", Twist(counter=1)),
    "zero": ("a login whose counter is 0 after others", Twist(counter=0)),
    "key": ("a login signed by another key", Twist(key=ec.generate_private_key(ec.SECP256R1()))),
    "cut": ("a login with a cut signature", Twist(cut=True)),
    "challenge": ("a login with another challenge", Twist(challenge="A" * 43)),
}
# The same for a registration.
WRONG_KEY = {
    "new origin": ("a registration with another origin", Twist(origin=OTHER)),
    "new rpId": ("a registration with the hash of another rpId", Twist(rp_id=OTHER)),
    "new UV": ("a registration without user verification", Twist(verified=False)),
    "new cut": ("a registration with a packed attestation whose signature is cut", Twist(cut=True)),
}


@dataclasses.dataclass
class Guest:
    """A person of a party, with a key."""

    party: Party
    client: Dialect
    account: str
    credential: Credential

    def logins(self):
        return self.party.accepted("login", self.account)


def guest(lab, name, attestation="none"):
    """A new person at a party, whose key it has accepted."""
    party, account = lab.party(name), lab.account()
    client = party.client(attestation)
    outcome, credential = client.register(account, party.enrol(account))
    must(outcome.accepted, f"the registration: {outcome.answer}")
    must(party.accepted("key", account) == 1, "the party says that it has no key of this person")
    return Guest(party, client, account, credential)


def fitted(twist, party):
    """The twist with an origin of the same form as the party's."""
    return dataclasses.replace(twist, origin=party.origin.replace(NAME, twist.origin)) if twist.origin else twist


def told(outcome):
    return "accepted" if outcome.accepted else "refused"


def compare(name, column, outcome, counted):
    """Breaks the row unless the outcome is the documented one, and the party reports the same number of acceptances."""
    must(outcome.accepted == counted, f"the answer is {outcome.answer}, but the party has counted {counted}")
    said = SAID[name][column]
    must(told(outcome) == said, f"the document says {said}, but: {outcome.answer}")
    return f"{told(outcome)}: {outcome.answer}"


def _login(name, attestation):
    def act(lab):
        one = guest(lab, name, attestation)
        for number in (1, 2):
            outcome = one.client.login(one.account, one.credential)
            must(outcome.accepted, str(outcome.answer))
            must(outcome.who in ("", one.account), f"the answer names {outcome.who}")
            must(one.logins() == number, f"after {number} logins the party counts {one.logins()}")
        named = "the account" if outcome.who else "nobody"
        must(SAID[name]["names"] == named, f"the document says that it names {SAID[name]['names']}, but: {outcome.answer}")
        return f"two logins: {outcome.answer}"

    return act


def _wrong(name, column, twist):
    def act(lab):
        one = guest(lab, name)
        for _ in range(2):
            must(one.client.login(one.account, one.credential).accepted, "a correct login is refused")
        before = one.logins()
        outcome = one.client.login(one.account, one.credential, fitted(twist, one.party))
        shown = compare(name, column, outcome, one.logins() > before)
        # A later correct login succeeds: a refused answer locks nobody out.
        after = one.client.login(one.account, one.credential)
        must(after.accepted, f"a correct login afterwards: {after.answer}")
        return shown

    return act


def _wrong_key(name, column, twist):
    def act(lab):
        party, account = lab.party(name), lab.account()
        # Only that of packed is signed.
        client = party.client("packed" if twist.cut else "none")
        outcome, _ = client.register(account, party.enrol(account), fitted(twist, party))
        return compare(name, column, outcome, party.accepted("key", account) > 0)

    return act


def _alphabet(name):
    def act(lab):
        party, account = lab.party(name), lab.account()
        client = party.client()
        client.encode = client.other
        outcome, credential = client.register(account, party.enrol(account))
        # A server may have stored a key that it cannot find again.
        if not outcome.accepted:
            return compare(name, "other base64", outcome, party.accepted("key", account) > 0)
        outcome = client.login(account, credential)
        return compare(name, "other base64", outcome, party.accepted("login", account) > 0)

    return act


def _replay(name):
    def act(lab):
        one = guest(lab, name)
        offer = one.client.begin(one.account)
        signed = one.client.authenticator.sign(one.credential, offer.challenge)
        must(one.client.finish(offer, signed).accepted, "a correct login is refused")
        before = one.logins()
        again = one.client.finish(offer, signed)
        compare(name, "replay", again, one.logins() > before)
        later = one.client.finish(one.client.begin(one.account), signed)
        compare(name, "replay", later, one.logins() > before)
        return f"at once {again.answer}; to a later challenge {later.answer}"

    return act


def _stranger(name):
    def act(lab):
        one, two = guest(lab, name), guest(lab, name)
        before = one.logins(), two.logins()
        offer = one.client.begin(one.account)
        outcome = one.client.finish(offer, one.client.authenticator.sign(two.credential, offer.challenge, HONEST))
        must(one.logins() == before[0], f"another person's key logs in {one.account}: {outcome.answer}")
        must(outcome.who != one.account, f"another person's key logs in as {one.account}: {outcome.answer}")
        return compare(name, "another's key", outcome, two.logins() > before[1])

    return act


def _unknown(name):
    def act(lab):
        known, party, client = guest(lab, name), lab.party(name), lab.party(name).client()
        if not known.client.begin(known.account).allowed:
            seen, text = "no keys", "no keys are named to anybody"
        else:
            try:
                offers = [client.begin("nobody") for _ in range(2)]
                same = offers[0].allowed == offers[1].allowed
                seen = "decoys" if offers[0].allowed and same else "nothing"
                text = f"{len(offers[0].allowed)} keys, {'the same twice' if same else 'others each time'}"
            except Refused as reason:
                seen, text = "an error", str(reason)
        said = SAID[name]["unknown name"]
        must(seen == said, f"the document says {said}, but {seen} was seen: {text}")
        return f"{seen}: {text}; {party.name} tells a key's owner {len(known.client.begin(known.account).allowed)} keys"

    return act


def _code(name):
    def act(lab):
        party, account = lab.party(name), lab.account()
        party.enrol(account)
        try:
            outcome, _ = party.client().register(account, Enrolment())
        except Refused as reason:
            must(party.accepted("key", account) == 0, "the party has a key")
            must(SAID[name]["no code"] == "refused", f"the document says {SAID[name]['no code']}, but: {reason}")
            return f"refused: {reason}"
        return compare(name, "no code", outcome, party.accepted("key", account) > 0)

    return act


def _add(name):
    row(f"{name}-login", f"{name}: a key is registered, and logs in twice", "both are accepted", limit=180)(_login(name, "none"))
    row(f"{name}-packed", f"{name}: the same with a packed self attestation", "both are accepted", limit=180)(
        _login(name, "packed")
    )
    row(f"{name}-alphabet", f"{name}: the other form of base64", SAID[name]["other base64"], limit=180)(_alphabet(name))
    row(f"{name}-replay", f"{name}: an answer is sent again", SAID[name]["replay"], limit=180)(_replay(name))
    row(f"{name}-stranger", f"{name}: another person's key", SAID[name]["another's key"], limit=180)(_stranger(name))
    row(f"{name}-unknown", f"{name}: a name that nobody has", SAID[name]["unknown name"], limit=180)(_unknown(name))
    row(f"{name}-code", f"{name}: a registration without what its person got", SAID[name]["no code"], limit=180)(_code(name))
    for kinds, make in ((WRONG, _wrong), (WRONG_KEY, _wrong_key)):
        for column, (title, twist) in kinds.items():
            identifier = f"{name}-{column.replace(' ', '-').lower()}"
            row(identifier, f"{name}: {title}", SAID[name][column], limit=180)(make(name, column, twist))


def quick():
    """The rows of the parties that start quickly, including the rows of our client there."""
    from lab.table import ROWS

    # Its rows register when it is imported.
    importlib.import_module("webauthn.rows.client")

    names = [f"{name}-" for name, kind in PARTIES.items() if not kind.slow]
    return [identifier for identifier in ROWS if identifier.startswith(tuple(names))]


for _name, _kind in PARTIES.items():
    if not _kind.stand_in:
        _add(_name)
