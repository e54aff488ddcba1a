"""The page that shows uafctl's challenges: fields, the grid, a keypad, or a list."""

import functools
from collections.abc import Callable, Sequence

from uafctl_gui import keypad_layout
from uafctl_gui.answers import LONGEST
from uafctl_gui.keypad import KeypadGrid
from uafctl_gui.messages import Challenge, Notice
from uafctl_gui.page import Page, notice
from uafctl_gui.pattern_grid import PatternGrid
from uafctl_gui.secret import Secret
from uafctl_gui.secret_entry import SecretField
from uafctl_gui.shown_text import line, shown
from uafctl_gui.texts import Say
from uafctl_gui.toolkit import Gtk, button, label, write
from uafctl_gui.wording import wording

Answer = Callable[[list[Secret]], None]


class QuestionPage(Page):
    """One line of uafctl's: one challenge, or a new value and its repetition. Patterns are drawn one after the other."""

    def __init__(self, challenges: Sequence[Challenge], notices: Sequence[Notice], say: Say, answer: Answer) -> None:
        super().__init__()
        self._challenges, self._say, self._answer = challenges, say, answer
        self._fields: list[SecretField] = []
        self._grid: PatternGrid | None = None
        self._drawn: list[Secret] = []
        self._first_option: Gtk.Button | None = None
        self._problem = notice("", True)
        self._problem.set_visible(False)
        first = challenges[0]
        self.add_title(self._title(first))
        self._add_texts(first, notices)
        if first.check == "choice":
            self._add_options(first)
        elif first.check == "pattern":
            self._place = Gtk.Box()
            self.add(self._problem, self._place)
            self.add_main(say("continue"), self._submit)
            self._show_grid()
        else:
            self._add_fields()

    def focus(self) -> None:
        """The keyboard belongs to the first field, dot or option."""
        if self._grid:
            self._grid.focus()
        elif self._fields:
            self._fields[0].focus()
        elif self._first_option:
            self._first_option.grab_focus()

    def wipe(self) -> None:
        """Empties the fields and the grid."""
        for field in self._fields:
            field.clear()
        if self._grid:
            self._grid.clear()
        for secret in self._drawn:
            secret.wipe()
        self._drawn = []

    def _title(self, first: Challenge) -> str:
        if first.check == "choice":
            return self._say("ask_title_choice")
        return self._say("ask_title_current" if first.step == "current" else "ask_title_new")

    def _add_texts(self, first: Challenge, notices: Sequence[Notice]) -> None:
        divided = wording(first)
        told = [shown(each.text) for each in notices]
        for text, each in zip(told, notices):
            self.add(notice(text, each.is_error))
        if divided.problem and divided.problem not in told:
            self.add(notice(divided.problem, True))
        if divided.body:
            self.add(label(divided.body, *(("table",) if divided.has_table else ())))

    # --- A list

    def _add_options(self, first: Challenge) -> None:
        self.add(label(wording(first).caption, "caption-heading"))
        for number, option in enumerate(first.options, 1):
            made = button(line(option), functools.partial(self._choose, number), "option")
            self._first_option = self._first_option or made
            self.add(made)

    def _choose(self, number: int) -> None:
        self._answer([Secret.of_digits(int(digit) for digit in str(number))])

    # --- Fields

    def _add_fields(self) -> None:
        for number, challenge in enumerate(self._challenges):
            caption = wording(challenge).caption or self._say("code" if challenge.check == "code" else "passcode")
            is_code = challenge.check == "code"
            self._fields.append(SecretField(caption, self._say, functools.partial(self._entered, number), is_visible=is_code))
        self.add(self._problem, *self._fields)
        if keys := keypad_layout.keypad(self._challenges[0]):
            self._add_keypad(keys)
        self.add_main(self._say("continue"), self._submit)

    def _add_keypad(self, keys: keypad_layout.Keypad) -> None:
        self.add(KeypadGrid(keys, self._say, self._press, lambda: self._current_field().take_back()))
        if keys.is_translated:
            self.add(label(self._say("keypad_translated"), "dim-label", "small"))

    def _press(self, digit: int) -> None:
        field = self._current_field()
        if field.count < (self._challenges[0].entry_length or LONGEST):
            field.put(digit)
        # The keypad goes on in the next field once this one is full, without a step in between.
        if field.count == self._challenges[0].entry_length and field is not self._fields[-1]:
            self._fields[self._fields.index(field) + 1].focus()

    def _current_field(self) -> SecretField:
        length = self._challenges[0].entry_length
        return next((field for field in self._fields if length and field.count < length), self._fields[-1])

    def _entered(self, number: int) -> None:
        if number + 1 < len(self._fields):
            self._fields[number + 1].focus()
        else:
            self._submit()

    # --- The grid

    def _show_grid(self) -> None:
        if self._grid:
            self._place.remove(self._grid)
        caption = wording(self._challenges[len(self._drawn)]).caption or self._say("pattern")
        self._grid = PatternGrid(caption, self._say, self._submit)
        self._grid.set_hexpand(True)
        self._place.append(self._grid)
        self._grid.focus()

    # --- The answer

    def _submit(self) -> None:
        if self._grid:
            self._submit_pattern(self._grid)
            return
        for field, challenge in zip(self._fields, self._challenges):
            if problem := self._objection(field, challenge):
                self._tell(problem)
                field.focus()
                return
        self._answer([field.take() for field in self._fields])

    def _submit_pattern(self, grid: PatternGrid) -> None:
        if not grid.count:
            self._tell(self._say("pattern_empty"))
            return
        self._problem.set_visible(False)
        self._drawn.append(grid.take())
        if len(self._drawn) < len(self._challenges):
            self._show_grid()
            return
        drawn, self._drawn = self._drawn, []
        self._answer(drawn)

    def _objection(self, field: SecretField, challenge: Challenge) -> str:
        if not field.count:
            return self._say("entry_missing")
        if challenge.entry_length and field.count < challenge.entry_length and challenge.step == "current":
            # The core would count this as a wrong attempt.
            return self._say("entry_length", length=challenge.entry_length)
        if field.buffer.get_bytes() > LONGEST:
            return self._say("entry_too_long")
        return ""

    def _tell(self, text: str) -> None:
        write(self._problem, text)
        self._problem.set_visible(True)
