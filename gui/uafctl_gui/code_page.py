"""The page on which a code is typed or scanned."""

from collections.abc import Callable

from uafctl_gui import scanner
from uafctl_gui.page import Page, notice
from uafctl_gui.scanner import Scanner
from uafctl_gui.secret import Secret
from uafctl_gui.secret_entry import SecretField
from uafctl_gui.tasks import Kind, Task
from uafctl_gui.texts import Say
from uafctl_gui.toolkit import button, write


class CodePage(Page):
    """Asks for the administrator's code; `go_on` gets it, or None if a step is possible without one."""

    def __init__(self, task: Task, say: Say, go_on: Callable[[Secret | None], None], may_lack_code: bool, warns: bool) -> None:
        super().__init__()
        self._say, self._go_on = say, go_on
        self._scanner: Scanner | None = None
        step = task.kind.name.lower()
        title = f"{step}_title_{task.authenticator}" if task.kind is Kind.REGISTER else f"{step}_title"
        self.add_title(say(title), say(f"{step}_about"))
        if warns:
            self.add(notice(say("codes_by_root"), False))
        self._problem = notice("", True)
        self._problem.set_visible(False)
        self._field = SecretField(say("code"), say, self._submit, is_visible=True)
        self._field.buffer.connect("notify::length", lambda *_: self._changed())
        self.add(self._problem, self._field)
        if scanner.is_there():
            self._scan = button(say("scan"), self._start_scan, "side")
            self.add(self._scan)
        main = self.add_main(say("continue"), self._submit)
        main.set_sensitive(False)
        if may_lack_code:
            self.add_side(say("without_code"), lambda: self._go_on(None))

    def focus(self) -> None:
        """The keyboard belongs to the field."""
        self._field.focus()

    def wipe(self) -> None:
        """Empties the field and ends the camera."""
        if self._scanner:
            self._scanner.stop()
            self._scanner = None
        self._field.clear()

    def _changed(self) -> None:
        if self.main:
            self.main.set_sensitive(self._field.count > 0)

    def _submit(self) -> None:
        if self._field.count:
            self._go_on(self._field.take())

    def _start_scan(self) -> None:
        self._scan.set_sensitive(False)
        self._tell(self._say("scanning"), False)
        self._scanner = Scanner(self._field.buffer, self._scanned)
        self._scanner.start()

    def _scanned(self, has_code: bool) -> None:
        self._scanner = None
        self._scan.set_sensitive(True)
        if has_code:
            self._problem.set_visible(False)
            if self.main:
                self.main.grab_focus()
        else:
            self._tell(self._say("scan_failed"), True)
            self._field.focus()

    def _tell(self, text: str, is_problem: bool) -> None:
        write(self._problem, text)
        (self._problem.add_css_class if is_problem else self._problem.remove_css_class)("problem")
        self._problem.set_visible(True)
