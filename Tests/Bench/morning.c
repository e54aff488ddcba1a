#define _GNU_SOURCE
#include "morning.h"

#include <errno.h>
#include <math.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KINDS = 5 };

/* One request of a machine that joined; both parts are in the file's text. */
struct check_in {
  char *proof;
  struct text body;
};

void place_see(struct place *place, SSL *tls)
{
  unsigned char *der = NULL, hash[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  X509 *certificate = SSL_get1_peer_certificate(tls);
  int count = i2d_X509(certificate, &der);
  if (count <= 0 || X509_digest(certificate, EVP_sha256(), hash, &length) != 1)
    give_up("no certificate");
  place->certificate.length = place->end_point.length = 0;
  text_base64url(&place->certificate, der, (size_t)count);
  text_base64url(&place->end_point, hash, length);
  OPENSSL_free(der);
  X509_free(certificate);
}

static void figures_of(struct morning *morning, struct figures *(*all)[KINDS])
{
  struct figures *found[KINDS] = {&morning->hellos, &morning->asks, &morning->responds, &morning->logged_in,
                                  &morning->checked_in};
  memcpy(*all, found, sizeof found);
}

static struct check_in *read_check_ins(const char *path, long count)
{
  struct check_in *all = calloc((size_t)count, sizeof *all);
  FILE *file = fopen(path, "re");
  if (!all || !file)
    give_up("no check-ins in %s", path);
  for (long index = 0; index < count; index++) {
    char *line = NULL;
    size_t room = 0;
    ssize_t length = getline(&line, &room, file);
    char *space = length > 0 ? strchr(line, ' ') : NULL;
    if (!space)
      give_up("%s has too few check-ins", path);
    line[strcspn(line, "\n")] = 0;
    *space = 0;
    all[index] = (struct check_in){line, {space + 1, strlen(space + 1), 0}};
  }
  fclose(file);
  return all;
}

/* When each login begins, in nanoseconds from the morning's beginning: independent of each other, and of the answers. */
static int64_t *begin_at_random(const struct morning *morning)
{
  int64_t *due = calloc((size_t)morning->logins, sizeof *due);
  double at = 0;
  if (!due)
    give_up("out of memory");
  srand48(1);
  for (long index = 0; index < morning->logins; index++) {
    due[index] = (int64_t)(at * 1e9);
    at -= log(1 - drand48()) * morning->during / (double)morning->logins;
  }
  return due;
}

static void sleep_until(int64_t moment)
{
  struct timespec time = {moment / 1000000000, moment % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
    ;
}

static void log_in(struct morning *morning, struct connection *connection, struct login *login, int64_t due)
{
  static struct text body;
  struct part verdict = {0};
  body.length = 0;
  uaf.ask(&morning->place, login, &body);
  int64_t sent = now_nanoseconds();
  struct answer answer = connection_ask(connection, uaf.get, &body);
  figures_add(&morning->asks, now_nanoseconds() - sent);
  body.length = 0;
  if (answer.status != 200 || !uaf.sign(&morning->place, login, answer.body, &body))
    give_up("no challenge: %d %.*s", answer.status, (int)answer.body.length, answer.body.start);
  sent = now_nanoseconds();
  answer = connection_ask(connection, uaf.respond, &body);
  int64_t now = now_nanoseconds();
  figures_add(&morning->responds, now - sent);
  figures_add(&morning->logged_in, now - due);
  if (answer.status != 200 || !uaf.is_success(login, answer.body, &verdict))
    give_up("refused: %d %.*s", answer.status, (int)answer.body.length, answer.body.start);
  verdicts_keep(&morning->verdicts, login, verdict);
}

static void check_in(struct morning *morning, struct connection *connection, const struct check_in *report)
{
  struct part token;
  connection->proof = report->proof;
  int64_t sent = now_nanoseconds();
  struct answer answer = connection_ask(connection, "/uaf/machine", &report->body);
  figures_add(&morning->checked_in, now_nanoseconds() - sent);
  connection->proof = NULL;
  if (answer.status != 200 || !part_between(answer.body, "\"token\":\"", '"', &token))
    give_up("no check-in: %d %.*s", answer.status, (int)answer.body.length, answer.body.start);
}

/* The logins of one process. Each has its own connection, as each login of a machine is a process of its own. */
static void pass_one(struct morning *morning, long first, const int64_t *due, const struct check_in *reports)
{
  int64_t begun = now_nanoseconds();
  for (long index = first; index < morning->logins; index += morning->workers) {
    struct connection connection;
    struct login login = {.account = &morning->accounts[index]};
    sleep_until(begun + due[index]);
    int64_t now = now_nanoseconds();
    connection_open(&connection, morning->context, morning->port);
    figures_add(&morning->hellos, now_nanoseconds() - now);
    place_see(&morning->place, connection.tls);
    log_in(morning, &connection, &login, begun + due[index]);
    check_in(morning, &connection, &reports[index]);
    connection_close(&connection);
  }
  if (morning->verdicts.count)
    verdicts_check(&morning->verdicts);
}

static void put(FILE *to, const void *bytes, size_t length)
{
  if (length && fwrite(bytes, length, 1, to) != 1)
    give_up("the figures cannot be handed over");
}

static void hand_over(struct morning *morning, int descriptor)
{
  struct figures *all[KINDS];
  FILE *to = fdopen(descriptor, "w");
  figures_of(morning, &all);
  for (int kind = 0; kind < KINDS; kind++) {
    put(to, &all[kind]->count, sizeof all[kind]->count);
    put(to, all[kind]->nanoseconds, (size_t)all[kind]->count * sizeof *all[kind]->nanoseconds);
  }
  if (fclose(to) != 0)
    give_up("the figures cannot be handed over");
}

/* Adds the figures of one process to those of all. */
static void take_over(struct morning *morning, int descriptor)
{
  struct figures *all[KINDS];
  FILE *from = fdopen(descriptor, "r");
  figures_of(morning, &all);
  for (int kind = 0; kind < KINDS; kind++) {
    long count = 0;
    uint32_t one;
    if (fread(&count, sizeof count, 1, from) != 1)
      give_up("a process of the morning has ended without figures");
    while (count-- && fread(&one, sizeof one, 1, from) == 1)
      figures_add(all[kind], one);
  }
  fclose(from);
}

void morning_pass(struct morning *morning)
{
  struct check_in *reports = read_check_ins(morning->check_ins, morning->logins);
  int64_t *due = begin_at_random(morning);
  int *ends = calloc((size_t)morning->workers, sizeof *ends);
  if (!ends)
    give_up("out of memory");
  int64_t from = now_nanoseconds();
  for (long worker = 0; worker < morning->workers; worker++) {
    int both[2];
    if (pipe(both) != 0)
      give_up("no pipe: %m");
    pid_t child = fork();
    if (child < 0)
      give_up("no process: %m");
    if (child == 0) {
      pass_one(morning, worker, due, reports);
      hand_over(morning, both[1]);
      _exit(0);
    }
    close(both[1]);
    ends[worker] = both[0];
  }
  for (long worker = 0; worker < morning->workers; worker++)
    take_over(morning, ends[worker]);
  morning->seconds = (double)(now_nanoseconds() - from) / 1e9;
  int status = 0;
  while (wait(&status) > 0)
    if (status != 0)
      give_up("a process of the morning has failed");
  struct rusage used;
  getrusage(RUSAGE_CHILDREN, &used);
  morning->own_seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  free(ends);
  free(due);
}
