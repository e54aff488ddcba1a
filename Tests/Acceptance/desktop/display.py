"""Screens without a monitor: what is typed there, and the words that they show.

The words are read from the picture as a person reads them, by Tesseract. It takes some letters for others, so a text counts as
shown if most of its words are there in about these letters.
"""

import abc
import difflib
import pathlib
import subprocess

from desktop.desk import by
from lab.table import must
from lab.waiting import until

PICTURES = pathlib.Path("/tmp/results/pictures")
# Tesseract's languages.
READERS = {"en": "eng", "ko": "kor"}
SIZE = "1024x768"
# How alike a word must be to one that was read, and which part of a text's words may be missing.
ALIKE, MISSING = 0.7, 0.3
# In seconds. A limit for a hang: greeters start slowly next to other work, and libpam waits after a wrong value.
LIMIT = 120


def is_shown(text, read):
    """Whether most words of a text are among those that were read."""
    seen, expected = read.casefold().split(), text.casefold().split()
    missing = [word for word in expected if not difflib.get_close_matches(word, seen, 1, ALIKE)]
    return len(missing) <= MISSING * len(expected)


def end(process):
    """Has a program end, and with it what it has started."""
    process.terminate()
    try:
        process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Screen(abc.ABC):
    """A screen; a subclass knows how to press keys and to take a picture."""

    def __init__(self, lab, environment):
        self.lab, self.environment = lab, environment

    def on_screen(self, *arguments, check=True):
        """Runs a program at the screen; returns what it says."""
        return self.lab.run(*arguments, env=self.environment, check=check, timeout=LIMIT).stdout

    @abc.abstractmethod
    def enter(self, text):
        """Types a text and presses Enter."""

    @abc.abstractmethod
    def shoot(self, path):
        """Writes what is shown to a PNG file."""

    def picture(self, name):
        """Keeps a picture of what is shown, for people: build/desktop/pictures/NAME.png."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        path = PICTURES / f"{name}.png"
        self.shoot(path)
        return path

    def read(self, language="en"):
        """The words on the screen."""
        self.shoot("/tmp/seen.png")
        # Light letters on a dark ground are read as well as the others once they are some 30 pixels high.
        self.lab.run("gm", "convert", "/tmp/seen.png", "-colorspace", "Gray", "-resize", "200%", "/tmp/large.png")
        read = subprocess.run(
            ["tesseract", "/tmp/large.png", "-", "--psm", "6", "-l", READERS[language]],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin", "OMP_THREAD_LIMIT": "1"}, check=True,
        )  # fmt: skip
        return read.stdout.decode(errors="replace")

    def wait_for(self, text, language="en"):
        """Waits until the screen shows a text."""
        read = ""

        def look():
            nonlocal read
            read = self.read(language)
            return is_shown(text, read)

        try:
            until(look, text, LIMIT)
        except Exception as error:
            self.picture("not-shown")
            must(False, f"{error}; the screen shows: {' '.join(read.split())}")


class XScreen(Screen):
    """An X server in memory that somebody else has started, or that `start` starts for a person."""

    def __init__(self, lab, display):
        super().__init__(lab, {"DISPLAY": display, "PATH": "/usr/bin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"})

    @classmethod
    def start(cls, lab, display, before=()):
        """Starts the server, by default as root; it ends with the row."""
        server = lab.start(
            *before,
            "Xvfb",
            display,
            "-screen",
            "0",
            f"{SIZE}x24",
            "-ac",
            "-noreset",
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        lab.after(lambda: end(server))
        screen = cls(lab, display)
        until(screen.is_up, "the X server", LIMIT)
        return screen

    def is_up(self):
        """Whether the server answers."""
        return self.on_screen("xdotool", "getdisplaygeometry", check=False).strip() == SIZE.replace("x", " ")

    def enter(self, text):
        self.on_screen("xdotool", "type", "--delay", "30", text)
        self.press("Return")

    def press(self, key):
        """Presses a key by its name."""
        self.on_screen("xdotool", "key", key)

    def shoot(self, path):
        self.on_screen("gm", "import", "-window", "root", path)


class WaylandScreen(Screen):
    """Sway in memory, with a session of a person's own; it ends with the row."""

    def __init__(self, lab, person, desk):
        variables = {"WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1"}
        super().__init__(lab, {**desk.environment(person), "WAYLAND_DISPLAY": "wayland-1"})
        self._before = by(person)
        up = person.runtime / "up"
        settings = pathlib.Path(f"/tmp/sway-{person.name}")
        settings.write_text(f"output HEADLESS-1 resolution {SIZE}\nexec touch {up}\n")
        variables |= desk.environment(person)
        with open("/tmp/sway.log", "wb") as log:
            sway = lab.start(*self._before, "sway", "-c", settings, env=variables, cwd="/", stdout=log, stderr=log)
        lab.after(lambda: end(sway))
        until(up.exists, "sway", LIMIT)

    def enter(self, text):
        # The keyboard is there only while wtype runs, and a program needs a moment to learn of it.
        self.on_screen(*self._before, "wtype", "-s", "500", "-d", "30", text, "-s", "300", "-k", "Return", "-s", "500")

    def corner(self):
        """The colour of the first pixel: red, green, blue."""
        return subprocess.run(
            [*self._before, "grim", "-g", "0,0 1x1", "-t", "ppm", "-"], env=self.environment, stdout=subprocess.PIPE, check=True
        ).stdout[-3:]

    def shoot(self, path):
        pathlib.Path("/tmp/shot").mkdir(mode=0o777, exist_ok=True)
        pathlib.Path("/tmp/shot").chmod(0o1777)
        self.on_screen(*self._before, "grim", "/tmp/shot/seen.png")
        pathlib.Path(path).write_bytes(pathlib.Path("/tmp/shot/seen.png").read_bytes())
        pathlib.Path("/tmp/shot/seen.png").unlink()
