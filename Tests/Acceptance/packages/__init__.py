"""Tests the Debian packages as an administrator uses them: installed, upgraded, removed, purged.

`machine` is a Debian in namespaces, made from a folder that stays unchanged; `scene` puts people, a FIDO server and stacks into
it. Each row begins with a new machine. May import the standard library and `lab`, and runs only where packages.sh calls it.
"""
