"""The files of a folder, without those of other file systems."""

import os


def below(folder):
    """The paths of everything below a folder that is not a folder itself, on the folder's own file system.

    What is mounted further down is not the machine that the rows are about: the checkout, and with a checkout under /tmp
    the /proc of the machine outside, in which a walk may never end.
    """
    device = os.stat(folder).st_dev
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if os.lstat(os.path.join(place, name)).st_dev == device]
        yield from (os.path.join(place, name) for name in names)
