/* The numbers of the module, each with its name. PROTOCOL.md has those of the wire; the others are explained here. */
#ifndef UAF_LIMITS_H
#define UAF_LIMITS_H

/* Where the core is. Fixed when the module is built: nothing a caller controls may change it. */
#ifndef UAF_LIBEXECDIR
#define UAF_LIBEXECDIR "/usr/libexec/pam-uaf"
#endif
#ifndef UAF_SOCKET_PATH
#define UAF_SOCKET_PATH "/run/pam-uaf/helper.sock"
#endif
#define UAF_HELPER_PATH UAF_LIBEXECDIR "/uaf-helper"

/* PROTOCOL.md, "Packets" and "Conversation". Sizes are bytes. */
#define UAF_PROTOCOL_VERSION 3
#define UAF_PACKET_MAX 65536
#define UAF_NAME_MAX 256
#define UAF_SERVICE_MAX 64
#define UAF_LOCALE_MAX 64
#define UAF_ARGUMENT_MAX 4096
#define UAF_ARGUMENTS_MAX 32
#define UAF_PROGRAM_MAX 4096
/* Twice what a person is asked to confirm. */
#define UAF_COMMAND_MAX 4096
#define UAF_ANSWER_MAX 1024
#define UAF_TEXT_MAX 4096
#define UAF_OPTION_MAX 256
#define UAF_OPTIONS_MAX 16
/* Characters, not bytes. */
#define UAF_ENTRY_LENGTH_MAX 256
#define UAF_VARIABLE_NAME_MAX 64
#define UAF_VARIABLE_VALUE_MAX 8192

/* How much room the entry of an account may take, in bytes, and how often a lookup is begun anew: for more room, or after
   an interruption. */
#define UAF_ACCOUNT_ROOM 4096
#define UAF_ACCOUNT_ROOM_MAX (1024 * 1024)
#define UAF_ACCOUNT_LOOKUPS_MAX 64

/* What a host is shown when an authentication with "divided" is ready. The host may hold this message for as long as it
   draws its screen, so it is the same in every language. */
#define UAF_READY_TEXT "pam_uaf: ready"

/* A value longer than this can never have been stored, so PAM_AUTHTOK is not tried when it is. */
#define UAF_STORABLE_MAX 256

/* How long the core may owe a message: 30 s for the exchange with the server and 10 s for itself. The time the person
   takes to answer never counts. The tests build with less. */
#ifndef UAF_SILENCE_MILLISECONDS
#define UAF_SILENCE_MILLISECONDS 40000
#endif

/* A core that has finished ends by itself when its socket closes; it gets this long before it is killed, and a killed
   one this long to be gone, which only a frozen process needs. */
#ifndef UAF_GRACE_MILLISECONDS
#define UAF_GRACE_MILLISECONDS 1000
#endif
#define UAF_KILL_MILLISECONDS 2000

/* The kernel's own default: by so much a wait may end late. */
#define UAF_TIMER_SLACK_NANOSECONDS 50000UL

/* How often it is looked whether the host was told to end while it waits for the verdict on a text that was confirmed. */
#define UAF_SIGNAL_MILLISECONDS 100

/* How long a caller without root tries to reach the socket while its queue is full, and how often: anybody can fill it. */
#define UAF_QUEUE_MILLISECONDS 10000
#define UAF_QUEUE_PAUSE_NANOSECONDS 5000000L

/* timeout= in the stack: seconds for the whole call. */
#define UAF_TIMEOUT_SECONDS_MAX 86400

/* A core that never comes to an end must not keep the caller for ever, message after message. */
#define UAF_MESSAGES_MAX 512
#define UAF_VARIABLES_MAX 8

/* How long libpam makes a failed attempt wait, in microseconds. */
#define UAF_FAIL_DELAY_MICROSECONDS 2000000

/* How many bytes of a name or a text are put into a log line. */
#define UAF_LOG_BYTES_MAX 128

#endif
