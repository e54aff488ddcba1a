"""AppArmor as the packages bring it: what the profiles let the programs do, and what they refuse them."""

from lab.table import must, row
from packages import scene
from packages.scene import LET_IN, PASSCODE

PROFILES = ("pam-uaf", "uaf-server")
NEW = "copper-lake-93"


def enforce(machine):
    """Makes the profiles refuse, as an administrator does; the server and the listener start anew under them."""
    machine.run("aa-enforce", *(f"/etc/apparmor.d/{name}" for name in PROFILES))
    machine.run("systemctl", "stop", "pam-uaf.service")
    machine.run("systemctl", "restart", "uaf-server")


def labels(machine):
    """The confined programs that run, each with its label."""
    lines = machine.run("ps", "-e", "-o", "label,comm").stdout.splitlines()
    return sorted({" ".join(line.split()) for line in lines if "uaf-" in line.split()[0]})


def refusals(machine):
    """What AppArmor has refused to a profile of ours since the start."""
    lines = machine.run("dmesg").stdout.splitlines()
    return [line for line in lines if 'apparmor="DENIED"' in line and 'profile="uaf-' in line]


@row(
    "V2",
    "every way in under AppArmor: sudo, su, ssh, a change, a lock and its end, a registration, doctor",
    "core, network program and server run under enforced profiles; all works, and nothing is refused",
)
def everything_works(lab):
    with lab.started() as machine:
        # Each refusal is to be seen, also in a burst.
        machine.run("sysctl", "kernel.printk_ratelimit=0")
        doctor = machine.run("uafctl", "doctor", check=False).stdout
        must("AppArmor only reports" in doctor, f"uafctl doctor before the profiles are enforced: {doctor}")
        enforce(machine)
        scene.rescuer(machine, "otto")
        for service in ("sudo", "su", "sshd"):
            machine.run("uafctl", "pam", "enable", service)
        for host, session in (
            ("sudo", scene.sudo(machine, "mina", PASSCODE)),
            ("su", scene.su(machine, "otto", "mina", PASSCODE)),
            ("ssh", scene.ssh(machine, "mina", PASSCODE)),
        ):
            must(LET_IN in session.text, f"{host}: {session.text!r}")
        as_mina = ("runuser", "-u", "mina", "--", "uafctl")
        machine.run(*as_mina, "change", "passcode", answers=f"{PASSCODE}\n{NEW}\n{NEW}\n")
        for _ in range(3):
            must(LET_IN not in scene.sudo(machine, "mina", "wrong-guess-1").text, "a wrong passcode let in")
        must(LET_IN not in scene.sudo(machine, "mina", NEW).text, "a locked account lets in")
        machine.run("uafctl", "unlock", "mina")
        must(LET_IN in scene.sudo(machine, "mina", NEW).text, "the new passcode does not let in")
        scene.register(machine, "otto")
        machine.run(*as_mina, "status")
        doctor = machine.run("uafctl", "doctor", check=False).stdout
        must("FAIL" not in doctor and ", AppArmor" in doctor, f"uafctl doctor: {doctor}")
        seen = labels(machine)
        for expected in ("uaf-helper (enforce) uaf-helper", "uaf-server (enforce) uaf-server"):
            must(expected in seen, f"not confined: {expected}, but {seen}")
        must(any("uaf-fetch//&uaf-helper" in label for label in seen), f"no network program with both profiles: {seen}")
        must(not refusals(machine), f"refused: {refusals(machine)[:5]}")
        return f"all let in and nothing was refused: {', '.join(seen)}"


@row(
    "V3",
    "programs under our profiles that do what ours never do",
    "/etc/shadow, files of root, a home, stacks, units, its own profile, a shell and memory of others are refused to each",
    causes=("the network", "a local user"),
)
def profiles_refuse(lab):
    with lab.started() as machine:
        enforce(machine)
        machine.run("sh", "-c", "echo secret >/root/secret")
        tried = 0
        for profile in ("uaf-helper", "uaf-fetch", "uaf-chip", "uaf-finger", "uaf-name", "uaf-server"):
            # Python stands for a program of ours that an attacker has taken over.
            for what, script in OUTSIDE.items():
                seen = as_if_taken_over(machine, profile, script)
                must(seen == "refused", f"{profile}: {what}: {seen}")
                tried += 1
        return f"{tried} attempts were refused to 6 profiles"


# Each prints "allowed", or ends with PermissionError.
OUTSIDE = {
    "read /etc/shadow": "open('/etc/shadow').read()",
    "read a file of root's": "open('/root/secret').read()",
    "read a home": "open('/home/mina/payload').read()",
    "write to a stack of PAM": "open('/etc/pam.d/sudo', 'a')",
    "write its own profile": "open('/etc/apparmor.d/pam-uaf', 'a')",
    "write a unit": "open('/etc/systemd/system/x.service', 'w')",
    "start a shell": "subprocess.run(['/bin/sh', '-c', 'true'], check=True)",
    "read another's memory": "open('/proc/1/mem', 'rb').read(1)",
}
TAKEN_OVER = """
import subprocess
open('/proc/thread-self/attr/apparmor/current', 'w').write('changeprofile {profile}')
try:
    {script}
    print('allowed')
except PermissionError:
    print('refused')
"""


def as_if_taken_over(machine, profile, script):
    """The verdict on a piece of Python that runs under a profile, as root."""
    done = machine.run("python3", "-c", TAKEN_OVER.format(profile=profile, script=script), check=False)
    return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else f"status {done.returncode}"


@row(
    "V4",
    "a profile that was changed until the core cannot work; a profile that is not loaded; AppArmor off",
    "doctor names each; a broken profile lets nobody past the passcode; without AppArmor all works",
    causes=("root",),
)
def broken_profile(lab):
    with lab.started() as machine:
        enforce(machine)
        scene.rescuer(machine, "otto")
        machine.run("uafctl", "pam", "enable", "sudo")
        machine.write("/etc/apparmor.d/local/pam-uaf", "deny /var/lib/pam-uaf/** rwkl,\n")
        machine.run("apparmor_parser", "-r", "/etc/apparmor.d/pam-uaf")
        must(LET_IN not in scene.sudo(machine, "mina", scene.PASSWORD).text, "mina's password lets in")
        must(LET_IN in scene.sudo(machine, "otto", scene.PASSWORD).text, "the second way does not let in")
        machine.write("/etc/apparmor.d/local/pam-uaf", "")
        machine.run("apparmor_parser", "-R", "/etc/apparmor.d/pam-uaf")
        doctor = machine.run("uafctl", "doctor", check=False).stdout
        must("kernel-apparmor" in doctor, f"doctor does not name the profile that is not loaded: {doctor}")
        machine.run("systemctl", "stop", "pam-uaf.service")
        must(LET_IN in scene.sudo(machine, "mina", PASSCODE).text, "without the profile nobody gets in")
        machine.run("apparmor_parser", "-r", "/etc/apparmor.d/pam-uaf")
        must("kernel-apparmor" not in machine.run("uafctl", "doctor", check=False).stdout, "doctor still warns")
        return "refused under a broken profile but for the second way; works without one; doctor names it"
