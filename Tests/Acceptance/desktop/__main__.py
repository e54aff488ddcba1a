"""Runs the named rows, a quick part of them, or all, and prints the table."""

import contextlib
import os
import sys

from desktop import rows
from desktop.desk import Desk
from lab.machine import Lab
from lab.run import main


@contextlib.contextmanager
def machine():
    """The lab with a greeter, and people who have a keyring."""
    with Lab(thorough=bool(os.environ.get("THOROUGH"))) as lab:
        lab.desk = Desk(lab)
        yield lab


# Without these it takes two minutes: of each kind of screen, one program stays.
LONG = (
    *("greetd-korean", "greetd-lock", "lightdm-korean", "lightdm-lock", "sddm-down", "sddm-entry", "sddm-lock"),
    *("swaylock-down", "swaylock-lock", "xscreensaver-down", "xscreensaver-entry", "xscreensaver-korean", "xscreensaver-lock"),
)
asked = sys.argv[1:]
quick = asked == ["quick"]
sys.exit(main("desktop", rows, [] if quick else asked, machine, limit=2400, left_out=LONG if quick else ()))
