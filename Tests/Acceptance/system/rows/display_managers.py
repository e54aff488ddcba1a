"""Display managers: the PAM files of their Debian packages, and `uafctl pam` on them.

A greeter needs a screen. The small host takes its place: it shows PAM's messages one by one and answers each prompt, as the
greeters of GDM and LightDM do, or gives the same string to all prompts, as SDDM does. For GDM's lists there is gdm-host.c, which
is built with the header of Debian's libgdm-dev.
"""

import functools
import pathlib
import subprocess

from lab.machine import ROOT
from lab.table import Skip, must, row
from system import cases
from system.rows.stacks import log_in
from system.rows.switching import FOLDER, everything, uafctl
from system.stack_cases import SERVICES

# Where system.sh puts the packages, which are not installed.
PACKAGES = ROOT / "build/system/display-managers"
# By package: the services that `uafctl pam enable` changes, and those that never prompt.
MANAGERS = {
    "gdm3": ("gdm", ("gdm-autologin", "gdm-launch-environment")),
    "lightdm": ("lightdm", ("lightdm-autologin", "lightdm-greeter")),
    "sddm": ("sddm", ("sddm-autologin", "sddm-greeter")),
}


def unpacked(package, part):
    """Unpacks one folder of a package; returns where the package's files are."""
    archive = next(PACKAGES.glob(f"{package}_*.deb"), None)
    if archive is None:
        raise Skip(f"the package {package} could not be fetched")
    folder = pathlib.Path("/tmp/files-of", package)
    folder.mkdir(parents=True, exist_ok=True)
    files = subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", folder, part], input=files, check=True)
    return folder


def bring(lab, package):
    """Copies the package's PAM files to /etc/pam.d; returns their names."""
    folder = unpacked(package, "./etc/pam.d")
    found = [path for path in sorted((folder / "etc/pam.d").iterdir()) if path.is_file()]
    for path in found:
        lab.stack(path.name, *path.read_text().splitlines())
    return [path.name for path in found]


def refuses(lab, names):
    """Checks that `uafctl pam enable` leaves services without a prompt unchanged, even if a stack is named for them."""
    for name in names:
        for options in ((), ("--template", "display-manager")):
            refused = uafctl(lab, "pam", "enable", name, *options, check=False)
            must(refused.returncode == 2 and f"{name} asks nobody" in refused.stdout, f"{name}: {refused.stdout}")


def logins(lab, service, person):
    """Logs in with the server and without it; each as (what was asked, whether it was let in)."""

    def seen(passcode, port=None):
        if port:
            lab.configure(port=port)
        answers = {"passcode": passcode, "password": person.password}
        login = log_in(service, person, None, service.stages, answers)
        lab.configure()
        return ", ".join(login.asked), bool(login.codes) and not any(login.codes)

    return {
        "right": seen(person.passcode),
        "wrong": seen(cases.WRONG),
        "down": seen(person.passcode, cases.CLOSED_PORT),
        "down, wrong": seen(cases.WRONG, cases.CLOSED_PORT),
    }


@row(
    "display-managers",
    "uafctl pam enable gdm-password, lightdm and sddm, with the files of Debian's packages, and disable",
    "only the right passcode lets in; without the server a second prompt asks for the password, except at SDDM's greeter; "
    "files that ask nobody are refused; enable changes only the service's own files, and disable restores them",
)
def display_managers(lab):
    rescued, person, done = lab.rescuer(), lab.person(), []
    for package, (kind, unattended) in MANAGERS.items():
        service = SERVICES[kind]
        names = bring(lab, package)
        must({service.name, *unattended} <= set(names), f"{package} has {names}")
        before = everything()
        refuses(lab, unattended)
        must(everything() == before, "a file was changed by a refused call")
        lab.after(functools.partial(uafctl, lab, "pam", "disable", service.name, check=False))
        uafctl(lab, "pam", "enable", service.name, "--anyway")
        changed = {name for name, text in everything().items() if before.get(name) != text}
        must(changed == {service.name, f"uaf-{service.name}", f".{service.name}.before-uaf"}, f"{package}: changed {changed}")
        falls_back = not service.types_once
        expected = {
            "right": ("passcode", True),
            "wrong": ("passcode", False),
            "down, wrong": ("passcode", False),
            "down": ("passcode, password", True) if falls_back else ("passcode", False),
        }
        found = logins(lab, service, person)
        must(found == expected, f"{service.name}: {found}")
        way = log_in(service, rescued, None, service.stages, {"password": rescued.password})
        must(way.asked == ("password",) and not any(way.codes), f"{service.name}, one of uaf-rescue: {way} {way.text!r}")
        uafctl(lab, "pam", "disable", service.name)
        must(everything() == before, f"{package}: not as before after disable")
        done.append(f"{service.name} ({len(names)} files)")
    return (
        f"{', '.join(done)}: in by the passcode, by the password after it where a second question can be asked, and by uaf-rescue"
    )


@row(
    "display-manager-ways",
    "uafctl pam status after gdm-password was enabled",
    "GDM's login by a finger is named as one without the passcode",
)
def ways(lab):
    lab.rescuer()
    bring(lab, "gdm3")
    uafctl(lab, "pam", "enable", "gdm-password", "--anyway")
    lab.after(lambda: uafctl(lab, "pam", "disable", "gdm-password"))
    status = uafctl(lab, "pam", "status").stdout
    open_ways = status.partition("services that do not ask for the passcode: ")[2]
    must("gdm-password: fallback/display-manager\n" in status and "gdm-fingerprint" in open_ways, status)
    must("autologin" not in status and (FOLDER / "gdm-autologin").exists(), status)
    return open_ways.strip()


@row(
    "display-manager-list",
    "gdm-password: somebody with a passcode and a pattern, at a host built with GDM's own header for lists",
    "a list; what is picked is asked for, and lets in; what was not in the list is told, not counted, and the one used last is "
    "asked for; a setuid host and a host of another service show no list",
)
def listed(lab):
    header = unpacked("libgdm-dev", "./usr/include/gdm") / "usr/include"
    host = pathlib.Path("/usr/local/bin/gdm-host")
    source = ROOT / "Tests/Acceptance/system/gdm-host.c"
    lab.compile(source, host, "-D_GNU_SOURCE", "-isystem", header)
    lab.after(host.unlink)
    person, pattern = lab.person(), "147896"
    lab.configure(authenticators='["passcode", "pattern"]')
    lab.run("uafctl", "register", person.name, "pattern", "--payload", lab.payload(person), answers=f"{pattern}\n{pattern}\n")
    for name in ("gdm-password", "gdm-fingerprint"):
        lab.stack(name, "auth required pam_uaf.so", "account required pam_permit.so")

    def seen(*answers, service="gdm-password", language="en_US.UTF-8", before=()):
        called = ["env", f"LC_ALL={language}", *before, host, "/etc/pam.d", service, person.name]
        typed = "".join(f"{line}\n" for line in answers)
        said = subprocess.run(called, input=typed, capture_output=True, text=True, timeout=60, check=False)
        return said.stdout.splitlines()

    heading = f"list Authenticators of {person.name}: | 1: passcode | 2: pattern"
    for key, value, asked in (("1", person.passcode, "Passcode for"), ("2", pattern, "Pattern for")):
        lines = seen(key, value)
        must(lines[0] == heading and lines[-1] == "result 0" and asked in lines[-2], f"{key}: {lines}")
    korean = seen("2", pattern, language="ko_KR.UTF-8")
    must("1: 패스코드 | 2: 패턴" in korean[0] and korean[-1] == "result 0", f"in Korean: {korean}")
    lines = seen("pattern", pattern)
    told = "error Nothing in the list was chosen; this was not counted."
    must(lines[0] == heading and lines[1] == told and lines[-1] == "result 0", f"not in the list: {lines}")
    lines = seen("1", cases.WRONG)
    must(lines[-1] != "result 0", f"a wrong passcode: {lines}")
    lines = seen()
    must(lines[0] == heading and lines[-1] == "result 19", f"cancelled: {lines}")
    for what, lines in (
        ("another service", seen(pattern, service="gdm-fingerprint")),
        ("a caller of a setuid host", seen(pattern, before=("setpriv", "--ruid", str(person.uid)))),
    ):
        must(not any(line.startswith("list") for line in lines) and lines[-1] == "result 0", f"{what}: {lines}")
    return korean[0]
