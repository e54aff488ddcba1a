"""A keypad with the digits of a PIN in an order that is new each time."""

from collections.abc import Callable

from uafctl_gui.keypad_layout import Keypad
from uafctl_gui.texts import Say
from uafctl_gui.toolkit import Gtk, name


class KeypadGrid(Gtk.Grid):
    """Ten digits and a key that takes the last one back."""

    def __init__(self, keypad: Keypad, say: Say, press: Callable[[int], None], take_back: Callable[[], None]) -> None:
        super().__init__(row_spacing=8, column_spacing=8, halign=Gtk.Align.CENTER, accessible_role=Gtk.AccessibleRole.GROUP)
        self.add_css_class("keypad")
        name(self, say("keypad"))
        for place, digit in enumerate(keypad.order):
            key = Gtk.Button(label=str(digit))
            name(key, say("keypad_digit", digit=digit))
            key.connect("clicked", lambda _, entered=keypad.enters[digit]: press(entered))
            # The last digit stands in the middle of the last row.
            column, row = (place % 3, place // 3) if place < 9 else (1, 3)
            self.attach(key, column, row, 1, 1)
        back = Gtk.Button(icon_name="edit-clear-symbolic")
        name(back, say("keypad_back"))
        back.set_tooltip_text(say("keypad_back"))
        back.connect("clicked", lambda _: take_back())
        self.attach(back, 2, 3, 1, 1)
