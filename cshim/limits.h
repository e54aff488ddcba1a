/* The module's constants. Those of the protocol are explained in docs/protocol.md, the others here. */
#ifndef UAF_LIMITS_H
#define UAF_LIMITS_H

/* The folder of the core. It is fixed when the module is built, so that a caller cannot change it. */
#ifndef UAF_LIBEXECDIR
#define UAF_LIBEXECDIR "/usr/libexec/pam-uaf"
#endif
#ifndef UAF_SOCKET_PATH
#define UAF_SOCKET_PATH "/run/pam-uaf/helper.sock"
#endif
#define UAF_HELPER_PATH UAF_LIBEXECDIR "/uaf-helper"

/* docs/protocol.md, "Packets" and "Conversation". Sizes are in bytes. */
#define UAF_PROTOCOL_VERSION 5
#define UAF_PACKET_MAX 65536
#define UAF_NAME_MAX 256
#define UAF_SERVICE_MAX 64
#define UAF_LOCALE_MAX 64
#define UAF_ARGUMENT_MAX 4096
#define UAF_ARGUMENTS_MAX 32
#define UAF_PROGRAM_MAX 4096
/* Twice the longest command that a person can be asked to confirm. */
#define UAF_COMMAND_MAX 4096
#define UAF_ANSWER_MAX 1024
#define UAF_TEXT_MAX 4096
#define UAF_OPTION_MAX 256
#define UAF_OPTIONS_MAX 16
/* In characters, not bytes. */
#define UAF_ENTRY_LENGTH_MAX 256
#define UAF_VARIABLE_NAME_MAX 64
#define UAF_VARIABLE_VALUE_MAX 8192
#define UAF_KEYRING_MAX 512

/* The initial and the maximum size of the buffer for an account's entry. And the maximum number of lookups: one is repeated
   with a larger buffer, or after an interruption. */
#define UAF_ACCOUNT_ROOM 4096
#define UAF_ACCOUNT_ROOM_MAX (1024 * 1024)
#define UAF_ACCOUNT_LOOKUPS_MAX 64

/* The message to the host when an authentication with the argument "divided" is ready. It is for the host, not for a person, so
   it is the same in every language. The host may take as long as it likes to return from it. */
#define UAF_READY_TEXT "pam_uaf: ready"

/* The maximum length in bytes of a stored secret. A longer PAM_AUTHTOK is not tried. */
#define UAF_STORABLE_MAX 256

/* How long the core may take until its next message: 30 s for the exchange with the server, and 10 s for itself. The time that
   the person takes to answer does not count. The tests are built with less. */
#ifndef UAF_SILENCE_MILLISECONDS
#define UAF_SILENCE_MILLISECONDS 40000
#endif

/* Once its socket is closed, a core ends by itself. If it has not ended after the first of these times, it is killed. After the
   second, the module does not wait for it any longer: a killed process takes that long only if it is frozen. */
#ifndef UAF_GRACE_MILLISECONDS
#define UAF_GRACE_MILLISECONDS 1000
#endif
#define UAF_KILL_MILLISECONDS 2000

/* By how much a wait may end too late; this is the kernel's default. */
#define UAF_TIMER_SLACK_NANOSECONDS 50000UL

/* While the host waits for the verdict on a confirmed text: the time between two checks for a signal that tells the host to
   end. */
#define UAF_SIGNAL_MILLISECONDS 100

/* How long a caller that is not root tries to connect while the socket's queue is full, and the pause between two tries.
   Anybody can fill that queue. */
#define UAF_QUEUE_MILLISECONDS 10000
#define UAF_QUEUE_PAUSE_NANOSECONDS 5000000L

/* The maximum of timeout= in the stack, in seconds for the whole call. The core refuses more (ModuleArguments). */
#define UAF_TIMEOUT_SECONDS_MAX 600

/* The maximum number of messages in one call, so that a core that keeps sending messages cannot keep the caller for ever. */
#define UAF_MESSAGES_MAX 512
#define UAF_VARIABLES_MAX 8

/* How long libpam delays the caller after a failed attempt, in microseconds. */
#define UAF_FAIL_DELAY_MICROSECONDS 2000000

/* How many bytes of a name or a text are written into a line of the log. */
#define UAF_LOG_BYTES_MAX 128

#endif
