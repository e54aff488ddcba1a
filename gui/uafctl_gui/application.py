"""The program: one window for each person's session, in the language of the session."""

import fcntl
import os
import sys

from uafctl_gui import hardening, texts

ID = "pam_uaf.uafctl_gui"
# The window manager and the menu know the program by the name of its .desktop file.
NAME = "uafctl-gui"


def main(arguments: list[str], version: str) -> int:
    """Shows the window until it is closed.

    The exit status is 1 if it cannot be shown, or is open already, and 2 for a wrong command line.
    """
    hardening.harden()
    say = texts.speaker(texts.language(dict(os.environ)))
    if arguments:
        return _answer(arguments, version, say)
    if os.geteuid() == 0:
        print(say("as_root"), file=sys.stderr)
        return 1
    # The toolkit is loaded only now: it reads the environment, and takes half a second.
    from uafctl_gui.toolkit import Gdk, Gio, GLib, Gtk

    GLib.set_prgname(NAME)
    GLib.set_application_name(say("name"))
    # PyGObject has tried it already, and then the second try says yes without a display.
    if not Gtk.init_check() or Gdk.Display.get_default() is None:
        print(say("no_screen"), file=sys.stderr)
        return 1
    application = Gtk.Application(application_id=ID, flags=Gio.ApplicationFlags.FLAGS_NONE)
    is_known = _register(application)
    if application.get_is_remote() or not _is_first():
        # The window that is there comes to the front; a second one could hide the first, and ask for the same passcode.
        print(say("already_open"), file=sys.stderr)
        if is_known and application.get_is_remote():
            application.activate()
        return 1

    def activate(_: Gtk.Application) -> None:
        window = application.get_active_window()
        if window is None:
            from uafctl_gui import appearance
            from uafctl_gui.window import Window

            appearance.apply(Gdk.Display.get_default())
            window = Window(application, say)
        window.present()

    application.connect("activate", activate)
    return application.run([NAME])


def _answer(arguments: list[str], version: str, say: texts.Say) -> int:
    """Answers a command line that has an option; every other one is refused, so that nobody types a code there."""
    if arguments == ["--version"]:
        print(f"{NAME} {version}")
    elif arguments in (["--help"], ["-h"]):
        print(say("help"))
    else:
        print(say("usage"), file=sys.stderr)
        return 2
    return 0


def _register(application) -> bool:
    from uafctl_gui.toolkit import GLib

    try:
        return application.register(None)
    except GLib.Error:
        return False


def _is_first() -> bool:
    """Whether no other window of this person's is open; also where the session has no bus that would know."""
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    if not os.path.isabs(folder):
        return True
    try:
        descriptor = os.open(
            os.path.join(folder, "uafctl-gui.lock"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
    except OSError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    # It stays open until the process ends.
    return True
