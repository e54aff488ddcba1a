"""Rows on a machine with Debian's kernel in an emulator: what namespaces cannot show, such as AppArmor."""
