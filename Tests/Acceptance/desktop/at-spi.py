"""Sees and uses a window as a screen reader does. It runs in the person's session with Debian's Python, reads one JSON object
for each line of standard input, and writes one for each answer.

  {"do": "tree"}                                   [[depth, role, name, description, text, states], ...] of the program
  {"do": "find", "text": TEXT, "role": ROLE}       the name of the first widget whose name or text has this; null if none has
  {"do": "press", "name": NAME}                    the action of the button with that name; false if there is none to press
  {"do": "keys", "text": TEXT}                     typed at the keyboard, to whatever has it
  {"do": "key", "name": "Return"}                  one key by its name
  {"do": "mouse", "point": [X, Y], "event": E}     the mouse: abs moves it, b1p presses and b1r releases its button
  {"do": "place", "name": NAME}                    [x, y, width, height] of a widget in the window
  {"do": "page"}                                   what is different for each page, even if two look the same
"""

import json
import sys

import gi

gi.require_version("Atspi", "2.0")
gi.require_version("Gdk", "4.0")
from gi.repository import Atspi, Gdk, GLib  # noqa: E402

PROGRAM = "uafctl-gui"
USABLE = ("push button", "text", "password text")
STATES = ("FOCUSED", "SENSITIVE")


def program():
    """The program on the accessibility bus; None if it is not there (yet)."""
    desktop = Atspi.get_desktop(0)
    for number in range(desktop.get_child_count()):
        each = desktop.get_child_at_index(number)
        if each and each.get_name() == PROGRAM:
            return each
    return None


def role_of(node):
    """The name of a widget's role; a newer AT-SPI has a new word for one of them."""
    role = node.get_role_name()
    return "push button" if role == "button" else role


def walk(node, depth=0):
    """All widgets that are shown."""
    if node is None or role_of(node) in ("scroll bar", "filler"):
        return
    yield depth, node
    for number in range(node.get_child_count()):
        child = node.get_child_at_index(number)
        if child and (depth == 0 or child.get_state_set().contains(Atspi.StateType.VISIBLE)):
            yield from walk(child, depth + 1)


def text_of(node):
    """The text of a widget that has one."""
    if "Text" not in node.get_interfaces():
        return ""
    return Atspi.Text.get_text(node, 0, Atspi.Text.get_character_count(node))


def described(depth, node):
    """A widget as a row of the tree."""
    role = role_of(node)
    # Each property is a question over the bus; the state of what cannot be used, and a label's text, say nothing new.
    has = node.get_state_set() if role in USABLE else None
    states = [name for name in STATES if has and has.contains(getattr(Atspi.StateType, name))]
    return [depth, role, node.get_name(), node.get_description() if has else "", text_of(node) if role == "text" else "", states]


def only(name, role=None):
    """The widget with a name; an error if there is none, or more than one."""
    called = [node for _, node in walk(program()) if node.get_name() == name and role in (None, role_of(node))]
    if len(called) != 1:
        raise LookupError(f"{len(called)} widgets are called {name}")
    return called[0]


def found(text, role):
    """The names of the widgets whose name or text has a text."""
    for _, node in walk(program()):
        kind, name = role_of(node), node.get_name()
        if role in (None, kind) and (text in name or (kind == "text" and text in text_of(node))):
            yield name or text


def pressable(name):
    """The first button with a name, if it can be pressed."""
    for _, node in walk(program()):
        if node.get_name() == name and role_of(node) == "push button":
            if node.get_state_set().contains(Atspi.StateType.SENSITIVE):
                yield node
            return


def tap(key):
    Atspi.generate_keyboard_event(key, None, Atspi.KeySynthType.SYM)


def done(asked):
    """Does what is asked, and returns the answer."""
    what = asked["do"]
    if what == "tree":
        return [described(depth, node) for depth, node in walk(program())]
    if what == "find":
        return next(found(asked["text"], asked.get("role")), None)
    if what == "press":
        return any(Atspi.Action.do_action(node, 0) for node in pressable(asked["name"]))
    if what == "keys":
        for character in asked["text"]:
            tap(Gdk.unicode_to_keyval(ord(character)))
    elif what == "key":
        tap(Gdk.keyval_from_name(asked["name"]))
    elif what == "mouse":
        Atspi.generate_mouse_event(*asked["point"], asked["event"])
    elif what == "place":
        place = Atspi.Component.get_extents(only(asked["name"], asked.get("role")), Atspi.CoordType.WINDOW)
        return [place.x, place.y, place.width, place.height]
    elif what == "page":
        return [node.path for _, node in walk(program())]
    else:
        raise LookupError(what)
    return None


def main():
    Atspi.init()
    context = GLib.MainContext.default()
    for line in sys.stdin:
        # What has changed in the window arrives as events, and the tree is taken from a cache that they keep true.
        while context.iteration(False):
            pass
        Atspi.get_desktop(0).clear_cache()
        try:
            answer = {"answer": done(json.loads(line))}
        except (LookupError, GLib.Error) as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


main()
