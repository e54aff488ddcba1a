"""The files of a folder, without those of other file systems."""

import os


def below(folder):
    """The paths of everything below a folder that is not a folder itself, on the folder's own file system.

    File systems mounted below are not part of the tested machine. One is the checkout. With a checkout under /tmp, one is
    the outer machine's /proc, in which a walk may never end.
    """
    device = os.stat(folder).st_dev
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if os.lstat(os.path.join(place, name)).st_dev == device]
        yield from (os.path.join(place, name) for name in names)
