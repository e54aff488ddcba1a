"""uafctl-gui: a window in front of `uafctl`, which does everything (docs/desktop.md).

Modules that decide import nothing of GTK, and `Tests/GUI` tests them: `messages`, `conversation`, `answers`, `status`, `stroke`,
`keypad_layout`, `countdown`, `shown_text`, `secret`, `texts`. The others are widgets, and the edges to the system.
"""
