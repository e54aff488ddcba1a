"""Environments that every user may create for a process: user namespaces, system call filters; and a disk quota."""

import concurrent.futures
import re
import subprocess

from attack import peer
from lab import hosts
from lab.listener import serve
from lab.machine import STATE
from lab.processes import NAMES, running
from lab.table import Skip, must, row
from lab.waiting import until

# Starts a command under a filter that fakes the success of one system call.
FILTER = r"""
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALL, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  /* In a user namespace of its own it is allowed at once, elsewhere by giving up all new rights. */
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0 &&
      (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0))
    return 120;
  execvp(argv[1], argv + 1);
  return 121;
}
"""
# The calls worth faking: those about identity, and those that write data.
CALLS = ("setuid", "setresuid", "fdatasync", "fcntl", "pwrite64")
USER_NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork")


def in_its_own_root(person, *command):
    """A person's command line outside the chroot, as after a boot: nobody may create a user namespace under chroot."""
    root = _root()
    enter = 'cd "$1" && shift && pivot_root . mnt && umount -l /mnt && exec "$@"'
    return [
        "nsenter",
        "--mount=/proc/1/ns/mnt",
        "unshare",
        "--mount",
        "--propagation",
        "private",
        "sh",
        "-c",
        enter,
        "sh",
        root,
        "setpriv",
        f"--reuid={person.uid}",
        f"--regid={person.uid}",
        "--clear-groups",
        "--",
        *command,
    ]


def _root():
    """The mount point of this machine's root, as seen by process 1."""
    with open("/proc/1/mountinfo") as mounts:
        path = next(line.split()[4] for line in mounts if line.split()[4].endswith("/root/merged"))
    # The kernel writes space, tab, newline and backslash as three octal digits.
    return re.sub(r"\\([0-7]{3})", lambda digits: chr(int(digits[1], 8)), path)


def run(command, answer=""):
    result = subprocess.run(
        command,
        input=answer + "\n",
        text=True,
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=90,
        check=False,
    )
    return result.returncode, result.stdout


def tries(lab, person):
    return lab.status(person)["authenticators"][0]["remainingTries"]


def filters(lab):
    """One program for each call."""
    programs = {}
    for call in CALLS:
        programs[call] = f"/tmp/answers-{call}"
        lab.run("cc", "-x", "c", f"-DCALL=SYS_{call}", "-", "-o", programs[call], answers=FILTER)
    return programs


@row(
    "A64",
    "su, uafctl and a private host in a user namespace, as its root; the same under filters that reply to calls",
    "no setuid program gets root there; the core sees the person; nothing is counted or accepted for another account",
    causes=("a local user",),
)
def own_worlds(lab):
    caller, target = lab.person(), lab.person()
    lab.stack("su", "auth required pam_uaf.so", "account required pam_permit.so", "session required pam_permit.so")
    serve(lab)
    status, said = run(in_its_own_root(caller, *USER_NAMESPACE, "id", "-u"))
    namespaces = status == 0
    must(not namespaces or said.strip() == "0", f"in the namespace the person is {said!r}")
    commands = {
        "su": ("su", target.name, "-c", "echo is-inside; cat /etc/shadow"),
        "its own host": hosts.command("uaf", target.name),
        "its own host, from afar": hosts.command("uaf", target.name, "198.51.100.7"),
        "uafctl unlock": ("uafctl", "unlock", target.name),
        "uafctl forget": ("uafctl", "forget", target.name),
    }
    programs = filters(lab)
    ways: dict[str, tuple] = {f"{call} answered": (program,) for call, program in programs.items()}
    if namespaces:
        ways |= {"user namespace": USER_NAMESPACE}
        ways |= {f"user namespace, {name}": (*USER_NAMESPACE, *prefix) for name, prefix in ways.items() if "answered" in name}
    jobs = [(way, name) for way in ways for name in (commands if way == "user namespace" else ["su"])]

    def attempt(job):
        way, name = job
        return run(in_its_own_root(caller, *ways[way], *commands[name]), target.passcode)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        ends = list(zip(jobs, pool.map(attempt, jobs)))
    for (way, name), (status, said) in ends:
        must(
            status not in (0, 120, 121) and "result 0" not in said and "is-inside" not in said.split(),
            f"{name}, {way}: {status}, {said!r}",
        )
    must((tries(lab, target), tries(lab, caller)) == (5, 5), "something was counted")
    until(lambda: not running(*NAMES), "the end of every core")
    must(lab.login(target, target.passcode).is_in, "the other person is refused afterwards")
    if not namespaces:
        raise Skip(f"nobody without root may make a user namespace here: {said.strip()}")
    seen = f"{len(ways)} worlds, {len(jobs)} programs with another's right value"
    return f"{seen}: none let in, nothing counted, no unlock, no forgetting"


@row(
    "A63",
    "who owns the state files, for a person's disk quota; no quota is set",
    "root owns all of them, whoever calls and however, so a person's quota counts none of them",
    causes=("a local user",),
)
def quota(lab):
    serve(lab)
    person = lab.person()
    lab.stack("su", "auth required pam_uaf.so", "account required pam_permit.so", "session required pam_permit.so")
    # Through the socket as the person, through su as the person, and through root's host: a guess that is counted, and one that
    # clears the count.
    peer.converse(person.uid, peer.begin(peer.AUTHENTICATE), peer.answer("wrong-guess-1"))
    for value in ("wrong-guess-2", person.passcode):
        hosts.su(person, person, value)
        lab.login(person, value)
    files = list(STATE.rglob("*"))
    strange = [str(path) for path in files if (path.lstat().st_uid, path.lstat().st_gid) != (0, 0)]
    must(not strange, f"of others than root are {strange}")
    must(person.state in files, "the person's file is not there")
    return f"{len(files)} files and folders after guesses and logins by socket, su and a host of root's: all root's own"
