"""The connection to the server, as the libraries of the release make it."""

import ssl

from lab.hellos import GROUPS, Relay, chosen_group, offered_groups
from lab.table import must, row

# The first message of older clients takes two pieces of this size, that of clients with a ML-KEM key more.
PIECE = 200


@row(
    "tls-groups",
    "a login whose ClientHello comes in several TCP segments",
    "in; the server agrees on the first group that the client brought a key of, X25519MLKEM768 from OpenSSL 3.5 on",
)
def groups(lab):
    person = lab.person()
    relay = Relay(lab, PIECE)
    lab.configure(port=relay.port)
    must(lab.login(person, person.passcode).is_in, "not let in")
    must(relay.seen, "nobody came to the server")
    chosen = set()
    for hellos in relay.seen:
        must(len(hellos.client) > PIECE, f"a ClientHello of {len(hellos.client)} bytes is in one segment")
        offered, group = offered_groups(hellos.client), chosen_group(hellos.server)
        must(group == offered[0], f"agreed on {group:#x}, although offered {offered}")
        # Python's libssl is the one that libcurl has.
        has_hybrid = ssl.OPENSSL_VERSION_INFO >= (3, 5)
        must(GROUPS.get(group) == ("X25519MLKEM768" if has_hybrid else "X25519"), f"agreed on {group:#x}")
        chosen.add(group)
    sizes = [len(hellos.client) for hellos in relay.seen]
    segments = -(-max(sizes) // PIECE)
    return f"in by {', '.join(GROUPS[group] for group in chosen)}; a ClientHello of {max(sizes)} bytes in {segments} segments"
