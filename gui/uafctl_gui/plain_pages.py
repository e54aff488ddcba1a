"""The pages without an entry: while uafctl works, before something is forgotten, and the end."""

from collections.abc import Callable, Sequence

from uafctl_gui.conversation import Cause, Outcome
from uafctl_gui.messages import Notice
from uafctl_gui.page import Page, badge, notice
from uafctl_gui.shown_text import shown
from uafctl_gui.texts import Say
from uafctl_gui.toolkit import Gtk, label, write


def _centred(text: str, *classes: str, role: Gtk.AccessibleRole = Gtk.AccessibleRole.LABEL) -> Gtk.Label:
    made = label(text, *classes, role=role)
    made.set_justify(Gtk.Justification.CENTER)
    made.set_xalign(0.5)
    return made


class WorkingPage(Page):
    """Shows that uafctl works, and what it has said."""

    def __init__(self, say: Say, text: str) -> None:
        super().__init__()
        self._say = say
        spinner = Gtk.Spinner(spinning=True, accessible_role=Gtk.AccessibleRole.PRESENTATION)
        spinner.set_size_request(40, 40)
        spinner.set_margin_top(72)
        self._text = _centred(text)
        self._told = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=10)
        self.add(spinner, self._text, self._told)

    def show_notices(self, notices: Sequence[Notice]) -> None:
        """Shows these instead of those before."""
        while child := self._told.get_first_child():
            self._told.remove(child)
        for each in notices:
            self._told.append(notice(shown(each.text), each.is_error))

    def show_long(self) -> None:
        """Says that it takes long."""
        write(self._text, self._say("working_long"))


class ConfirmPage(Page):
    """Asks before a key is deleted."""

    def __init__(self, kind: str, say: Say, go_on: Callable[[], None], back: Callable[[], None]) -> None:
        super().__init__()
        self.add(badge("user-trash-symbolic", "bad", "large", size=40))
        self.add(_centred(say(f"forget_title_{kind}"), "page-title"), _centred(say("forget_about")))
        self.add_main(say(f"forget_{kind}"), go_on, "destructive-action")
        self._back = self.add_side(say("cancel"), back)

    def focus(self) -> None:
        """The keyboard is on the button that changes nothing."""
        self._back.grab_focus()


class ResultPage(Page):
    """How a step has ended; uafctl's own words, or ours if it had none."""

    def __init__(
        self, outcome: Outcome, notices: Sequence[Notice], title: str, say: Say, done: Callable[[], None],
        again: Callable[[], None] | None,
    ) -> None:  # fmt: skip
        super().__init__()
        icon, look = _SIGNS[outcome.cause]
        sign = badge(icon, *look, "large", size=40)
        sign.set_margin_top(24)
        heading = _centred(title, "page-title", role=Gtk.AccessibleRole.ALERT)
        self.add(sign, heading)
        texts = [shown(text) for text in (outcome.text, outcome.next_step) if text.strip()]
        for text in texts:
            self.add(_centred(text))
        for each in notices:
            if (text := shown(each.text)) not in texts:
                self.add(notice(text, each.is_error))
        if again:
            self.add_main(say("try_again"), again)
            self.add_side(say("done"), done)
        else:
            self.add_main(say("done"), done)


_SIGNS = {
    Cause.SUCCESS: ("object-select-symbolic", ("good",)),
    Cause.FAILURE: ("dialog-warning-symbolic", ("locked",)),
    Cause.CANCELLED: ("window-close-symbolic", ()),
    Cause.ABSENT: ("dialog-error-symbolic", ("bad",)),
    Cause.BROKEN: ("dialog-error-symbolic", ("bad",)),
}
