"""One login through libpam, timed: what `bench.py` compares."""

import ctypes
import sys
import time


class Message(ctypes.Structure):
    """pam_message of security/_pam_types.h."""

    _fields_ = [("style", ctypes.c_int), ("text", ctypes.c_char_p)]


class Response(ctypes.Structure):
    """pam_response of security/_pam_types.h; libpam frees the text."""

    _fields_ = [("text", ctypes.c_void_p), ("code", ctypes.c_int)]


CONVERSE = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_int,
    ctypes.POINTER(ctypes.POINTER(Message)),
    ctypes.POINTER(ctypes.POINTER(Response)),
    ctypes.c_void_p,
)


class Conversation(ctypes.Structure):
    """pam_conv of security/_pam_types.h."""

    _fields_ = [("converse", CONVERSE), ("data", ctypes.c_void_p)]


def stack(module, configuration):
    """A folder with one PAM service that is this module. libpam reads a path with a space as two words, so a link is used."""
    folder = configuration.with_name(configuration.name + ".pam")
    folder.mkdir()
    (folder / "module.so").symlink_to(module)
    (folder / "bench").write_text(f"auth required {folder}/module.so conf={configuration}\naccount required pam_permit.so\n")
    return folder


def pam_login(folder, passcode, typing=0.05):
    """Seconds that pam_authenticate takes from its call to the prompt, and from the answer to its end."""
    libpam, libc = ctypes.CDLL("libpam.so.0"), ctypes.CDLL(None)
    libc.calloc.restype = libc.strdup.restype = ctypes.c_void_p
    libc.calloc.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
    times = []

    def converse(count, messages, responses, _):
        block = libc.calloc(count, ctypes.sizeof(Response))
        answers = ctypes.cast(block, ctypes.POINTER(Response))
        for place in range(count):
            if messages[place].contents.style == 1:  # PAM_PROMPT_ECHO_OFF
                times.append(time.perf_counter())
                time.sleep(typing)
                answers[place].text = libc.strdup(passcode)
                times.append(time.perf_counter())
        responses[0] = answers
        return 0

    conversation, handle = Conversation(CONVERSE(converse), None), ctypes.c_void_p()
    if libpam.pam_start_confdir(
        b"bench",
        b"root",
        ctypes.byref(conversation),
        str(folder).encode(),
        ctypes.byref(handle),
    ):
        sys.exit("bench: libpam does not start")
    started = time.perf_counter()
    code = libpam.pam_authenticate(handle, 0)
    finished = time.perf_counter()
    libpam.pam_end(handle, code)
    if code or len(times) != 2:
        sys.exit(f"bench: the login ended with PAM code {code} after {len(times) // 2} prompts")
    return times[0] - started, finished - times[1]
