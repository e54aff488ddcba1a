"""Tests the Debian packages as an administrator uses them: installed, upgraded, removed, purged.

`machine` is a Debian in namespaces, begun from a folder that is kept as it was; `scene` puts people, a FIDO server and
stacks into it; a row begins with a machine of its own. May import the standard library and `lab`, and runs only where
packages.sh calls it.
"""
