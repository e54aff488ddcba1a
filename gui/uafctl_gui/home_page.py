"""The first page: what is registered, how it is, and what can be done."""

import functools
from collections.abc import Callable

from uafctl_gui.countdown import Countdown
from uafctl_gui.page import Page, badge
from uafctl_gui.shown_text import line
from uafctl_gui.status import Authenticator, Status
from uafctl_gui.tasks import Kind, Task
from uafctl_gui.texts import Say, duration
from uafctl_gui.toolkit import Gtk, label, name

_ICONS = {"passcode": "dialog-password-symbolic", "pattern": "view-grid-symbolic", "fingerprint": "auth-fingerprint-symbolic"}
# A fingerprint has no value that could be changed here: prints are enrolled in the desktop's own settings.
_CHANGEABLE = ("passcode", "pattern")

# Characters beside the picture and the button.
_NARROW = 24

Choose = Callable[[Task], None]


class HomePage(Page):
    """The status as it was when uafctl was asked; locks count down from there."""

    def __init__(self, status: Status, asked_at: float, say: Say, choose: Choose, refresh: Callable[[], None]) -> None:
        super().__init__()
        self._say, self._choose, self._refresh = say, choose, refresh
        self._status, self._asked_at = status, asked_at
        self._counting: list[tuple[Countdown, Gtk.Label]] = []
        if not status.is_registered:
            self.add(self._sign())
        account = line(status.account, 64)
        self.add_title(say("home_title", account=account), say("home_some" if status.is_registered else "home_empty"))
        if status.is_registered:
            self.add(self._list())
        self._add_steps()

    def tick(self, now: float) -> bool:
        """Shows what is left of each lock; returns whether one has just ended."""
        ended = False
        for counting in list(self._counting):
            clock, shown = counting
            left = clock.left(now)
            shown.set_label(self._lock_text(left))
            if left == 0:
                self._counting.remove(counting)
                ended = True
        return ended

    @staticmethod
    def _sign() -> Gtk.Image:
        sign = Gtk.Image(icon_name="uafctl-gui", pixel_size=96, accessible_role=Gtk.AccessibleRole.PRESENTATION)
        sign.set_margin_top(24)
        return sign

    def _list(self) -> Gtk.ListBox:
        rows = Gtk.ListBox(selection_mode=Gtk.SelectionMode.NONE)
        rows.add_css_class("card")
        name(rows, self._say("home_list"))
        for each in self._status.registered:
            row = Gtk.ListBoxRow(child=self._row(each), activatable=False, focusable=False)
            name(row, self._say(each.kind))
            rows.append(row)
        return rows

    def _row(self, one: Authenticator) -> Gtk.Box:
        kind = self._say(one.kind)
        words = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=2, valign=Gtk.Align.CENTER, hexpand=True)
        words.append(label(kind, "heading"))
        state = label(self._state(one), "small")
        state.set_max_width_chars(_NARROW)
        words.append(state)
        if one.is_locked and not one.is_permanent and one.lock_seconds:
            self._counting.append((Countdown(one.lock_seconds, self._asked_at), state))
        row = Gtk.Box(spacing=14)
        usable = one.is_usable and not one.at_server
        row.append(badge(_ICONS[one.kind], *(() if usable else ("locked",))))
        row.append(words)
        forget = Gtk.Button(icon_name="user-trash-symbolic", valign=Gtk.Align.CENTER)
        forget.add_css_class("flat")
        forget.set_tooltip_text(self._say(f"forget_{one.kind}"))
        name(forget, self._say(f"forget_{one.kind}"))
        forget.connect("clicked", lambda _: self._choose(self._task(Kind.FORGET, one.kind)))
        row.append(forget)
        return row

    def _state(self, one: Authenticator) -> str:
        say = self._say
        if one.at_server:
            return say("account_refused" if one.at_server == "forbidden" else "key_refused")
        if one.is_locked:
            return say("locked_for_good") if one.is_permanent or not one.lock_seconds else self._lock_text(one.lock_seconds)
        if not one.is_usable:
            return say("not_usable")
        if one.remaining_tries is None or one.remaining_tries > 3:
            return say("ready")
        return say("try_left") if one.remaining_tries == 1 else say("tries_left", count=one.remaining_tries)

    def _lock_text(self, left: int) -> str:
        return self._say("locked_for", time=duration(left, self._say)) if left else self._say("lock_over")

    def _task(self, kind: Kind, authenticator: str = "") -> Task:
        return Task(kind, self._status.account, authenticator)

    def _add_steps(self) -> None:
        """One step is the likely one, and gets the primary button; the others follow."""
        say, status = self._say, self._status
        changeable = [one for one in status.registered if one.kind in _CHANGEABLE and one.is_usable and not one.at_server]
        steps: list[tuple[str, Task]] = []
        # A code without a type would set a new value of what is registered already, so each step names its type.
        missing = [kind for kind in status.available if kind not in {one.kind for one in status.registered}]
        registrations = [(say(f"register_{kind}"), self._task(Kind.REGISTER, kind)) for kind in missing]
        if not status.is_registered:
            steps += registrations
        if status.needs_new_key:
            steps.append((say("repair"), self._task(Kind.REPAIR)))
        steps += [(say(f"change_{one.kind}"), self._task(Kind.CHANGE, one.kind)) for one in changeable]
        if status.is_registered:
            steps.append((say("recover"), self._task(Kind.RECOVER)))
            steps += registrations
        for number, (text, task) in enumerate(steps):
            add = self.add_side if number else self.add_main
            add(text, functools.partial(self._choose, task))
        self.add_side(say("refresh"), self._refresh)
