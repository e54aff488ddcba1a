"""Fields for secrets: their text is in the toolkit's memory that is locked and wiped, cannot be copied, and has no history."""

from collections.abc import Callable

from uafctl_gui import answers
from uafctl_gui.secret import Secret
from uafctl_gui.texts import Say
from uafctl_gui.toolkit import Gdk, Gtk, label, secret_of

# Characters of a code, with all that may stand around it in a line of a letter.
LONGEST_CODE = 4096


class SecretField(Gtk.Box):
    """A label with the field below it. `is_visible`: for a code, which is compared with a paper while it is typed.

    The field is a bare `Gtk.Text` in a box that looks like an entry. `Gtk.PasswordEntry` and `Gtk.Entry` of version 4.8 tell
    every program on the accessibility bus the text itself; `Gtk.Text` tells the bullets that are shown.
    """

    def __init__(self, title: str, say: Say, activate: Callable[[], None], is_visible: bool = False) -> None:
        super().__init__(orientation=Gtk.Orientation.VERTICAL, spacing=6)
        self._text = Gtk.Text(
            buffer=Gtk.PasswordEntryBuffer(), visibility=is_visible, hexpand=True, accessible_role=Gtk.AccessibleRole.TEXT_BOX
        )
        # A text that is visible would go into a history of changes, where nothing wipes it.
        self._text.set_enable_undo(False)
        self._text.set_enable_emoji_completion(False)
        self._text.set_input_purpose(Gtk.InputPurpose.FREE_FORM if is_visible else Gtk.InputPurpose.PASSWORD)
        # PRIVATE asks input methods to learn nothing from what is typed.
        self._text.set_input_hints(Gtk.InputHints.NO_SPELLCHECK | Gtk.InputHints.NO_EMOJI | Gtk.InputHints.PRIVATE)
        self._text.set_max_length(LONGEST_CODE if is_visible else answers.LONGEST)
        self._text.connect("activate", lambda _: activate())
        caption = label(title, "caption-heading")
        # This also makes the label the field's name for a screen reader.
        caption.set_mnemonic_widget(self._text)
        frame = Gtk.Box(css_name="entry")
        frame.append(self._text)
        self._capitals = label(say("caps_lock"), "small", "problem")
        self.append(caption)
        self.append(frame)
        if not is_visible:
            self._watch_capitals()

    @property
    def buffer(self) -> Gtk.EntryBuffer:
        """Where the characters are."""
        return self._text.get_buffer()

    @property
    def count(self) -> int:
        """How many characters there are."""
        return self.buffer.get_length()

    def take(self) -> Secret:
        """The value; the field is empty afterwards."""
        secret = secret_of(self.buffer)
        self.clear()
        return secret

    def clear(self) -> None:
        """Empties the field; its memory is overwritten by the toolkit."""
        self.buffer.delete_text(0, -1)

    def put(self, digit: int) -> None:
        """Appends a digit, as a key of a keypad does."""
        self.buffer.insert_text(self.buffer.get_length(), str(digit), 1)
        self._text.set_position(-1)

    def take_back(self) -> None:
        """Removes the last character."""
        if count := self.buffer.get_length():
            self.buffer.delete_text(count - 1, 1)

    def focus(self) -> None:
        """Takes the keyboard."""
        self._text.grab_focus()

    def _watch_capitals(self) -> None:
        """Says that the keyboard writes capitals: a wrong entry counts towards a lock."""
        self.append(self._capitals)
        keyboard = Gdk.Display.get_default().get_default_seat().get_keyboard()

        def show(*_: object) -> None:
            self._capitals.set_visible(bool(keyboard and keyboard.get_caps_lock_state()) and self._text.has_focus())

        self._text.connect("notify::has-focus", show)
        if keyboard:
            handler = keyboard.connect("notify::caps-lock-state", show)
            self.connect("destroy", lambda _: keyboard.disconnect(handler))
        show()
