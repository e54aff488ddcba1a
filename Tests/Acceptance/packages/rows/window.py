"""The package of the window: what it needs, what it puts where, and what is left of it."""

from lab.table import must, row
from packages import scene

# Below these, and nowhere else. Menus and stores find the rest by these folders.
_OWN = (
    "/usr/bin/uafctl-gui",
    "/usr/share/applications/pam_uaf.uafctl_gui.desktop",
    "/usr/share/doc/uafctl-gui/",
    "/usr/share/icons/hicolor/scalable/apps/uafctl-gui.svg",
    "/usr/share/man/man1/uafctl-gui.1.gz",
    "/usr/share/metainfo/pam_uaf.uafctl_gui.metainfo.xml",
    "/usr/share/uafctl-gui/",
)
_DPKG = ("dpkg", "--force-depends")


def _files(machine):
    """Every file of the machine that a package could have put there."""
    found = machine.says("find", "/usr", "/etc", "/var/lib", "-xdev", "-not", "-type", "d", "-not", "-path", "/var/lib/dpkg/*")
    return set(found.splitlines())


@row(
    "P38",
    "install the window where there is no toolkit, then in spite of that; remove and purge it",
    "apt names what is missing and changes nothing; it brings its own files alone, no script of its own, and all of them go",
)
def window(lab):
    with lab.bare(booted=False) as machine:
        scene.install(machine, lab.archives)
        for name in (scene.WINDOW, "libgtk-4-1", "python3-gi"):
            must(scene.state_of(machine, name) == "", f"a server gets {name}")
        before = _files(machine)
        path = machine.bring(lab.window, f"/var/tmp/{lab.window.name}")
        refused = machine.run("apt-get", "install", "--yes", "--no-install-recommends", path, check=False)
        must(refused.returncode != 0 and "gir1.2-gtk-4.0" in refused.stdout, f"not refused: {refused.stdout[-400:]}")
        must(_files(machine) == before, "a refused installation has changed files")
        machine.run(*_DPKG, "--install", path)
        must(scene.state_of(machine, scene.WINDOW) == "installed", "not installed")
        brought = _files(machine) - before
        strange = sorted(name for name in brought if not name.startswith(_OWN))
        must(brought and not strange, f"files that nobody expects: {strange}")
        scripts = machine.says("sh", "-c", "ls /var/lib/dpkg/info | grep '^uafctl-gui[.]' | sort").split()
        must(scripts == ["uafctl-gui.list", "uafctl-gui.md5sums"], f"it has scripts: {scripts}")
        modes = machine.says("find", "/usr/share/uafctl-gui", "-perm", "/022", "-o", "-not", "-user", "root").split()
        must(not modes, f"others can write to {modes}")
        machine.run(*_DPKG, "--remove", scene.WINDOW)
        machine.run(*_DPKG, "--purge", scene.WINDOW)
        left = sorted(_files(machine) - before)
        must(not left, f"left: {left}")
        for package in scene.PACKAGES:
            must(scene.state_of(machine, package) == "installed", f"{package} is gone")
        return f"refused for want of gir1.2-gtk-4.0; {len(brought)} files came and went"
