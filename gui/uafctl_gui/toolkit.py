"""The toolkit, in the version that is meant, and what widgets share."""

import ctypes

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Gdk", "4.0")
gi.require_version("Gsk", "4.0")
gi.require_version("Graphene", "1.0")
from gi.repository import Gdk, Gio, GLib, Gtk, Pango  # noqa: E402

from uafctl_gui.secret import Secret  # noqa: E402

__all__ = ["GLib", "Gdk", "Gio", "Gtk"]

# Characters of a line. Without it a text would make the column as wide as the window.
WIDEST = 38

_gtk = ctypes.CDLL("libgtk-4.so.1")
_gtk.gtk_entry_buffer_get_text.argtypes = [ctypes.c_void_p]
_gtk.gtk_entry_buffer_get_text.restype = ctypes.c_void_p
_gtk.gtk_entry_buffer_get_bytes.argtypes = [ctypes.c_void_p]
_gtk.gtk_entry_buffer_get_bytes.restype = ctypes.c_size_t
_address = ctypes.pythonapi.PyCapsule_GetPointer
_address.argtypes = [ctypes.py_object, ctypes.c_char_p]
_address.restype = ctypes.c_void_p


def secret_of(buffer: Gtk.EntryBuffer) -> Secret:
    """The text of a buffer, copied once and to memory that can be wiped.

    `get_text` would make a Python text of it, which nothing can overwrite; so the toolkit's own function is called.
    """
    pointer = _address(buffer.__gpointer__, None)
    secret = Secret(_gtk.gtk_entry_buffer_get_bytes(pointer))
    if secret.octets:
        ctypes.memmove(
            (ctypes.c_char * len(secret)).from_buffer(secret.octets), _gtk.gtk_entry_buffer_get_text(pointer), len(secret)
        )
    return secret


def name(widget: Gtk.Accessible, text: str) -> None:
    """What a screen reader calls a widget that shows no text of its own."""
    widget.update_property([Gtk.AccessibleProperty.LABEL], [text])


def describe(widget: Gtk.Accessible, text: str) -> None:
    """What a screen reader says of a widget besides its name."""
    widget.update_property([Gtk.AccessibleProperty.DESCRIPTION], [text])


def label(text: str, *classes: str, role: Gtk.AccessibleRole = Gtk.AccessibleRole.LABEL) -> Gtk.Label:
    """A text that wraps; it is never read as markup."""
    made = Gtk.Label(label=text, wrap=True, xalign=0, use_markup=False, accessible_role=role)
    made.set_max_width_chars(WIDEST)
    # A word without end must not make the window wider.
    made.set_wrap_mode(Pango.WrapMode.WORD_CHAR)
    for each in classes:
        made.add_css_class(each)
    return made


def write(shown: Gtk.Label, text: str) -> None:
    """Changes a text; a screen reader speaks the new one at once, where the toolkit can ask for that (4.14)."""
    shown.set_label(text)
    if hasattr(shown, "announce"):
        shown.announce(text, Gtk.AccessibleAnnouncementPriority.MEDIUM)


def button(text: str, act, *classes: str) -> Gtk.Button:
    """A button with a text, and what it does."""
    made = Gtk.Button(label=text)
    made.connect("clicked", lambda _: act())
    for each in classes:
        made.add_css_class(each)
    return made
