"""Different times: a wall clock that was set, and a boot clock that has advanced or started again."""

import pathlib
import time
import uuid

BOOT_ID = "/proc/sys/kernel/random/boot_id"

# Moves only the wall clock of every program, by the seconds in /etc/wall-offset. `date -s` does the same, but
# this affects only this root.
_SOURCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long offset;
static int (*real)(clockid_t, struct timespec *);

/* At the start: later a sandbox may stand before the file. */
__attribute__((constructor)) static void begin(void)
{
  char text[32] = "";
  const int file = open("/etc/wall-offset", O_RDONLY | O_CLOEXEC);
  if (file >= 0 && read(file, text, sizeof text - 1) > 0)
    offset = atol(text);
  close(file);
  real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
  const int result = real(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    now->tv_sec += offset;
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
  (void)zone;
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  *now = (struct timeval){exact.tv_sec, exact.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *where)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (where)
    *where = now.tv_sec;
  return now.tv_sec;
}
"""


class WallClock:
    """The wall clock of every program that starts while the row lasts; running programs keep theirs."""

    def __init__(self, lab):
        self._offset, preload = pathlib.Path("/etc/wall-offset"), pathlib.Path("/etc/ld.so.preload")
        lab.run("cc", "-O1", "-shared", "-fPIC", "-x", "c", "-", "-o", "/usr/local/lib/wall-clock.so", answers=_SOURCE)
        self.move(0)
        preload.write_text("/usr/local/lib/wall-clock.so\n")
        lab.after(preload.unlink)
        # Checks that the clock really moves; otherwise, the row would prove nothing.
        self.move(86400)
        shown = int(lab.run("date", "+%s").stdout)
        if not 86300 < shown - time.time() < 86500:
            raise RuntimeError("the wall clock cannot be moved")
        self.move(0)

    def move(self, seconds):
        """Sets the clock this many seconds away from the time at which the row began."""
        self._offset.write_text(f"{seconds}\n")


def later(seconds):
    """A command that starts a program with the boot clock moved on by this many seconds (back if negative)."""
    return ["unshare", "--time", "--boottime", str(int(seconds)), "--fork"]


def earlier(seconds):
    """Like `later` with a negative value, but at most half of the time since boot; also returns how far back."""
    back = min(int(seconds), int(time.clock_gettime(time.CLOCK_BOOTTIME)) // 2)
    return later(-back), back


def since_boot(seconds):
    """A command that starts a program this many seconds after boot."""
    # The kernel adds whole seconds to the clock.
    return later(seconds - int(time.clock_gettime(time.CLOCK_BOOTTIME)))


def reboot(lab):
    """Has the kernel report a different boot's ID until the row ends; the clock is for `since_boot`."""
    name = pathlib.Path("/tmp/boot-id")
    name.write_text(f"{uuid.uuid4()}\n")
    lab.run("mount", "--bind", name, BOOT_ID)
    lab.after(lambda: lab.run("umount", BOOT_ID))
