"""People whom only a directory knows: an NSS module of Debian, and two of our own, one that lies and one that never answers."""

import os
import pathlib
import re
import shutil
import sysconfig
import threading

from lab import hosts, processes
from lab.listener import serve
from lab.machine import Person
from lab.table import Skip, must, row
from lab.waiting import until

EXTRA = pathlib.Path("/var/lib/extrausers")
SWITCH = pathlib.Path("/etc/nsswitch.conf")
LIBRARIES = pathlib.Path("/usr/lib") / (sysconfig.get_config_var("MULTIARCH") or "x86_64-linux-gnu")
SILENT = 70099
# The interface of an NSS module, for passwd only. It knows nobody, and never answers uaf-name. It answers other
# programs: uafctl also asks it, and would otherwise never reach the core.
HANGS = """
#include <errno.h>
#include <nss.h>
#include <poll.h>
#include <pwd.h>
#include <unistd.h>
enum nss_status _nss_hang_getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size, int *error)
{
  (void)entry, (void)buffer, (void)size;
  while (uid == NUMBER && geteuid() == 60992)
    poll(0, 0, -1);
  *error = ENOENT;
  return NSS_STATUS_NOTFOUND;
}
enum nss_status _nss_hang_getpwnam_r(const char *name, struct passwd *entry, char *buffer, size_t size, int *error)
{
  (void)name, (void)entry, (void)buffer, (void)size;
  *error = ENOENT;
  return NSS_STATUS_NOTFOUND;
}
"""


def directory(lab, *people, services="files extrausers"):
    """Makes the machine use a directory that knows only these people, until the row ends."""
    if not any(folder.glob("libnss_extrausers.so*") for folder in (LIBRARIES, LIBRARIES.parent)):
        raise Skip("libnss-extrausers is not there, and its package could not be fetched")
    before = SWITCH.read_text()

    def back():
        SWITCH.write_text(before)
        shutil.rmtree(EXTRA, ignore_errors=True)

    lab.after(back)
    EXTRA.mkdir(exist_ok=True)
    lines = "".join(f"{person.name}:x:{person.uid}:{person.uid}::/nonexistent:/bin/sh\n" for person in people)
    (EXTRA / "passwd").write_text(lines)
    (EXTRA / "group").write_text("".join(f"{person.name}:x:{person.uid}:\n" for person in people))
    # sudo's account lines check when the password expires.
    (EXTRA / "shadow").write_text("".join(f"{person.name}:*:19000:0:99999:7:::\n" for person in people))
    others = [line for line in before.splitlines() if not re.match(r"(passwd|group|shadow):", line)]
    SWITCH.write_text("\n".join([f"passwd: {services}", "group: files extrausers", "shadow: files extrausers", *others, ""]))


def somebody(number, name=None):
    return Person(name or f"lena{number}", number, f"amber-kite-{number}")


def register(lab, person, name=None, check=True):
    """The person registers with a code for the account `name` at the server, without naming the account on this machine."""
    payload = pathlib.Path(lab.payload(Person(name or person.name, person.uid, "")))
    own = pathlib.Path(f"/tmp/code-{person.uid}")
    own.unlink(missing_ok=True)
    shutil.copy(payload, own)
    os.chown(own, person.uid, person.uid)
    own.chmod(0o600)
    as_person = ("setpriv", "--reuid", person.uid, "--regid", person.uid, "--clear-groups")
    answers = f"{person.passcode}\n{person.passcode}\n"
    return lab.run(*as_person, "uafctl", "register", "passcode", "--code", own, answers=answers, check=check)


def sudo_lets_in(lab, person):
    session = hosts.sudo(person, person.passcode)
    must(session.is_in, f"{person.name} has registered, and sudo does not let in: {session}")
    must(not hosts.sudo(person, "wrong-guess-0").is_in, f"sudo lets {person.name} in with a wrong passcode")


@row(
    "directory-register",
    "uafctl register and sudo by people who are in no /etc/passwd, by libnss-extrausers: the first, by a core that is ready, "
    "and with a code for somebody else",
    "registered under the directory's name and let in by sudo; a code for another name registers nothing",
    causes=("the person",),
)
def registers(lab):
    first, second = somebody(70001), somebody(70002)
    directory(lab, first, second)
    serve(lab, limited=True)
    hosts.ask_uaf(lab, "sudo")
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    register(lab, first)
    until(lambda: any(processes.waits(core) for core in processes.running("uaf-helper")), "a core that is kept ready")
    refused = register(lab, second, first.name, check=False)
    must(refused.returncode == 1 and "different account" in refused.stdout, f"a code for {first.name}: {refused.stdout}")
    must(not second.state.exists(), "something is registered")
    register(lab, second)
    for person in (first, second):
        sudo_lets_in(lab, person)
    must(not processes.running("uaf-name"), "a program that asked the name services is still there")
    return f"{first.name} and {second.name} registered by themselves, and sudo let them in; another's code was refused"


@row(
    "directory-names",
    "the directory gives people the names of other accounts, names with forbidden characters, or none",
    "each is told so, nothing is registered, and the server is not asked; root registers whom the directory knows",
    causes=("a local user", "root"),
)
def names_of_others(lab):
    local = lab.person(registered=False)
    as_local, as_root, odd = somebody(70011, local.name), somebody(70012, "root"), somebody(70013, "lena:x")
    korean, unknown, good = somebody(70014, "민아"), somebody(70015), somebody(70016)
    directory(lab, as_local, as_root, odd, korean, good)
    serve(lab)
    mark = lab.log.mark()
    for person, words in (
        (as_local, "same name as another account"),
        (as_root, "same name as another account"),
        (odd, "no name"),
        (korean, "no name"),
        (unknown, "no name"),
    ):
        said = register(lab, person, name="lena70016", check=False)
        must(said.returncode == 1 and words in said.stdout, f"{person.uid}: {said.stdout}")
        must(not person.state.exists(), f"{person.uid} has state")
    must(len([line for line in lab.log.since(mark) if "result=1011" in line]) == 5, "the log does not say so five times")
    # A host that runs as root sends the uid and the name. So does root's uafctl, which asks the name services itself.
    lab.register(good)
    must(good.state.exists(), "root could not register somebody of the directory")
    return "five refused with words; root registered a sixth"


@row(
    "directory-hangs",
    "a name service never answers for one user id: that person registers, while other people register and use sudo",
    "the person is told that the directory does not answer; the core's program that asked it is confined, and ends; "
    "others are not delayed",
    causes=("the machine",),
)
def hangs(lab):
    silent, other = somebody(SILENT), somebody(70021)
    module = LIBRARIES / "libnss_hang.so.2"
    lab.after(lambda: module.unlink(missing_ok=True))
    source = pathlib.Path("/tmp/hang.c")
    source.write_text(HANGS.replace("NUMBER", str(SILENT)))
    lab.run("cc", "-O1", "-fPIC", "-shared", source, "-o", module)
    directory(lab, other, services="files extrausers hang")
    serve(lab, limited=True)
    hosts.ask_uaf(lab, "sudo")
    hosts.sudoers(lab, "ALL ALL=(ALL) ALL")
    local = lab.person()
    mark, said = lab.log.mark(), []
    waiting = threading.Thread(target=lambda: said.append(register(lab, silent, other.name, check=False)))
    waiting.start()
    asking = until(lambda: [p for p in processes.running("uaf-name") if processes.status(p, "Seccomp") == "2"], "uaf-name")[0]
    seen = {field: processes.status(asking, field) for field in ("Uid", "Gid", "Groups", "CapEff", "CapBnd", "NoNewPrivs")}
    # The network namespace of the program, as the kernel reports it.
    network = os.readlink(f"/proc/{asking}/ns/net")
    sudo_lets_in(lab, local)
    is_asking = bool(said) is False
    waiting.join()
    ids, none = "\t".join(["60992"] * 4), "0" * 16
    must(seen == {"Uid": ids, "Gid": ids, "Groups": "", "CapEff": none, "CapBnd": none, "NoNewPrivs": "1"}, f"{seen}")
    must(network != os.readlink("/proc/self/ns/net"), "uaf-name has the machine's network")
    must(said[0].returncode == 1 and "does not answer" in said[0].stdout, f"{said[0].stdout}")
    must(any("did not reply in 5000 ms" in line for line in lab.log.since(mark, "did not reply")), "the log does not say so")
    must(not processes.running("uaf-name"), "uaf-name is still there")
    register(lab, other)
    sudo_lets_in(lab, other)
    during = "while it asked" if is_asking else "beside it"
    return f"told that the directory does not answer; uaf-name was uid 60992 without a network; sudo let {local.name} in {during}"
