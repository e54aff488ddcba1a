/* The numbers of the module, each with its name. docs/protocol.md explains those of the wire; the others are
   explained here. */
#ifndef UAF_LIMITS_H
#define UAF_LIMITS_H

/* Where the core is. Fixed when the module is built: nothing that a caller controls may change it. */
#ifndef UAF_LIBEXECDIR
#define UAF_LIBEXECDIR "/usr/libexec/pam-uaf"
#endif
#ifndef UAF_SOCKET_PATH
#define UAF_SOCKET_PATH "/run/pam-uaf/helper.sock"
#endif
#define UAF_HELPER_PATH UAF_LIBEXECDIR "/uaf-helper"

/* docs/protocol.md, "Packets" and "Conversation". Sizes are bytes. */
#define UAF_PROTOCOL_VERSION 3
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
/* Characters, not bytes. */
#define UAF_ENTRY_LENGTH_MAX 256
#define UAF_VARIABLE_NAME_MAX 64
#define UAF_VARIABLE_VALUE_MAX 8192

/* The most bytes of an account's entry, and the most repetitions of a lookup: with more room, or after an
   interruption. */
#define UAF_ACCOUNT_ROOM 4096
#define UAF_ACCOUNT_ROOM_MAX (1024 * 1024)
#define UAF_ACCOUNT_LOOKUPS_MAX 64

/* The message to the host when an authentication with "divided" is ready. The host may keep this message for as long as it
   shows its screen, so it is the same in every language. */
#define UAF_READY_TEXT "pam_uaf: ready"

/* The most bytes of a secret that can be stored. A PAM_AUTHTOK that is longer is not tried. */
#define UAF_STORABLE_MAX 256

/* How long the core may take for a message: 30 s for the exchange with the server and 10 s for itself. The time the person
   takes to answer never counts. The tests build with less. */
#ifndef UAF_SILENCE_MILLISECONDS
#define UAF_SILENCE_MILLISECONDS 40000
#endif

/* When its socket closes, a core that has finished ends by itself. After the first of these times it is killed. After the second,
   nobody waits for it any longer: a killed process needs that long only if it is frozen. */
#ifndef UAF_GRACE_MILLISECONDS
#define UAF_GRACE_MILLISECONDS 1000
#endif
#define UAF_KILL_MILLISECONDS 2000

/* How late a wait may end; this is the kernel's own default. */
#define UAF_TIMER_SLACK_NANOSECONDS 50000UL

/* While the host waits for the verdict on a confirmed text: the time between two checks whether a signal tells it to
   end. */
#define UAF_SIGNAL_MILLISECONDS 100

/* How long, and how often, a caller that is not root tries to reach the socket while its queue is full. Anybody can fill
   that queue. */
#define UAF_QUEUE_MILLISECONDS 10000
#define UAF_QUEUE_PAUSE_NANOSECONDS 5000000L

/* timeout= in the stack: seconds for the whole call. The core refuses more (ModuleArguments). */
#define UAF_TIMEOUT_SECONDS_MAX 600

/* The most messages of one call: a core that sends message after message must not keep the caller for ever. */
#define UAF_MESSAGES_MAX 512
#define UAF_VARIABLES_MAX 8

/* How long libpam makes a failed attempt wait, in microseconds. */
#define UAF_FAIL_DELAY_MICROSECONDS 2000000

/* How many bytes of a name or a text are put into a log line. */
#define UAF_LOG_BYTES_MAX 128

#endif
