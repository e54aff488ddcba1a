"""The grid on which a pattern is drawn: with the mouse or a finger, with the keys 1 to 9, or dot by dot with a screen reader."""

import itertools
import math
from collections.abc import Callable

from gi.repository import Graphene, Gsk

from uafctl_gui.secret import Secret
from uafctl_gui.stroke import NODES, Stroke
from uafctl_gui.texts import Say
from uafctl_gui.toolkit import Gdk, Gtk, button, describe, label, name

_SIDE = 264
_CELL = _SIDE / 3
# How near to a dot's middle a stroke has to come to take it: less than half of the way to the next dot, so that a stroke
# between two dots takes neither.
_REACH = 0.36 * _CELL
_THICK = 6


def _middle(node: int) -> tuple[float, float]:
    return ((node - 1) % 3 + 0.5) * _CELL, ((node - 1) // 3 + 0.5) * _CELL


class _Lines(Gtk.Widget):
    """The lines between the dots, and from the last one to the pointer."""

    def __init__(self, stroke: Stroke) -> None:
        super().__init__(accessible_role=Gtk.AccessibleRole.PRESENTATION, can_target=False)
        self.add_css_class("stroke")
        self._stroke = stroke
        self.pointer: tuple[float, float] | None = None
        self.set_size_request(_SIDE, _SIDE)

    def do_snapshot(self, snapshot: Gtk.Snapshot) -> None:
        """Draws; version 4.8 of the toolkit has no paths, so each line is a turned rectangle."""
        colour = self.get_style_context().get_color()
        points = [_middle(node) for node in self._stroke.nodes]
        if points and self.pointer:
            points.append(self.pointer)
        for (x, y), (to_x, to_y) in itertools.pairwise(points):
            length = math.hypot(to_x - x, to_y - y)
            snapshot.save()
            snapshot.translate(Graphene.Point().init(x, y))
            snapshot.rotate(math.degrees(math.atan2(to_y - y, to_x - x)))
            bar = Graphene.Rect().init(-_THICK / 2, -_THICK / 2, length + _THICK, _THICK)
            ends = Gsk.RoundedRect()
            ends.init_from_rect(bar, _THICK / 2)
            snapshot.push_rounded_clip(ends)
            snapshot.append_color(colour, bar)
            snapshot.pop()
            snapshot.restore()


class PatternGrid(Gtk.Box):
    """The grid with its title, what has been drawn so far in words, and a button to draw anew."""

    def __init__(self, title: str, say: Say, finished: Callable[[], None]) -> None:
        super().__init__(orientation=Gtk.Orientation.VERTICAL, spacing=10)
        self._say, self._finished = say, finished
        self._stroke = Stroke()
        self._is_dragging = False
        self._lines = _Lines(self._stroke)
        self._dots = {node: self._dot(node) for node in NODES}
        self._said = label("", "dim-label")
        self._said.set_hexpand(True)
        self._clear = button(say("pattern_clear"), self.clear, "flat")
        below = Gtk.Box(halign=Gtk.Align.CENTER)
        below.set_size_request(_SIDE, -1)
        below.append(self._said)
        below.append(self._clear)
        heading = label(title, "caption-heading")
        heading.set_halign(Gtk.Align.CENTER)
        help_text = label(say("pattern_help"), "dim-label", "small")
        help_text.set_justify(Gtk.Justification.CENTER)
        help_text.set_xalign(0.5)
        for child in (heading, self._grid(title), below, help_text):
            self.append(child)
        self._show()

    @property
    def count(self) -> int:
        """How many dots are drawn."""
        return len(self._stroke)

    def take(self) -> Secret:
        """The pattern as digits; the grid is empty afterwards."""
        secret = Secret.of_digits(self._stroke.nodes)
        self.clear()
        return secret

    def clear(self) -> None:
        """Removes what was drawn."""
        self._stroke.clear()
        self._lines.pointer = None
        self._show()

    def focus(self) -> None:
        """Takes the keyboard."""
        self._dots[1].grab_focus()

    def _grid(self, title: str) -> Gtk.Widget:
        dots = Gtk.Grid(column_homogeneous=True, row_homogeneous=True)
        dots.set_size_request(_SIDE, _SIDE)
        for node, dot in self._dots.items():
            dots.attach(dot, (node - 1) % 3, (node - 1) // 3, 1, 1)
        place = Gtk.Overlay(halign=Gtk.Align.CENTER, child=self._lines, accessible_role=Gtk.AccessibleRole.GROUP)
        place.add_css_class("pattern")
        place.add_overlay(dots)
        name(place, f"{self._say('pattern_grid')}: {title}")
        describe(place, self._say("pattern_help"))
        self._listen(place)
        return place

    def _listen(self, place: Gtk.Widget) -> None:
        drag = Gtk.GestureDrag(button=1, propagation_phase=Gtk.PropagationPhase.CAPTURE)
        drag.connect("drag-begin", self._begun)
        drag.connect("drag-update", self._moved)
        drag.connect("drag-end", self._ended)
        place.add_controller(drag)
        keys = Gtk.EventControllerKey(propagation_phase=Gtk.PropagationPhase.CAPTURE)
        keys.connect("key-pressed", self._typed)
        self.add_controller(keys)

    def _dot(self, node: int) -> Gtk.Button:
        dot = Gtk.Button(halign=Gtk.Align.CENTER, valign=Gtk.Align.CENTER)
        dot.add_css_class("dot")
        name(dot, self._say(f"dot_{node}"))
        dot.connect("clicked", lambda _: self._add(node))
        return dot

    # --- The mouse

    def _begun(self, gesture: Gtk.GestureDrag, x: float, y: float) -> None:
        self._stroke.clear()
        self._is_dragging = True
        gesture.set_state(Gtk.EventSequenceState.CLAIMED)
        self._reach(x, y)

    def _moved(self, gesture: Gtk.GestureDrag, dx: float, dy: float) -> None:
        is_known, x, y = gesture.get_start_point()
        if is_known and self._is_dragging:
            self._pass(x + dx, y + dy)

    def _ended(self, gesture: Gtk.GestureDrag, dx: float, dy: float) -> None:
        self._moved(gesture, dx, dy)
        self._is_dragging = False
        self._lines.pointer = None
        self._show()

    def _pass(self, x: float, y: float) -> None:
        """Goes to a point in steps: a fast hand moves over a dot without an event there."""
        from_x, from_y = self._lines.pointer or (x, y)
        steps = max(1, int(math.hypot(x - from_x, y - from_y) / (_REACH / 2)))
        for step in range(1, min(steps, 200) + 1):
            self._reach(from_x + (x - from_x) * step / steps, from_y + (y - from_y) * step / steps)

    def _reach(self, x: float, y: float) -> None:
        self._lines.pointer = (x, y)
        for node in NODES:
            middle_x, middle_y = _middle(node)
            if math.hypot(x - middle_x, y - middle_y) <= _REACH:
                self._stroke.add(node)
        self._show()

    # --- Keys, and dot by dot

    def _typed(self, _keys: Gtk.EventControllerKey, key: int, _code: int, state: Gdk.ModifierType) -> bool:
        if state & (Gdk.ModifierType.CONTROL_MASK | Gdk.ModifierType.ALT_MASK):
            return False
        character = Gdk.keyval_to_unicode(key)
        if ord("1") <= character <= ord("9"):
            self._add(character - ord("0"))
        elif key == Gdk.KEY_BackSpace:
            self._stroke.take_back()
            self._show()
        elif key == Gdk.KEY_Delete:
            self.clear()
        elif key in (Gdk.KEY_Return, Gdk.KEY_KP_Enter, Gdk.KEY_ISO_Enter) and not self._clear.has_focus():
            self._finished()
        else:
            return False
        return True

    def _add(self, node: int) -> None:
        self._stroke.add(node)
        self._show()

    def _show(self) -> None:
        drawn = self._stroke.nodes
        for node, dot in self._dots.items():
            if node in drawn:
                dot.add_css_class("drawn")
            else:
                dot.remove_css_class("drawn")
        # How many, never which: somebody who hears a screen reader must not learn the pattern from it.
        count = len(drawn)
        known = {0: "pattern_empty", 1: "pattern_one"}
        self._said.set_label(self._say(known[count]) if count in known else self._say("pattern_count", count=count))
        self._clear.set_sensitive(count > 0)
        self._lines.queue_draw()
