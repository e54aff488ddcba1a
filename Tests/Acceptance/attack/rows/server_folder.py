"""The server's own files, with owners or permissions that would let another user of the machine write them."""

import os
import pathlib
import shutil
import subprocess

from attack.recorder import enrolment_code
from lab.table import must, row

STRANGER = 65534
FOLDER = pathlib.Path("/srv/uaf-open")
# The commands that open the state and need nothing else.
COMMANDS = {
    "serve": ("--development", "--listen", "127.0.0.1:0"),
    "enrol": ("mina",),
    "users": (),
    "machines": (),
    "join-code create": (),
    "join-code list": (),
    "codes": (),
    "admin list": (),
    "token list": (),
    "revoke": ("mina",),
    "disable": ("mina", "--reason", "left"),
    "lock": ("mina", "--for", "60", "--reason", "lost"),
    "enable": ("mina",),
    "approve": ("mina", "--text", "Pay 10 to Hana"),
    "audit list": (),
    "audit verify": (),
    "audit export": (),
    "audit prune": ("--older-than", "1"),
    "audit texts": (),
    "audit show": ("1",),
    "policy list": (),
    "policy show": (),
    "backup": ("/srv/uaf-backup",),
    "export": ("/srv/uaf-export",),
    "import": ("/srv/uaf-export",),
    "migrate": ("--to", "postgresql://127.0.0.1/uaf"),
}


def as_stranger(*arguments):
    return (
        subprocess.run(
            ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *map(str, arguments)],
            capture_output=True,
            check=False,
        ).returncode
        == 0
    )


def damages():
    """Settings that let a stranger change the folder: {name: (how, the path that the message must name, what to do)}."""

    def mode(path, bits):
        return lambda: path.chmod(bits)

    def link():
        FOLDER.rename(FOLDER.with_suffix(".real"))
        FOLDER.symlink_to(FOLDER.with_suffix(".real"))

    database, parent = FOLDER / "server.db", pathlib.Path("/srv")
    return {
        "folder 777": (mode(FOLDER, 0o777), FOLDER, "chmod"),
        "folder 770": (mode(FOLDER, 0o770), FOLDER, "chmod"),
        "folder of a stranger": (lambda: os.chown(FOLDER, STRANGER, -1), FOLDER, "chown"),
        "folder behind a link": (link, FOLDER, "symbolic link"),
        "store 666": (mode(database, 0o666), database, "chmod"),
        "store of a stranger": (lambda: os.chown(database, STRANGER, -1), database, "chown"),
        "key of a stranger": (lambda: os.chown(FOLDER / "verdict.key", STRANGER, -1), FOLDER / "verdict.key", "chown"),
        "what it lies in 777": (mode(parent, 0o777), parent, "chmod"),
    }


def put_back(saved):
    os.chmod("/srv", 0o755)
    for path in (FOLDER, FOLDER.with_suffix(".real")):
        path.unlink() if path.is_symlink() else shutil.rmtree(path, ignore_errors=True)
    if saved.exists():
        shutil.copytree(saved, FOLDER)


def ends(command):
    """The output and status of a command; a server that keeps running has reported that it listens, and is stopped."""
    name, *more = command.split()
    process = subprocess.Popen(
        ["uaf-server", name, *more, *COMMANDS[command], "--state", str(FOLDER)],
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout
    said = ""
    for line in process.stdout:
        said += line
        if "listening on" in line:
            process.kill()
    return process.wait(), said


@row(
    "A58",
    "the server's state folder, its files, policy and metadata within a stranger's reach",
    "refused by every command that opens them, with the path, the fault and what to do; accepted again after the correction",
    causes=("a local user", "root"),
)
def open_folders(lab):
    saved = pathlib.Path("/tmp/saved-server")
    os.makedirs(FOLDER, mode=0o700)
    lab.after(lambda: shutil.rmtree(saved, ignore_errors=True))
    lab.after(lambda: put_back(pathlib.Path("/nowhere")))
    code, said = ends("serve")
    must("listening on" in said, f"the server does not start at all: {code}: {said}")
    enrolment_code("mina", FOLDER)
    # A killed server may leave its socket, depending on its progress. A socket cannot be copied.
    (FOLDER / "admin.sock").unlink(missing_ok=True)
    shutil.copytree(FOLDER, saved)
    fresh = {path.name: oct(path.stat().st_mode & 0o777) for path in FOLDER.iterdir()}
    refused = 0
    for what, (damage, path, advice) in damages().items():
        damage()
        # The attack itself, if others can write to the folder: a different key replaces the key that signs verdicts.
        swapped = as_stranger("mv", FOLDER / "verdict.key", FOLDER / "verdict.old")
        must(swapped or "folder" not in what or "link" in what or "770" in what, f"{what}: nothing to show")
        if swapped:
            os.rename(FOLDER / "verdict.old", FOLDER / "verdict.key")
        for command in COMMANDS:
            code, said = ends(command)
            must(
                code != 0 and str(path) in said and advice in said and "listening" not in said,
                f"{what}: {command} ends with {code}: {said.strip()}" + ("; a stranger had swapped a key" * swapped),
            )
            refused += 1
        put_back(saved)
    must(ends("users")[1].count("mina") == 1, "with all as it was, the account is not there")
    return (
        f"{refused} of {refused} commands refused in {len(damages())} states; fresh files {sorted(set(fresh.values()))}"
        f"; {given_files(lab)}"
    )


def given_files(lab):
    """Files of the command line: a policy, a folder of metadata, a certificate's key."""
    folder = pathlib.Path("/srv/given")
    folder.mkdir(mode=0o755)
    lab.after(lambda: shutil.rmtree(folder))
    policy, metadata = folder / "policy.json", folder / "metadata"
    policy.write_text('{"accepted": [["passcode"]]}')
    metadata.mkdir(mode=0o755)
    tried = 0
    for option, path in (("--policy", policy), ("--metadata", metadata)):
        COMMANDS["serve"] += (option, str(path))
        must("listening on" in ends("serve")[1], f"{option}: not taken as it should be")
        for target, bits in ((path, 0o777), (folder, 0o777)):
            before = target.stat().st_mode
            target.chmod(bits)
            code, said = ends("serve")
            target.chmod(before)
            must(code != 0 and str(target) in said and "chmod" in said, f"{option}, {target} open: {code}: {said}")
            tried += 1
        COMMANDS["serve"] = COMMANDS["serve"][:-2]
    return f"{tried} of {tried} for policy and metadata"
