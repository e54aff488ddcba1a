"""A screen without a monitor, with uafctl-gui on it, which is seen and used as a screen reader does."""

import json
import os
import pathlib
import pwd
import socket
import subprocess

from desktop import picture
from lab import waiting
from lab.machine import ROOT
from lab.table import Broken, Skip, must

PROGRAM = "/usr/bin/uafctl-gui"
PYTHON = "/usr/bin/python3"
_NEEDED = (PYTHON, "/usr/bin/Xvfb", "/usr/libexec/at-spi-bus-launcher", "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
_TYPELIBS = ("Gtk-4.0", "Atspi-2.0")
_SIZE = "560x760x24"
_PICTURES = pathlib.Path(os.environ.get("LAB_RESULTS", "/tmp/results")) / "pictures"
# What the packages' own scripts would have made.
_MADE = (
    ("glib-compile-schemas", "/usr/share/glib-2.0/schemas"),
    ("fc-cache",),
)
DARK = "[org/gnome/desktop/interface]\ncolor-scheme='prefer-dark'\n"


def until(condition, what, seconds=60):
    """As everywhere, but what was not seen may be a function, which says what is there instead."""
    try:
        return waiting.until(condition, "", seconds)
    except Broken as error:
        raise Broken(f"{error}{what() if callable(what) else what}") from None


def needs_screen():
    """Raises Skip if Debian's packages of the toolkit, the screen or the fonts are missing."""
    for path in _NEEDED:
        if not os.path.exists(path):
            raise Skip(f"{path} is not there, and could not be fetched")
    for name in _TYPELIBS:
        if not list(pathlib.Path("/usr/lib").glob(f"*/girepository-1.0/{name}.typelib")):
            raise Skip(f"the package with {name} could not be fetched")


def make_ready(lab):
    """Does once what the packages' own scripts would have done."""
    done = pathlib.Path("/var/lib/screen-is-ready")
    if done.exists():
        return
    for command in _MADE:
        lab.run(*command, check=False)
    # The cache lists the icons of before.
    for cache in pathlib.Path("/usr/share/icons").glob("*/icon-theme.cache"):
        cache.unlink()
    for loaders in pathlib.Path("/usr/lib").glob("*/gdk-pixbuf-2.0/gdk-pixbuf-query-loaders"):
        lab.run(loaders, "--update-cache", check=False)
    done.touch()


class Screen:
    """Somebody's session on a screen of its own; it ends with the row."""

    def __init__(self, lab, person, language="C.UTF-8", dark=False, name="7"):
        needs_screen()
        make_ready(lab)
        self.lab, self.person = lab, person
        self._display = f":{name}"
        self._folder = pathlib.Path(f"/tmp/screen-{name}")
        self._prepare(language, dark)
        self._helper = None
        self.program: subprocess.Popen

    # --- The session

    def _prepare(self, language, dark):
        home = pathlib.Path(pwd.getpwnam(self.person.name).pw_dir)
        runtime = pathlib.Path(f"/run/user/{self.person.uid}")
        runtime.mkdir(parents=True, exist_ok=True)
        os.chown(runtime, self.person.uid, self.person.uid)
        runtime.chmod(0o700)
        self.runtime, self.home = runtime, home
        self.environment = {
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(runtime),
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={runtime}/bus",
            "DISPLAY": self._display,
            "GDK_BACKEND": "x11",
            "GSK_RENDERER": "cairo",
            "GSETTINGS_BACKEND": "keyfile",
            "PATH": "/usr/bin:/bin",
            "LANG": language,
        }
        if dark:
            settings = home / ".config/glib-2.0/settings"
            settings.mkdir(parents=True)
            (settings / "keyfile").write_text(DARK)
            self.lab.run("chown", "-R", f"{self.person.uid}:{self.person.uid}", home / ".config")
        self._start_display()
        address = self.environment["DBUS_SESSION_BUS_ADDRESS"]
        self._start("dbus-daemon", "--session", f"--address={address}", "--nofork", "--nopidfile", "--nosyslog")
        until((runtime / "bus").exists, "the session bus")

    def _start_display(self):
        self._folder.mkdir(parents=True)
        server = self.lab.start(
            "Xvfb", self._display, "-screen", "0", _SIZE, "-fbdir", self._folder, "-ac", "-noreset", "-nolisten", "tcp",
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.lab.after(lambda: self._end_display(server))
        until(self._accepts, "the screen")

    def _accepts(self):
        """Whether the screen can be connected to: its socket is there a moment earlier."""
        with socket.socket(socket.AF_UNIX) as trial:
            return trial.connect_ex(f"/tmp/.X11-unix/X{self._display[1:]}") == 0

    def _end_display(self, server):
        self.lab.stop(server)
        for path in (*self._folder.iterdir(), pathlib.Path(f"/tmp/.X{self._display[1:]}-lock")):
            path.unlink(missing_ok=True)
        self._folder.rmdir()
        pathlib.Path(f"/tmp/.X11-unix/X{self._display[1:]}").unlink(missing_ok=True)

    def _start(self, *arguments, **options):
        """Starts a program in the session."""
        by = ["setpriv", "--reuid", str(self.person.uid), "--regid", str(self.person.uid), "--init-groups"]
        variables = [f"{key}={value}" for key, value in self.environment.items()]
        process = self.lab.start(*by, "env", "-i", *variables, *arguments, cwd="/", **({"stderr": subprocess.DEVNULL} | options))
        self.lab.after(lambda: self.lab.stop(process) if process.poll() is None else process.wait())
        return process

    # --- The program

    def open(self):
        """Starts the program and waits until its first page is complete."""
        self.program = self._start(PROGRAM, stderr=open(f"/tmp/gui-{self.person.name}.log", "ab"))
        until(lambda: self.tree() or self.program.poll() is not None, "the window", seconds=60)
        must(
            self.program.poll() is None, f"the program has ended: {pathlib.Path(f'/tmp/gui-{self.person.name}.log').read_text()}"
        )
        # The keyboard belongs to the window below the pointer: no window manager gives it to another one.
        self.ask(do="mouse", point=[400, 600], event="abs")
        return self

    def again(self):
        """A second start; returns it when it has ended."""
        second = self._start(PROGRAM, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said, _ = second.communicate(timeout=60)
        return second.returncode, said

    @property
    def pid(self):
        """The process of the program: env and setpriv have become it."""
        return self.program.pid

    # --- What it shows

    def ask(self, **what):
        """One command to the program that sees and uses the window; Broken if it cannot be done."""
        answer = self._ask(what)
        must("answer" in answer, f"{what}: {answer.get('error')}; shown is {self.texts()}")
        return answer["answer"]

    def _ask(self, what):
        if self._helper is None:
            self._helper = self._start(
                PYTHON, ROOT / "Tests/Acceptance/desktop/at-spi.py", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        self._helper.stdin.write(json.dumps(what) + "\n")
        self._helper.stdin.flush()
        line = self._helper.stdout.readline()
        must(line, "the program that sees the window has ended")
        return json.loads(line)

    def tree(self):
        """All widgets, as at-spi.py describes them."""
        return self._ask({"do": "tree"}).get("answer", [])

    def texts(self):
        """All names and texts that are shown."""
        return [part for row in self.tree() for part in (row[2], row[4]) if part]

    def shows(self, text, role=None):
        """Waits until a widget's name or text contains this; returns its name."""

        def found():
            must(self.program.poll() is None, f"the program has ended with {self.program.returncode}")
            return self._ask({"do": "find", "text": text, "role": role}).get("answer")

        return until(found, lambda: f"{text}; shown is {self.texts()}")

    def names(self, role):
        """The names of all widgets of a role, in their order."""
        return [row[2] for row in self.tree() if row[1] == role]

    # --- Using it

    def press(self, name):
        """Presses a button that is shown, or will be."""
        until(lambda: self._ask({"do": "press", "name": name}).get("answer"), lambda: f"{name}; shown is {self.texts()}")

    def focused(self, name):
        """Waits until a widget has the keyboard."""
        until(lambda: any(row[2] == name and "FOCUSED" in row[5] for row in self.tree()), lambda: f"the keyboard at {name}")

    def fields(self, count):
        """Waits until so many fields are shown, and the first has the keyboard; returns their names."""

        def shown():
            fields = [row for row in self.tree() if row[1] == "text"]
            return len(fields) == count and "FOCUSED" in fields[0][5] and [row[2] for row in fields]

        return until(shown, lambda: f"{count} fields; shown is {self.texts()}")

    def fill(self, *values, picture=None):
        """Types into the fields of a question that is shown, or will be: Enter goes to the next, and ends the last."""
        self.fields(len(values))
        before = self.page()
        for number, value in enumerate(values):
            self.ask(do="keys", text=value)
            if picture and number == len(values) - 1:
                self.picture(picture)
            self.key("Return")
        # The same question may come again: its widgets are others.
        until(lambda: self.page() != before, lambda: f"another page; shown is {self.texts()}")

    def page(self):
        """What tells one page from the next: where its widgets are on the bus."""
        return self._ask({"do": "page"}).get("answer")

    def go_on(self):
        """Presses the primary button of a question, and waits for another page."""
        before = self.page()
        self.press("Continue")
        until(lambda: self.page() != before, lambda: f"another page; shown is {self.texts()}")

    def problem(self, text=""):
        """Waits until the window tells a problem."""
        return self.shows(text, "alert")

    def ends(self, title, picture=None):
        """Waits until a step has ended so, and goes back to the first page."""
        self.shows(title, "alert")
        if picture:
            self.picture(picture)
        self.press("Done")
        self.shows("Sign-in for")

    def digits(self):
        """The digits of the keypad in their order."""
        self.shows("Digit 0", "push button")
        return [name for name in self.names("push button") if name.startswith("Digit ")]

    def dial(self, digits):
        """Presses digits of the keypad, each of them once: a button that was just pressed ignores a second press."""
        for digit in digits:
            self.press(f"Digit {digit}")

    def key(self, name):
        """Presses a key."""
        self.ask(do="key", name=name)

    def draw(self, *dots):
        """Draws over dots with the mouse, and waits after each of them until it counts."""
        middle = []
        for name in [name for name in self.names("push button") if name.startswith(("Dot ", "점 "))]:
            x, y, width, height = self.ask(do="place", name=name, role="push button")
            middle.append([x + width // 2, y + height // 2])
        self.ask(do="mouse", point=middle[dots[0] - 1], event="abs")
        self.ask(do="mouse", point=middle[dots[0] - 1], event="b1p")
        self.shows("1 dot is drawn.")
        for number, dot in enumerate(dots[1:], 2):
            self.ask(do="mouse", point=middle[dot - 1], event="abs")
            self.shows(f"{number} dots are drawn.")
        self.ask(do="mouse", point=middle[dots[-1] - 1], event="b1r")

    # --- How it looks

    def picture(self, name, moves=False):
        """Keeps a picture of the screen in build/desktop/pictures; returns its points. `moves`: something on it turns."""
        _PICTURES.mkdir(parents=True, exist_ok=True)
        if not moves:
            self.settled()
        points = picture.points(self._folder / "Xvfb_screen0")
        (_PICTURES / f"{name}.png").write_bytes(picture.png(points))
        return points

    def settled(self):
        """Waits until the screen has not changed between two looks that are further apart than two frames."""
        screen = self._folder / "Xvfb_screen0"
        seen = []

        def same():
            seen.append(hash(screen.read_bytes()))
            self.tree()
            self.tree()
            return len(seen) > 2 and len(set(seen[-3:])) == 1

        until(same, "a screen that does not change")

    @staticmethod
    def brightness(points):
        """How bright the window's ground is, 0 to 255."""
        return max(points.at(30, 650))

    def all_korean(self):
        """Raises Broken if a widget of the page has a text without Hangul, except for the names that are the toolkit's."""
        wrong = [
            (row[1], row[2] or row[4])
            for row in self.tree()
            if row[1] in ("label", "push button", "alert", "status bar", "text")
            and (row[2] or row[4])
            and not any("가" <= character <= "힣" for character in row[2] + row[4])
            and row[2] not in ("Close", "Minimize", "Maximize")
        ]
        must(not wrong, f"not in Korean: {wrong}")

    def close(self):
        """Closes the window, and waits for the program's end."""
        self.press("Close")
        until(lambda: self.program.poll() is not None, "the program's end")
        return self.program.returncode
