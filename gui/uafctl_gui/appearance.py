"""How the window looks: the system's choice of dark or light, and a few rules of style on top of the toolkit's theme."""

from uafctl_gui.toolkit import Gdk, Gio, GLib, Gtk

_SCHEMA = "org.gnome.desktop.interface"
_PORTAL = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings")
_NAMESPACE, _KEY = "org.freedesktop.appearance", "color-scheme"
_DARK = 1

STYLE = b"""
.page { padding: 28px 24px 24px 24px; }
.page-title { font-size: 1.45em; font-weight: 800; }
.heading { font-weight: 700; }
.caption-heading { font-weight: 700; font-size: 0.92em; }
.small { font-size: 0.9em; }
.table { font-family: monospace; }
.problem { color: @error_color; }
.notice { padding: 10px 14px; border-radius: 10px; background-color: alpha(currentColor, 0.07); }
.problem.notice { background-color: alpha(@error_color, 0.12); }
.card { border-radius: 14px; border: 1px solid alpha(currentColor, 0.14); background-color: @theme_base_color; }
.card > row, .card > row:hover { padding: 14px 16px; background: none; }
.card > row:not(:last-child) { border-bottom: 1px solid alpha(currentColor, 0.1); }
.badge { min-width: 44px; min-height: 44px; border-radius: 9999px; background-color: alpha(@theme_selected_bg_color, 0.16);
  color: @theme_selected_bg_color; }
.badge.locked { background-color: alpha(@warning_color, 0.2); color: @warning_color; }
.badge.good { background-color: alpha(@success_color, 0.2); color: @success_color; }
.badge.bad { background-color: alpha(@error_color, 0.16); color: @error_color; }
.badge.large { min-width: 88px; min-height: 88px; }
.main { padding: 10px 22px; border-radius: 9999px; font-weight: 700; }
.side { padding: 8px 18px; border-radius: 9999px; }
entry { min-height: 42px; border-radius: 10px; }
.option { padding: 14px 18px; border-radius: 12px; }
.keypad button { min-width: 68px; min-height: 42px; font-size: 1.25em; border-radius: 12px; }
.pattern { border-radius: 18px; background-color: alpha(currentColor, 0.05); }
.dot { min-width: 26px; min-height: 26px; padding: 0; border-radius: 9999px; border: none; box-shadow: none;
  background: alpha(currentColor, 0.3); }
.dot:hover { background: alpha(currentColor, 0.45); }
.dot.drawn { background: @theme_selected_bg_color; }
.dot:focus-visible { outline: 3px solid alpha(@theme_selected_bg_color, 0.6); outline-offset: 4px; }
.stroke { color: @theme_selected_bg_color; }
"""


def apply(display: Gdk.Display) -> None:
    """Adds the rules of style, and follows the system's choice of dark or light."""
    provider = Gtk.CssProvider()
    provider.load_from_data(STYLE)
    Gtk.StyleContext.add_provider_for_display(display, provider, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
    if not _follow_schema():
        _follow_portal()


def _set_dark(is_dark: bool) -> None:
    Gtk.Settings.get_default().set_property("gtk-application-prefer-dark-theme", is_dark)


def _follow_schema() -> bool:
    """GNOME's and Xfce's setting; false where it is not installed."""
    source = Gio.SettingsSchemaSource.get_default()
    schema = source.lookup(_SCHEMA, True) if source else None
    if schema is None or not schema.has_key(_KEY):
        return False
    settings = Gio.Settings.new(_SCHEMA)

    def changed(*_: object) -> None:
        _set_dark(settings.get_string(_KEY) == "prefer-dark")

    settings.connect(f"changed::{_KEY}", changed)
    changed()
    # The toolkit does not keep the object alive.
    _kept.append(settings)
    return True


def _follow_portal() -> None:
    """The setting as other desktops have it, if the session has a portal."""
    try:
        bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
    except GLib.Error:
        return
    bus.signal_subscribe(
        _PORTAL[0], _PORTAL[2], "SettingChanged", _PORTAL[1], _NAMESPACE, Gio.DBusSignalFlags.NONE,
        lambda *signal: _portal_changed(*signal[5].unpack()),
    )  # fmt: skip

    def answered(source: Gio.DBusConnection, result: Gio.AsyncResult) -> None:
        try:
            _set_dark(source.call_finish(result).unpack()[0] == _DARK)
        except GLib.Error:
            return

    bus.call(
        *_PORTAL, "Read", GLib.Variant("(ss)", (_NAMESPACE, _KEY)), GLib.VariantType("(v)"),
        Gio.DBusCallFlags.NO_AUTO_START, 2000, None, answered,
    )  # fmt: skip
    _kept.append(bus)


def _portal_changed(_namespace: str, key: str, value: int) -> None:
    if key == _KEY:
        _set_dark(value == _DARK)


_kept: list[object] = []
