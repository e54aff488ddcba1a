"""TLS, the password, and the process that searches."""

import contextlib
import os
import pathlib
import subprocess

from directory.slapd import ADDRESS, NAME, PASSWORDS, PLAIN, READER, TLS
from lab.processes import running
from lab.table import must, row
from lab.waiting import until


@row(
    "L9",
    "StartTLS and ldaps with the right authority; both with a different one; a name and an address that the certificate lacks; "
    "no file with authorities",
    "the first two work; all others end before the directory has received a name or a password: exit status 3, and 2 for the "
    "file that is not there",
)
def authority(desk):
    desk.begin()
    plain, tls = f"ldap://{NAME}:{PLAIN}", f"ldaps://{NAME}:{TLS}"
    for url in (plain, tls):
        run = desk.sync("--dry-run", url=url)
        must(run.status == 0 and len(run.steps) == 200, f"{url}: {run.notes}")
    stranger = str(desk.strangers / "ca.pem")
    cases = [
        {"url": plain, "authorities": stranger},
        {"url": tls, "authorities": stranger},
        {"url": f"ldap://alias.example.org:{PLAIN}"},
        {"url": f"ldaps://{ADDRESS}:{TLS}"},
    ]
    before = desk.directory.program.told().count(" BIND ")
    for case in cases:
        run = desk.sync(**case)
        must(run.status == 3 and "certificate" in run.notes, f"{case}: exit {run.status}: {run.notes[-300:]}")
    missing = desk.sync(url=plain, authorities="/nonexistent.pem")
    must(missing.status == 2 and "/nonexistent.pem" in missing.notes, f"exit {missing.status}: {missing.notes[-300:]}")
    must(desk.directory.program.told().count(" BIND ") == before, "the directory has received a name")
    must(desk.users() == {}, "a refused directory has changed the store")
    return f"{len(cases) + 1} refused without a bind; StartTLS and ldaps work with the right authority"


@row(
    "L10",
    "settings of root's own libldap that switch the check of certificates off, in files and in the environment",
    "they change nothing: a different authority is refused",
)
def own_configuration(desk):
    desk.begin()
    for path in ("/etc/ldap/ldap.conf", "/root/.ldaprc", "ldaprc"):
        pathlib.Path(path).parent.mkdir(exist_ok=True)
        pathlib.Path(path).write_text("TLS_REQCERT never\n")
    command = desk.command(authorities=str(desk.strangers / "ca.pem"))
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, "HOME": "/root", "LDAPTLS_REQCERT": "never"}
    )
    must(done.returncode == 3, f"exit {done.returncode}: {done.stderr[-300:]}")
    return done.stderr.strip()[-150:]


@row(
    "L11",
    "a wrong password; a password file that others can read; one that does not exist",
    "exit status 1, 2 and 2; nothing is changed, and no output contains the password",
)
def password(desk):
    desk.begin()
    wrong = desk.sync(password="wrong-Password-9")
    must(wrong.status == 1 and "refuses bindDN" in wrong.notes, f"{wrong}")
    command = desk.command()
    secret = pathlib.Path("/root/ldap.password")
    seen = []
    secret.chmod(0o644)
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        must(done.returncode == 2, f"exit {done.returncode}: {done.stderr}")
        seen.append(done.stdout + done.stderr)
        secret.unlink(missing_ok=True)
    must(desk.users() == {}, "the store has changed")
    for text in (wrong.notes, *seen):
        must("Password" not in text, f"the output has a password: {text}")
    return f"{wrong.notes.strip()[-90:]} / {seen[0].strip()[-60:]} / {seen[1].strip()[-40:]}"


def content(path):
    """A file of /proc; empty once its process has ended."""
    with contextlib.suppress(OSError):
        return path.read_bytes()
    return b""


def descriptors(process):
    """What a process has open."""
    with contextlib.suppress(OSError):
        return sorted(os.readlink(path).split(":")[0] for path in pathlib.Path(f"/proc/{process}/fd").iterdir())
    return []


@row(
    "L12",
    "the process that searches, while the directory is stopped",
    "it runs as a uid of its own without groups and capabilities, has no other descriptors than its pipes, and the password is "
    "neither in the arguments nor in the environment of any process",
)
def process(desk):
    desk.begin()
    desk.directory.program.freeze()
    with subprocess.Popen(desk.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        search = until(lambda: [number for number in running("ldapsearch") if "socket" in descriptors(number)], "a connection")
        folder = pathlib.Path(f"/proc/{search[0]}")
        status = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines() if ":\t" in line)
        exposed = [
            path
            for path in pathlib.Path("/proc").glob("[0-9]*/*")
            if path.name in ("cmdline", "environ") and PASSWORDS[READER].encode() in content(path)
        ]
        open_ones = descriptors(search[0])
        desk.directory.program.thaw()
        output, notes = run.communicate(timeout=60)
    must(set(status["Uid"].split()) == {"60993"} and set(status["Gid"].split()) == {"60993"}, f"{status['Uid']}")
    must(status["Groups"].strip() == "" and int(status["CapEff"], 16) == 0 and int(status["CapBnd"], 16) == 0, "rights")
    must(status["NoNewPrivs"].strip() == "1", "it could get new privileges")
    must(not exposed, f"the password is in {exposed}")
    # The pipe with the password is open until ldapsearch has connected.
    must(open_ones in (["/dev/null", *["pipe"] * 3, "socket"], ["/dev/null", *["pipe"] * 2, "socket"]), f"{open_ones}")
    must(run.returncode == 0 and len(desk.run_of(0, output, notes).steps) == 200, f"afterwards: {notes}")
    return f"uid {status['Uid'].split()[0]}, no groups, no capabilities, descriptors {open_ones}"
