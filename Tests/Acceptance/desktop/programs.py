"""Display managers and screen lockers of Debian, started at screens without a monitor.

Each is a front: somebody enters a value there, it asks libpam with the service's own file of Debian's package, changed by
`uafctl pam enable`, and then lets in or not. What it shows of PAM's texts differs, and is told by its attributes.
"""

import os
import pathlib
import pty
import pwd
import select
import shutil
import subprocess
import termios
import typing

from desktop.desk import by
from desktop.display import LIMIT, Screen, WaylandScreen, XScreen, end, is_shown
from lab.listener import serve
from lab.machine import Person
from lab.processes import asks_alone, running
from lab.table import Broken, Skip, must
from lab.waiting import until

BUS = pathlib.Path("/run/dbus/system_bus_socket")
SERVER, SESSION = pathlib.Path("/usr/local/bin/screen-server"), pathlib.Path("/usr/local/bin/lab-session")
# The display manager's X server: without a virtual terminal, which the namespaces do not have, and open to the row. Without
# -noreset it would begin anew, and end the greeter's connection, when the row's first look at it is over.
SERVER_TEXT = """#!/bin/bash
arguments=()
while (($#)); do
  case $1 in
    -auth | -seat | -background) shift ;;
    vt* | -novtswitch) ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
exec Xvfb "${arguments[@]}" -screen 0 1024x768x24 -ac -noreset
"""
# What runs once somebody is in: it says so, and whatever a row wants to know of the session.
SESSION_TEXT = """#!/bin/sh
if [ -x /tmp/ask-in-session ]; then /tmp/ask-in-session >"/tmp/session-$(id -un).part" 2>&1; fi
id -un >>"/tmp/session-$(id -un).part"
mv "/tmp/session-$(id -un).part" "/tmp/session-$(id -un)"
exec sleep 600
"""
XSESSION = "[Desktop Entry]\nName=Lab\nExec=/usr/local/bin/lab-session\nType=Application\n"


class Front:
    """A program that asks for the passcode. Use `start`, `ask`, `screen.enter`, `is_in`; it ends with the row."""

    # The service, and the program whose absence skips the rows.
    service, program = "", ""
    # The service that is enabled instead, because this one takes its lines from there.
    enabled = ""
    # By the person's language, the words that show that it asks for the passcode; None if its first screen is the question.
    asks: typing.ClassVar[dict[str, str] | None] = {"en": "Passcode for {}", "ko": "패스코드"}
    # Whether it asks for a value before it calls libpam.
    types_first = False
    # The program's own words after a refusal; empty if it shows PAM's texts, None if it shows no words.
    refuses: str | None = ""
    screen: Screen
    person: Person
    # Whether a second prompt, for the password, can be answered with something else than the first, and whether it is shown.
    falls_back = shows_second = True

    def __init__(self, lab):
        self.lab, self.desk = lab, lab.desk
        for program in (self.program, "/usr/bin/Xvfb", "/usr/bin/gm", "/usr/bin/tesseract"):
            if not os.path.exists(program):
                raise Skip(f"{program} is not there, and its package could not be fetched")

    def enable(self):
        """Has the service ask for the passcode, as an administrator does it."""
        self.lab.rescuer()
        self.lab.run("uafctl", "pam", "enable", self.enabled or self.service, "--anyway")
        self.lab.after(lambda: self.lab.run("uafctl", "pam", "disable", self.enabled or self.service))

    def start(self, person, language="C.UTF-8"):
        """Starts the program for a person."""
        raise NotImplementedError

    def ask(self):
        """Has the program show its prompt, after `start`."""

    def ask_again(self):
        """Has the program show its prompt after a refusal."""
        self.ask()

    def prompts(self, language="en"):
        """Waits until the program asks for the passcode."""
        if self.asks:
            self.screen.wait_for(self.asks[language].format(self.person.name), language)

    def is_in(self):
        """Whether the person is in, or the screen is unlocked."""
        raise NotImplementedError


class DisplayManager(Front):
    """One that starts an X server, a greeter and a session of its own."""

    user = ""
    # Words of its greeter, whatever the language.
    opens = ""
    # Where it keeps its files.
    folders: tuple[str, ...] = ()

    def start(self, person, language="C.UTF-8"):
        self.person = person
        self._set_up()
        self.configure()
        before = set(self._displays())
        with open(f"/tmp/{self.service}.log", "ab") as log:
            manager = self.lab.start(
                self.program, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": language}, cwd="/", stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        self.lab.after(lambda: end(manager))
        found = until(lambda: set(self._displays()) - before, f"an X server of {self.service}", LIMIT)
        self.screen = XScreen(self.lab, f":{found.pop()}")
        until(self.screen.is_up, f"the X server of {self.service}", LIMIT)
        try:
            self.screen.wait_for(self.opens)
        except Broken as error:
            raise Broken(f"{error}; the logs end with: {self._logs()}") from error

    def _logs(self):
        """The ends of its own log, and of those of its X server and greeter."""
        logs = [pathlib.Path(f"/tmp/{self.service}.log"), *sorted(pathlib.Path("/var/log", self.service).glob("*"))]
        return "\n".join(f"{log}: {log.read_text(errors='replace')[-1500:]}" for log in logs if log.is_file())

    @staticmethod
    def _displays():
        return [path.name.removeprefix("X") for path in pathlib.Path("/tmp/.X11-unix").glob("X*")]

    def _set_up(self):
        """What the packages' scripts and the system's start would have made."""
        for name in (self.user, "messagebus"):
            self.lab.run("groupadd", "--force", "--system", name)
            if name not in (entry.pw_name for entry in pwd.getpwall()):
                self.lab.run("useradd", "--system", "--gid", name, "--home-dir", f"/var/lib/{name}", name)
        for folder in self.folders:
            os.makedirs(folder, exist_ok=True)
            shutil.chown(folder, self.user, self.user)
        pathlib.Path("/tmp/.X11-unix").mkdir(exist_ok=True)
        pathlib.Path("/tmp/.X11-unix").chmod(0o1777)
        for path, text in ((SERVER, SERVER_TEXT), (SESSION, SESSION_TEXT)):
            path.write_text(text)
            path.chmod(0o755)
        pathlib.Path("/usr/share/xsessions").mkdir(exist_ok=True)
        pathlib.Path("/usr/share/xsessions/lab.desktop").write_text(XSESSION)
        self._prepare_toolkit()
        self._start_bus()

    def _prepare_toolkit(self):
        """The caches that the triggers of Debian's packages write."""
        for query in pathlib.Path("/usr/lib").glob("*/gdk-pixbuf-2.0/gdk-pixbuf-query-loaders"):
            self.lab.run(query, "--update-cache")
        if os.path.exists("/usr/bin/glib-compile-schemas"):
            self.lab.run("glib-compile-schemas", "/usr/share/glib-2.0/schemas")
        self.lab.run("fc-cache", timeout=LIMIT)

    def _start_bus(self):
        BUS.parent.mkdir(exist_ok=True)
        bus = self.lab.start(
            "dbus-daemon", "--system", "--nofork", "--nopidfile", "--nosyslog", cwd="/", stderr=subprocess.DEVNULL
        )
        self.lab.after(lambda: (self.lab.stop(bus), BUS.unlink(missing_ok=True)))
        until(BUS.exists, "the system bus")

    def configure(self):
        """Writes the display manager's own settings."""
        raise NotImplementedError

    def is_in(self):
        return self._said().exists()

    def said_in_session(self):
        """What the session has said."""
        return self._said().read_text()

    def _said(self):
        return pathlib.Path(f"/tmp/session-{self.person.name}")


class LightDM(DisplayManager):
    """LightDM with its GTK greeter, which shows the texts of PAM, but no prompt: only a field to type in."""

    service, program, user = "lightdm", "/usr/sbin/lightdm", "lightdm"
    opens = "Log In"
    shows_second = False
    folders = ("/var/lib/lightdm", "/run/lightdm", "/var/log/lightdm", "/var/lib/lightdm-data")

    def __init__(self, lab):
        super().__init__(lab)
        if not os.path.exists("/usr/sbin/lightdm-gtk-greeter"):
            raise Skip("lightdm-gtk-greeter is not there, and could not be fetched")

    def configure(self):
        # Keyboards have no Hangul key here; the greeter itself is in the manager's language.
        pathlib.Path("/etc/lightdm").mkdir(exist_ok=True)
        pathlib.Path("/etc/lightdm/lightdm.conf").write_text(
            "[LightDM]\nlogind-check-graphical=false\nminimum-display-number=31\n"
            f"[Seat:*]\nxserver-command={SERVER}\ngreeter-session=lightdm-gtk-greeter\ngreeter-hide-users=true\n"
            f"user-session=lab\nsession-wrapper={SESSION}\n"
        )

    def ask(self):
        self.screen.enter(self.person.name)

    def ask_again(self):
        # The greeter begins the next login of the same person by itself.
        pass

    def prompts(self, language="en"):
        until(lambda: any(asks_alone(core) for core in running("uaf-helper")), "a prompt of the core", LIMIT)
        # The greeter shows its field a moment later, and no words for it. To read its screen takes longer than that.
        self.screen.read()


class SDDM(DisplayManager):
    """SDDM with its greeter and Debian's theme: one value for all prompts, and no text of PAM's."""

    service, program, user = "sddm", "/usr/bin/sddm", "sddm"
    folders = ("/var/lib/sddm", "/run/sddm")
    opens, asks, types_first, refuses = "Select your user and enter password", None, True, "Login failed"
    falls_back = False

    def configure(self):
        pathlib.Path("/etc/sddm.conf").write_text(
            "[General]\nGreeterEnvironment=QT_QUICK_BACKEND=software\n"
            f"[X11]\nServerPath={SERVER}\nSessionCommand={SESSION}\n"
            f"[Users]\nMinimumUid={self.person.uid}\nMaximumUid={self.person.uid}\n"
        )
        last = pathlib.Path("/var/lib/sddm/state.conf")
        last.write_text(f"[Last]\nSession=/usr/share/xsessions/lab.desktop\nUser={self.person.name}\n")
        shutil.chown(last, "sddm", "sddm")

    def ask(self):
        # While a refused login is being ended it takes no other; the greeter itself has one of these processes too.
        until(lambda: len(running("sddm-helper")) == 1, "the end of a refused login", LIMIT)


class Greetd(Front):
    """greetd with agreety, its greeter for a text terminal."""

    service, program, enabled = "greetd", "/usr/sbin/greetd", "login"

    def enable(self):
        super().enable()
        # The suite has KWallet's module for other rows. It asks for a password of its own where none is kept.
        lines = pathlib.Path("/etc/pam.d/greetd").read_text().splitlines()
        self.lab.stack(self.service, *[line for line in lines if "pam_kwallet5" not in line])

    def start(self, person, language="C.UTF-8"):
        self.person = person
        settings = pathlib.Path("/tmp/greetd.toml")
        settings.write_text(
            '[terminal]\nvt = "none"\n[default_session]\n'
            # The greeter needs a terminal of its own, as greetd gives it one where there are virtual terminals.
            f'command = "setsid --ctty --wait /usr/sbin/agreety --max-failures 9 --cmd {SESSION}"\nuser = "greeter-of-lab"\n'
        )
        SESSION.write_text(SESSION_TEXT)
        SESSION.chmod(0o755)
        if "greeter-of-lab" not in (entry.pw_name for entry in pwd.getpwall()):
            self.lab.run("useradd", "--system", "greeter-of-lab")
        self.screen = TextScreen(self.lab, [self.program, "--config", settings], language)

    def ask(self):
        self.screen.wait_for("login:")
        self.screen.enter(self.person.name)

    def is_in(self):
        return pathlib.Path(f"/tmp/session-{self.person.name}").exists()


class TextScreen(Screen):
    """A terminal with a program on it, and what it has shown since the last line was entered."""

    def __init__(self, lab, command, language):
        super().__init__(lab, {})
        self._shown = b""
        ours, theirs = pty.openpty()
        # No one reads this terminal but the row: an entry's echo would be taken for a text of the program.
        attributes = termios.tcgetattr(theirs)
        attributes[3] &= ~termios.ECHO
        termios.tcsetattr(theirs, termios.TCSANOW, attributes)
        self._terminal = ours
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": language, "TERM": "dumb"}
        process = lab.start(
            *command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd="/", start_new_session=True
        )
        os.close(theirs)
        lab.after(lambda: os.close(ours))
        lab.after(lambda: end(process))

    def enter(self, text):
        self._shown = b""
        os.write(self._terminal, text.encode() + b"\r")

    def shoot(self, path):
        """A terminal needs no picture: its words are what it shows."""

    def read(self, languages="eng"):
        while select.select([self._terminal], [], [], 0.05)[0]:
            try:
                part = os.read(self._terminal, 4096)
            except OSError:  # the program has ended
                break
            self._shown += part
        return self._shown.decode(errors="replace")

    def picture(self, name):
        pass


class Locker(Front):
    """One that somebody has started in their session, without root: it reaches the core through its socket."""

    falls_back = False

    def lock(self, person, language):
        """Starts the locker at the screen; returns its process."""
        raise NotImplementedError

    def start(self, person, language="C.UTF-8"):
        self.person = person
        serve(self.lab)
        self.desk.prepare(person)
        self._process = self.lock(person, language)

    def is_in(self):
        return self._process.poll() is not None


class Swaylock(Locker):
    """Swaylock, which shows rings and no text of PAM's."""

    service, program = "swaylock", "/usr/bin/swaylock"
    asks, types_first, refuses = None, True, None
    # The colour of the locked screen: keys that are pressed before it is there go elsewhere.
    GROUND = b"\x20\x28\x30"

    def enable(self):
        # Debian's file takes the lines of login, one of which can refuse people; uafctl asks for it in the locker's own file.
        refused = self.lab.run("uafctl", "pam", "enable", self.service, "--anyway", check=False)
        must("write the same line into /etc/pam.d/swaylock" in refused.stdout, f"not told: {refused.stdout}")
        path = pathlib.Path("/etc/pam.d/swaylock")
        self.lab.stack(self.service, "auth requisite pam_nologin.so", *path.read_text().splitlines())
        super().enable()

    def ask(self):
        # While it waits for libpam it takes no key.
        log = pathlib.Path("/tmp/swaylock.log")
        until(
            lambda: log.read_text().count("pw check request") == log.read_text().count("authenticate failed"), "a refusal", LIMIT
        )

    def lock(self, person, language):
        if not os.path.exists("/usr/bin/sway"):
            raise Skip("sway is not there, and could not be fetched")
        self.screen = WaylandScreen(self.lab, person, self.desk)
        variables = {**self.screen.environment, "LANG": language}
        with open("/tmp/swaylock.log", "wb") as log:
            locker = self.lab.start(
                *by(person), self.program, "--debug", "--color", self.GROUND.hex(), "--indicator-idle-visible",
                env=variables, cwd="/", stdout=log, stderr=log,
            )  # fmt: skip
        self.lab.after(lambda: end(locker))
        until(lambda: self.screen.corner() == self.GROUND, "swaylock's ground", LIMIT)
        return locker


class XScreenSaver(Locker):
    """XScreenSaver, whose dialogue shows PAM's prompts and texts."""

    service, program = "xscreensaver", "/usr/bin/xscreensaver"

    def lock(self, person, language):
        self.screen = XScreen.start(self.lab, ":45", before=by(person))
        # A person's language comes from their session.
        self._variables = {**self.desk.environment(person), "DISPLAY": ":45", "LC_ALL": "", "LANG": language}
        self._before = by(person)
        pathlib.Path(f"/home/{person.name}/.xscreensaver").write_text("mode: blank\n")
        with open("/tmp/xscreensaver.log", "ab") as log:
            daemon = self.lab.start(
                *self._before, self.program, "--no-splash", env=self._variables, cwd="/", stdout=log, stderr=log
            )
        self.lab.after(lambda: end(daemon))
        until(lambda: self._tell("-time").startswith("XScreenSaver"), "xscreensaver", LIMIT)
        self._tell("-lock")
        until(lambda: "locked" in self._tell("-time"), "a locked screen", LIMIT)
        return daemon

    def _tell(self, word):
        return self.lab.run(*self._before, "xscreensaver-command", word, env=self._variables, cwd="/", check=False).stdout

    def ask(self):
        until(lambda: not self._has_dialogue(), "the end of the last dialogue", LIMIT)
        until(self._opens_dialogue, "XScreenSaver's dialogue", LIMIT)

    def _has_dialogue(self):
        return is_shown("XScreenSaver", self.screen.read())

    def _opens_dialogue(self):
        """Presses a key that types nothing, which opens the dialogue a moment after the lock."""
        self.screen.on_screen("xdotool", "key", "Control_L")
        return self._has_dialogue()

    def is_in(self):
        return "locked" not in self._tell("-time")
