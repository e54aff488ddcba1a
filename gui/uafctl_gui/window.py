"""The window: which page follows which. Everything that is decided about uafctl's lines is in `conversation` and `status`."""

import sys
import time
from collections.abc import Callable, Sequence

from uafctl_gui import messages, status
from uafctl_gui.answers import code_line
from uafctl_gui.child import Child
from uafctl_gui.code_page import CodePage
from uafctl_gui.conversation import Action, Ask, Cancel, Cause, Conversation, Outcome, Send, Tell
from uafctl_gui.home_page import HomePage
from uafctl_gui.messages import Ending, Unreadable
from uafctl_gui.page import Page
from uafctl_gui.plain_pages import ConfirmPage, ResultPage, WorkingPage
from uafctl_gui.question_page import QuestionPage
from uafctl_gui.secret import Secret
from uafctl_gui.status import Status
from uafctl_gui.tasks import STATUS, WITH_CODE, Kind, Task
from uafctl_gui.texts import Say
from uafctl_gui.toolkit import Gdk, GLib, Gtk

_SIZE = (480, 720)
# After this long without a word of uafctl's the window says that it may take longer. A server may have up to a minute.
_LONG_SECONDS = 8
# The result for a core that does not answer (docs/policies.md).
_NO_CORE = 1006
_SLIDE_MILLISECONDS = 140


def _now() -> float:
    """Seconds of a clock that goes on while the machine sleeps, as the locks do."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Window(Gtk.ApplicationWindow):
    """The only window."""

    def __init__(self, application: Gtk.Application, say: Say) -> None:
        super().__init__(application=application, title=say("name"), icon_name="uafctl-gui")
        self._say = say
        self.set_default_size(*_SIZE)
        self._child: Child | None = None
        self._conversation: Conversation | None = None
        self._task: Task | None = None
        self._status: Status | None = None
        self._page: Page | None = None
        self._back = Gtk.Button()
        self._back.connect("clicked", lambda _: self._go_back())
        self._going_back: Callable[[], None] | None = None
        bar = Gtk.HeaderBar()
        bar.pack_start(self._back)
        self.set_titlebar(bar)
        self._stack = Gtk.Stack(transition_type=Gtk.StackTransitionType.CROSSFADE, transition_duration=_SLIDE_MILLISECONDS)
        self.set_child(self._stack)
        keys = Gtk.EventControllerKey()
        keys.connect("key-pressed", self._typed)
        self.add_controller(keys)
        self.connect("close-request", self._closed)
        self._long = 0
        GLib.timeout_add_seconds(1, self._tick)
        self.show_home()

    # --- Pages

    def _show(self, page: Page, back: Callable[[], None] | None, back_text: str = "back") -> None:
        """Shows a page in place of the one before, which is wiped and goes."""
        old, self._page = self._page, page
        self._stack.add_child(page)
        self._stack.set_visible_child(page)
        if old:
            old.wipe()
            self._stack.remove(old)
        self._going_back = back
        self._back.set_visible(back is not None)
        self._back.set_label(self._say(back_text))
        self.set_default_widget(page.main)
        page.focus()

    def _go_back(self) -> None:
        if self._going_back:
            self._going_back()

    def _typed(self, _keys: Gtk.EventControllerKey, key: int, _code: int, _state: Gdk.ModifierType) -> bool:
        if key != Gdk.KEY_Escape or not self._going_back:
            return False
        self._go_back()
        return True

    def _tick(self) -> bool:
        if isinstance(self._page, HomePage) and self._page.tick(_now()):
            self.show_home()
        return GLib.SOURCE_CONTINUE

    def _wait_long(self) -> None:
        """Begins the wait for the next word of uafctl's anew."""
        self._stop_waiting()
        self._long = GLib.timeout_add_seconds(_LONG_SECONDS, self._took_long)

    def _stop_waiting(self) -> None:
        if self._long:
            GLib.source_remove(self._long)
            self._long = 0

    def _took_long(self) -> bool:
        self._long = 0
        if isinstance(self._page, HomePage) and self._child and self._task is None:
            self._show_loading()
        if isinstance(self._page, WorkingPage):
            self._page.show_long()
        return GLib.SOURCE_REMOVE

    def _closed(self, _window: Gtk.Window) -> bool:
        """No secret stays in a widget, and uafctl does not stay behind."""
        if self._page:
            self._page.wipe()
        if self._child:
            self._child.kill()
        self._stop_waiting()
        return False

    # --- The first page

    def show_home(self) -> None:
        """Asks uafctl for the status, and shows it."""
        self._task = self._conversation = None
        document = bytearray()
        # A page that is there stays until the answer, so that nothing flickers when a lock ends.
        if not isinstance(self._page, HomePage):
            self._show_loading()
        child = Child(lambda data: self._gather(child, document, data), lambda: self._status_ended(child, bytes(document)))
        self._child = child
        self._wait_long()
        if not child.start(STATUS):
            self._end(Outcome(Cause.ABSENT), ())

    def _show_loading(self) -> None:
        self._show(WorkingPage(self._say, self._say("loading")), self._stop_loading, "cancel")

    def _stop_loading(self) -> None:
        """The person does not wait for the status."""
        child, self._child = self._child, None
        if child:
            child.finish()
        self._end(Outcome(Cause.CANCELLED), ())

    def _gather(self, child: Child, document: bytearray, data: bytes) -> None:
        # One byte too many is kept, so that the document counts as too long.
        document += data[: messages.LONGEST_DOCUMENT + 1 - len(document)]
        if len(document) > messages.LONGEST_DOCUMENT:
            child.finish()

    def _status_ended(self, child: Child, document: bytes) -> None:
        if child is not self._child or self._task:
            return
        self._child = None
        self._stop_waiting()
        try:
            if len(document) > messages.LONGEST_DOCUMENT:
                raise Unreadable("the status is too long")
            read = status.read(document)
        except Unreadable as error:
            self._end(Outcome(Cause.BROKEN, detail=f"status: {error}"), ())
            return
        if isinstance(read, Ending):
            self._end(Outcome(Cause.FAILURE, read.text, read.next_step or "", read.result), ())
            return
        self._status = read
        self._show(HomePage(read, _now(), self._say, self._choose, self.show_home), None)

    # --- A step

    def _choose(self, task: Task) -> None:
        self._task, known = task, self._status
        if task.kind is Kind.FORGET:
            self._show(
                ConfirmPage(task.authenticator, self._say, lambda: self._begin(task, None), self.show_home), self.show_home
            )
        elif task.kind in WITH_CODE and (known is None or known.takes_codes):
            may_lack = task.kind is Kind.REGISTER and bool(known and known.is_registered)
            warns = task.kind is Kind.RECOVER and not (known and known.codes_set_values)
            self._show(
                CodePage(task, self._say, lambda code: self._begin(task, code), may_lack, warns), self.show_home
            )  # fmt: skip
        else:
            self._begin(task, None)

    def _begin(self, task: Task, code: Secret | None) -> None:
        task = Task(task.kind, task.account, task.authenticator, has_code=code is not None)
        self._task = task
        talk = self._conversation = Conversation()
        child = Child(
            lambda data: self._perform(talk, talk.received(data)),
            lambda: self._perform(talk, talk.ended()),
        )  # fmt: skip
        self._child = child
        self._show_working()
        if not child.start(task.arguments):
            self._perform(talk, talk.not_started())
        if code:
            line = code_line(code)
            code.wipe()
            if not child.write(line):
                self._perform(talk, talk.not_written())

    def _perform(self, talk: Conversation, actions: Sequence[Action]) -> None:
        if talk is not self._conversation:
            return
        for action in actions:
            if isinstance(action, Ask):
                self._stop_waiting()
                page = QuestionPage(action.challenges, action.notices, self._say, self._answer)
                self._show(page, self._cancel, "cancel")
            elif isinstance(action, Tell):
                self._show_working(action)
            elif isinstance(action, Send):
                if self._child and not self._child.write(action.line):
                    self._perform(talk, talk.not_written())
            elif isinstance(action, Cancel):
                if self._child:
                    self._child.finish()
            else:
                self._end(action.outcome, action.notices)

    def _answer(self, secrets: list[Secret]) -> None:
        if self._conversation:
            self._perform(self._conversation, self._conversation.answered(secrets))

    def _cancel(self) -> None:
        if self._conversation:
            self._perform(self._conversation, self._conversation.cancelled())

    def _show_working(self, told: Tell | None = None) -> None:
        is_leaving = self._conversation is not None and not self._conversation.is_working
        if not isinstance(self._page, WorkingPage) or is_leaving:
            text = self._say("cancelling" if is_leaving else "working")
            self._show(WorkingPage(self._say, text), None if is_leaving else self._cancel, "cancel")
        if told and isinstance(self._page, WorkingPage):
            self._page.show_notices(told.notices)
        self._wait_long()

    # --- The end

    def _end(self, outcome: Outcome, notices: Sequence[messages.Notice]) -> None:
        self._stop_waiting()
        task, say = self._task, self._say
        if self._child and outcome.cause is Cause.BROKEN:
            self._child.finish()
        own = {Cause.ABSENT: "absent_about", Cause.BROKEN: "broken_about", Cause.CANCELLED: "cancelled_about"}
        if outcome.detail:
            print(f"uafctl-gui: {outcome.detail}", file=sys.stderr)
        if outcome.result == _NO_CORE:
            # uafctl's own words are for administrators.
            outcome = Outcome(outcome.cause, say("no_core_about"), outcome.text, outcome.result)
        if outcome.cause in own:
            outcome = Outcome(outcome.cause, say(own[outcome.cause]), result=outcome.result)
        titles = {Cause.FAILURE: "failed", Cause.CANCELLED: "cancelled", Cause.ABSENT: "absent", Cause.BROKEN: "broken"}
        title = say(titles[outcome.cause]) if outcome.cause in titles else say(f"done_{task.kind.name.lower()}") if task else ""
        again: Callable[[], None] | None = None
        if outcome.cause is Cause.FAILURE and task:
            again = lambda: self._choose(Task(task.kind, task.account, task.authenticator))  # noqa: E731
        if task is None:
            self._show(ResultPage(outcome, notices, title, say, self.close, self.show_home), None)
        else:
            self._show(ResultPage(outcome, notices, title, say, self.show_home, again), None)
