/* A PAM host: calls through the real libpam and the module under test, against the scripted core. */
#ifndef HOST_H
#define HOST_H

#include <security/pam_appl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* What libpam answers when every module of the stack was ignored. The module under test never says this itself. */
#define ALL_IGNORED PAM_PERM_DENIED

enum host_conversation {
  HOST_ANSWERS,
  HOST_HAS_NONE,
  HOST_FAILS,
  HOST_GIVES_NOTHING,
  HOST_ANSWERS_NOTHING,
  HOST_REFUSES_NOTICES
};

/* How the host answers a list of GDM's extension. */
enum host_list {
  LIST_PICKS,        /* with the key of `pick` */
  LIST_NO_KEY,       /* with a response without a key */
  LIST_NO_RESPONSE,  /* with nothing */
  LIST_OTHER_TYPE,   /* with a response of another extension */
  LIST_OTHER_LENGTH, /* with a response that says it is shorter */
  LIST_FAILS
};

struct host_surroundings {
  unsigned descriptors;
  sigset_t mask;
  struct sigaction child, pipe;
};

struct host {
  /* The call. NULL and 0 are the defaults: user root, a "required" line, nothing else in the handle. */
  const char *script, *user, *control, *arguments, *first_pass, *old_password, *next;
  const char *account_arguments; /* of the account line */
  const char *remote_host, *tty, *remote_user;
  const char *answers[4];
  enum host_conversation conversation;
  int flags;
  long answers_after_milliseconds;
  void (*before)(void);     /* runs when the modules are loaded and PAM_USER is set, just before the call */
  void (*while_told)(void); /* runs while it shows a message that asks for nothing */
  bool twice;               /* the stack names the module twice for passwords */
  const char *service;      /* a stack that is there already, in the place of all of this */
  const char *name;         /* the service's name; NULL: uaf-test */
  const char *pick;         /* a key of a list; the type that the host's lists have */
  unsigned char list_type;
  enum host_list list;

  /* What came of it. */
  int code;
  unsigned prompts;
  char shown[16384];    /* one line per message: "hidden: …", "echo: …", "info: …", "error: …",
                           "list TYPE LENGTH: TITLE|KEY=TEXT|…" */
  char log[16384];      /* one line per pam_syslog */
  char record[1 << 18]; /* what the core wrote down */
  bool reached_next, left_authtok, delayed;
  char left[600]; /* the password that was left, with "tell" in `next`; empty for none */
  char token[64]; /* UAF_TOKEN of the PAM environment; empty where it is not set */
  long milliseconds;

  /* Its own. */
  struct pam_conv conv;
  struct host_surroundings surroundings;
};

/* Runs pam_authenticate and fills in the second half. Checks what must hold for every call: descriptors, children,
   signal mask and SIGCHLD's disposition as before, log lines printable, one of them for whatever is not a success. */
void host_authenticate(struct host *host);

/* The same in parts, for several stages of one handle: open, a call for each, close, which checks the descriptors and
   children. A call fills in what came of it, and says nothing of the log. */
pam_handle_t *host_open(struct host *host);
void host_call(pam_handle_t *pamh, struct host *host, int (*stage)(pam_handle_t *pamh, int flags), int flags);
void host_close(pam_handle_t *pamh, struct host *host);

/* What the next core does; what the last one wrote down is forgotten. */
void host_script(struct host *host, const char *script);

/* The lines of the record that begin with prefix, each without it, joined by "|". Returns out. */
const char *host_record_lines(const struct host *host, const char *prefix, char *out, size_t room);

/* Whether the record has the line. */
bool host_recorded(const struct host *host, const char *line);

/* Listens on the module's socket path as the given user, and hands one connection to the scripted core. */
void host_serve_socket(unsigned uid);

/* Listens there as root, and closes the one connection it takes, or never answers it. */
void host_end_at_socket(void);
void host_say_nothing_at_socket(void);

/* Becomes that user for good. */
void host_become(unsigned uid);

/* What lookups of a name fail with; 0 while they work. */
extern int lookup_error;

/* The folder the core, its script and its record are in; the folder of the socket. */
extern const char *const host_libexec;
extern const char *const host_run;

#endif
