"""A PAM host in a bad state: bare_host.py SERVICE USER FIFO TROUBLE...

Breaks itself as TROUBLE says and starts a login. Answers each prompt with what is written into the
FIFO, and exits with PAM's code as its status. Writes nothing, since it may have nowhere to write to.
"""

import ctypes
import os
import signal
import sys

PAM_PROMPT_ECHO_OFF, PAM_PROMPT_ECHO_ON, PAM_CONV_ERR, PAM_BUF_ERR = 1, 2, 19, 5
FAIL_DELAY = 10


class Message(ctypes.Structure):
    _fields_ = [("style", ctypes.c_int), ("text", ctypes.c_char_p)]


class Response(ctypes.Structure):
    _fields_ = [("answer", ctypes.c_void_p), ("code", ctypes.c_int)]


CONVERSE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.POINTER(Message)), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p
)
NO_DELAY = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p)


class Conversation(ctypes.Structure):
    _fields_ = [("converse", CONVERSE), ("data", ctypes.c_void_p)]


def make_wrong(trouble):
    """The state that a hostile or careless caller of a setuid program leaves behind."""
    if trouble.startswith("close="):
        for number in trouble.removeprefix("close=").split(","):
            os.close(int(number))
    elif trouble == "leak":
        for _ in range(500):
            os.set_inheritable(os.open("/etc/shadow", os.O_RDONLY), True)
    elif trouble == "sigchld":
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    elif trouble == "ignored":
        for number in range(1, 32):
            if number not in (signal.SIGKILL, signal.SIGSTOP):
                signal.signal(number, signal.SIG_IGN)
    elif trouble == "blocked":
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    elif trouble == "timer":
        # Interrupts every waiting system call, five hundred times a second.
        signal.signal(signal.SIGALRM, lambda *_: None)
        signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    elif trouble == "timer-kills":
        signal.setitimer(signal.ITIMER_REAL, 0.01)
    elif trouble == "folder":
        os.mkdir("/tmp/gone")
        os.chdir("/tmp/gone")
        os.rmdir("/tmp/gone")
        os.umask(0)


def main(service, user, fifo, *troubles):
    libc, pam = ctypes.CDLL("libc.so.6"), ctypes.CDLL("libpam.so.0")
    libc.calloc.restype = libc.strdup.restype = ctypes.c_void_p

    def converse(count, messages, responses, _):
        answers = libc.calloc(count, ctypes.sizeof(Response))
        table = ctypes.cast(answers, ctypes.POINTER(Response))
        for number in range(count):
            if messages[number].contents.style in (PAM_PROMPT_ECHO_OFF, PAM_PROMPT_ECHO_ON):
                with open(fifo, "rb") as answer:
                    table[number].answer = libc.strdup(answer.read())
        responses[0] = answers
        return 0

    conversation = Conversation(CONVERSE(converse), None)
    no_delay = NO_DELAY(lambda *_: None)
    handle = ctypes.c_void_p()
    if pam.pam_start(service.encode(), user.encode(), ctypes.byref(conversation), ctypes.byref(handle)):
        return 255
    pam.pam_set_item(handle, FAIL_DELAY, no_delay)
    for trouble in troubles:
        make_wrong(trouble)
    return pam.pam_authenticate(handle, 0)


os._exit(main(*sys.argv[1:]))
