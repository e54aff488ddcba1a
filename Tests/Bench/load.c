/* Signs in at a server, for real, again and again: the load of `make bench`.

     load keys SEED COUNT STRIDE           prints name, KeyID and public key of each account, in hex
     load run OPTION=VALUE...              signs in, and prints the figures as JSON
     load morning OPTION=VALUE...          signs each account in once with a check-in, and prints the figures as JSON
     load pages OPTION=VALUE...            asks for one static answer, and prints the figures as JSON

   Options: port, pid (the server's), ca, app (AppID or origin), verdict (the key of verdicts, PEM; none for WebAuthn), seed,
   accounts, stride, counter (of the last run), connections, before, during (seconds), rate (a second; 0: no limit),
   protocol (uaf, conformance, webauthn or privacyidea), origin (a header of each request; none if it is not given). Those of `pages`: port,
   pid, ca, connections, before, during, path, expected (the body of each answer). Those of `morning`: port, ca, app, verdict, seed,
   accounts (as many as there are logins), stride, counter, during, workers (processes), check_ins (a file: morning.h). One flipped bit, a replay or an answer that
   is not right ends the run without figures. */
#include "morning.h"
#include "pages.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *option(char **arguments, const char *name, const char *otherwise)
{
  for (size_t length = strlen(name); *arguments; arguments++)
    if (strncmp(*arguments, name, length) == 0 && (*arguments)[length] == '=')
      return *arguments + length + 1;
  if (!otherwise)
    give_up("%s= is missing", name);
  return otherwise;
}

static void print_hex(const unsigned char *bytes, size_t count)
{
  for (size_t index = 0; index < count; index++)
    printf("%02x", bytes[index]);
}

static int print_keys(const char *seed, long count, long stride)
{
  struct account *accounts = accounts_make(seed, count, stride, 0);
  for (long index = 0; index < count; index++) {
    printf("%s ", accounts[index].name);
    print_hex(accounts[index].key_id, KEY_ID);
    putchar(' ');
    print_hex(accounts[index].point, POINT);
    putchar('\n');
  }
  accounts_free(accounts, count);
  return 0;
}

static void print_times(const char *name, struct figures *figures)
{
  printf("\"%s_p50_ms\":%.3f,\"%s_p99_ms\":%.3f,", name, figures_quantile(figures, 0.5), name,
         figures_quantile(figures, 0.99));
}

static void print_figures(struct run *run)
{
  uint32_t counter = 0;
  if (run->logins.count == 0)
    give_up("no login was completed within the time that counts");
  for (long index = 0; index < run->account_count; index++)
    if (run->accounts[index].counter > counter)
      counter = run->accounts[index].counter;
  printf("{\"logins\":%ld,\"seconds\":%.3f,\"per_second\":%.1f,", run->logins.count, run->seconds,
         (double)run->logins.count / run->seconds);
  printf("\"server_seconds\":%.4f,\"per_core_second\":%.1f,", run->server_seconds,
         (double)run->logins.count / run->server_seconds);
  printf("\"own_us\":%.1f,", run->own_seconds / (double)run->logins.count * 1e6);
  print_times("get", &run->asks);
  print_times("respond", &run->responds);
  print_times("login", &run->logins);
  printf("\"checked\":%ld,\"counter\":%u}\n", run->verdicts ? run->verdicts->count : run->all, counter);
}

static const struct protocol *protocol_named(const char *name)
{
  if (strcmp(name, "uaf") == 0)
    return &uaf;
  if (strcmp(name, "conformance") == 0)
    return &conformance;
  if (strcmp(name, "webauthn") == 0)
    return &webauthn;
  if (strcmp(name, "privacyidea") == 0)
    return &privacyidea;
  give_up("no protocol: %s", name);
}

static struct connection *connect_all(char **arguments, long count)
{
  SSL_CTX *context = connections_context(option(arguments, "ca", NULL));
  const char *origin = option(arguments, "origin", "");
  struct connection *connections = calloc((size_t)count, sizeof *connections);
  if (!connections)
    give_up("out of memory");
  for (long index = 0; index < count; index++) {
    connection_open(&connections[index], context, option(arguments, "port", NULL));
    connections[index].origin = *origin ? origin : NULL;
  }
  SSL_CTX_free(context);
  return connections;
}

static void close_all(struct connection *connections, long count)
{
  for (long index = 0; index < count; index++)
    connection_close(&connections[index]);
  free(connections);
}

static int sign_in(char **arguments)
{
  struct verdicts verdicts;
  const struct protocol *protocol = protocol_named(option(arguments, "protocol", "uaf"));
  bool signs_verdicts = protocol == &uaf || protocol == &conformance;
  struct run run = {.protocol = protocol,
                    .place.app_id = option(arguments, "app", NULL),
                    .account_count = atol(option(arguments, "accounts", NULL)),
                    .connection_count = atol(option(arguments, "connections", "16")),
                    .before = atof(option(arguments, "before", "1")),
                    .during = atof(option(arguments, "during", "5")),
                    .rate = atof(option(arguments, "rate", "0")),
                    .server = atoi(option(arguments, "pid", NULL)),
                    .verdicts = signs_verdicts ? &verdicts : NULL};
  if (run.verdicts)
    verdicts_open(&verdicts, option(arguments, "verdict", NULL));
  run.accounts = accounts_make(option(arguments, "seed", "bench"), run.account_count,
                               atol(option(arguments, "stride", "1")),
                               (uint32_t)atol(option(arguments, "counter", "0")));
  run.connections = connect_all(arguments, run.connection_count);
  place_see(&run.place, run.connections[0].tls);
  run_controls(&run);
  run_logins(&run);
  if (run.verdicts)
    verdicts_check(&verdicts);
  print_figures(&run);
  close_all(run.connections, run.connection_count);
  return 0;
}

static int pass_morning(char **arguments)
{
  struct morning morning = {.place.app_id = option(arguments, "app", NULL),
                            .context = connections_context(option(arguments, "ca", NULL)),
                            .port = option(arguments, "port", NULL),
                            .logins = atol(option(arguments, "accounts", NULL)),
                            .during = atof(option(arguments, "during", NULL)),
                            .workers = atol(option(arguments, "workers", "8")),
                            .check_ins = option(arguments, "check_ins", NULL)};
  verdicts_open(&morning.verdicts, option(arguments, "verdict", NULL));
  morning.accounts = accounts_make(option(arguments, "seed", "bench"), morning.logins,
                                   atol(option(arguments, "stride", "1")),
                                   (uint32_t)atol(option(arguments, "counter", "0")));
  morning_pass(&morning);
  if (morning.logged_in.count != morning.logins || morning.checked_in.count != morning.logins)
    give_up("%ld logins and %ld check-ins of %ld", morning.logged_in.count, morning.checked_in.count, morning.logins);
  printf("{\"logins\":%ld,\"seconds\":%.3f,", morning.logins, morning.seconds);
  print_times("hello", &morning.hellos);
  print_times("get", &morning.asks);
  print_times("respond", &morning.responds);
  print_times("login", &morning.logged_in);
  print_times("check_in", &morning.checked_in);
  printf("\"own_us\":%.1f}\n", morning.own_seconds / (double)morning.logins * 1e6);
  accounts_free(morning.accounts, morning.logins);
  SSL_CTX_free(morning.context);
  return 0;
}

static int ask_pages(char **arguments)
{
  struct pages pages = {.path = option(arguments, "path", NULL),
                        .expected = option(arguments, "expected", NULL),
                        .connection_count = atol(option(arguments, "connections", "16")),
                        .before = atof(option(arguments, "before", "1")),
                        .during = atof(option(arguments, "during", "5")),
                        .server = atoi(option(arguments, "pid", NULL))};
  pages.connections = connect_all(arguments, pages.connection_count);
  pages_ask(&pages);
  printf("{\"answers\":%ld,\"seconds\":%.3f,\"server_seconds\":%.4f}\n", pages.answers, pages.seconds,
         pages.server_seconds);
  close_all(pages.connections, pages.connection_count);
  return 0;
}

int main(int count, char **arguments)
{
  if (count == 5 && strcmp(arguments[1], "keys") == 0)
    return print_keys(arguments[2], atol(arguments[3]), atol(arguments[4]));
  if (count > 2 && strcmp(arguments[1], "run") == 0)
    return sign_in(arguments + 2);
  if (count > 2 && strcmp(arguments[1], "morning") == 0)
    return pass_morning(arguments + 2);
  if (count > 2 && strcmp(arguments[1], "pages") == 0)
    return ask_pages(arguments + 2);
  give_up("usage: load keys SEED COUNT STRIDE, or load run|morning|pages OPTION=VALUE...");
}
