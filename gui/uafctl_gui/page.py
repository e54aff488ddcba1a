"""What all pages of the window have in common: a column of moderate width, and at its end one primary button."""

from collections.abc import Callable

from uafctl_gui.toolkit import Gtk, button, label

_WIDTH = 440


class Page(Gtk.ScrolledWindow):
    """A page. It can be wiped, and says which widget gets the keyboard and which button Enter presses."""

    def __init__(self) -> None:
        super().__init__(hscrollbar_policy=Gtk.PolicyType.NEVER, vexpand=True)
        self._column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=18, halign=Gtk.Align.CENTER)
        self._column.set_size_request(_WIDTH, -1)
        self._column.add_css_class("page")
        self.set_child(self._column)
        self.main: Gtk.Button | None = None
        self._sides: Gtk.Box | None = None

    def add(self, *children: Gtk.Widget) -> None:
        """Appends to the column."""
        for child in children:
            self._column.append(child)

    def add_title(self, text: str, about: str = "") -> None:
        """The heading, and a sentence or two below it."""
        self.add(label(text, "page-title"))
        if about:
            self.add(label(about))

    def add_main(self, text: str, act: Callable[[], None], *classes: str) -> Gtk.Button:
        """The one primary button."""
        self.main = button(text, act, *(classes or ("suggested-action",)), "main")
        self.main.set_margin_top(6)
        self.add(self.main)
        return self.main

    def add_side(self, text: str, act: Callable[[], None]) -> Gtk.Button:
        """A button beside the primary one."""
        made = button(text, act, "flat", "side")
        if self._sides is None:
            self._sides = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
            self.add(self._sides)
        self._sides.append(made)
        return made

    def focus(self) -> None:
        """Gives the keyboard to the widget that the person needs first."""
        if self.main:
            self.main.grab_focus()

    def wipe(self) -> None:
        """Empties every field that may have a secret."""


def notice(text: str, is_problem: bool) -> Gtk.Label:
    """A text of uafctl's or of ours in a box; a screen reader speaks a problem as soon as it appears."""
    # The role of a status has no name in GTK 4.18.
    role = Gtk.AccessibleRole.ALERT if is_problem else Gtk.AccessibleRole.LABEL
    return label(text, "notice", *(("problem",) if is_problem else ()), role=role)


def badge(icon: str, *classes: str, size: int = 24) -> Gtk.Image:
    """A picture in a circle; what it means is in the text beside it."""
    made = Gtk.Image(icon_name=icon, pixel_size=size, accessible_role=Gtk.AccessibleRole.PRESENTATION)
    made.set_valign(Gtk.Align.CENTER)
    made.set_halign(Gtk.Align.CENTER)
    for each in ("badge", *classes):
        made.add_css_class(each)
    return made
