"""A module and a core of different versions, which run together for a moment during an upgrade."""

import pathlib
import shutil

from attack import peer
from lab import hosts
from lab.machine import HELPER, ROOT
from lab.table import must, row

NOT_ONE_PACKAGE = 1006
CURRENT = 5
OLDER = (3, 4)


def module(lab, version):
    """Builds the module with a different protocol version, and installs it under a different name."""
    source = pathlib.Path(f"/tmp/module-{version}/cshim")
    if not source.exists():
        shutil.copytree(ROOT / "cshim", source)
        limits = source / "limits.h"
        before = limits.read_text()
        after = before.replace(f"#define UAF_PROTOCOL_VERSION {CURRENT}\n", f"#define UAF_PROTOCOL_VERSION {version}\n")
        if after == before:
            raise RuntimeError("limits.h has no version where it was")
        limits.write_text(after)
        lab.run("make", "-s", "-C", source, f"BUILD={source.parent}/build")
    installed = next(pathlib.Path("/usr/lib").glob("*/security/pam_uaf.so")).with_name(f"pam_uaf_{version}.so")
    shutil.copy(source.parent / "build/pam_uaf.so", installed)
    lab.after(installed.unlink)
    return installed.name


def stub(lab, *packets):
    """Installs a core of a different version: it answers the first packet with these bytes, and ends."""
    script = "\n".join(
        [
            "import socket",
            "core = socket.socket(fileno=3)",
            "core.recv(65536)",
            *(f"core.send(bytes.fromhex('{packet.hex()}'))" for packet in packets),
            "core.recv(65536)",
        ]
    )
    python = lab.run("sh", "-c", "command -v python3").stdout.strip()
    # Not over the program that may be running.
    new = pathlib.Path(HELPER + ".new")
    new.write_text(f"#!{python}\n{script}\n")
    new.chmod(0o755)
    new.rename(HELPER)


@row(
    "A41",
    "an old module with a new core, and the reverse",
    "it works, or is clearly refused: PAM_SYSTEM_ERR with a text and a line in the log, and the stack continues",
    causes=("root",),
)
def versions(lab):
    person, seen = lab.person(), []
    for version, older in ((1, "module"), (6, "helper"), (65535, "helper"))[: 3 if lab.thorough else 2]:
        name = module(lab, version)
        lab.stack("aged", f"auth required {name}", "account required pam_permit.so")
        mark = lab.log.mark()
        login = lab.login(person, person.passcode, "aged")
        must(login.code == hosts.SYSTEM_ERR, f"a module of version {version}: {login}")
        must(f"{older} is older" in login.text, f"a module of version {version} is told: {login.text}")
        told = lab.log.since(mark, f"protocol version {version}")
        must(any(f"protocol version {version}" in line for line in told), f"version {version} is not in the log")
        # A stack whose next line accepts the password: shows whether that line still runs.
        lab.stack("aged", f"auth sufficient {name}", "auth required pam_unix.so", "account required pam_permit.so")
        must(lab.login(person, person.password, "aged").is_in, f"after a module of version {version} the stack ended")
        seen.append(f'module {version}: {login.code}, "the {older} is older"')
    left = lab.status(person)["authenticators"][0]["remainingTries"]
    must(left == 5, f"{5 - left} tries were taken")
    must(lab.login(person, person.passcode).is_in, "the module of this package lets nobody in")
    for spoken in OLDER:
        lab.stack("aged", f"auth required {module(lab, spoken)}", "account required pam_permit.so")
        # A module of this code at a console would send a field that the older version does not have.
        must(
            lab.login(person, person.passcode, "aged", remote="203.0.113.7").is_in, f"a module of version {spoken} lets nobody in"
        )
        must(
            not lab.login(person, "wrong1111", "aged", remote="203.0.113.7").is_in,
            f"a module of version {spoken} lets everybody in",
        )
        seen.append(f"module {spoken}: in")
    lab.stack("aged", "auth required pam_uaf.so", "account required pam_permit.so")
    kept = pathlib.Path(HELPER + ".kept")
    shutil.copy(HELPER, kept)
    lab.after(lambda: kept.replace(HELPER))
    finished = bytes([peer.FINISHED]) + peer.field(1, bytes([hosts.SYSTEM_ERR]))
    yes = bytes([peer.FINISHED]) + peer.field(1, b"\0") + peer.field(2, bytes(4))
    cores = {
        "refuses this version": [
            bytes([peer.ERROR]) + peer.field(1, b"too old"),
            finished + peer.field(2, NOT_ONE_PACKAGE.to_bytes(4, "big")),
        ],
        "has a message more": [bytes([0x88]) + peer.field(1, b"news"), yes],
        "has a field more in its yes": [yes + peer.field(9, b"\1")],
        "has a wider result": [bytes([peer.FINISHED]) + peer.field(1, b"\0") + peer.field(2, bytes(8))],
        "knows another end": [bytes([0x90]), yes],
    }
    for what, packets in cores.items():
        stub(lab, *packets)
        login = lab.login(person, person.passcode, "aged")
        must(login.code == hosts.SYSTEM_ERR and "error" in login.text, f"a core that {what}: {login}")
    return f"{'; '.join(seen)}; {len(cores)} cores of other ages: PAM_SYSTEM_ERR with a text; no try taken; the stack goes on"
