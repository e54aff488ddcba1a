#!/bin/bash
# Breaks each part of a fleet's server in turn, during logins, and prints a table of what was seen: PostgreSQL under Patroni and
# etcd, two instances of build/stage's uaf-server behind haproxy, on loopback, in namespaces of their own.
#
#   DIST=trixie     in another release of Debian (scripts/dist.sh)
#   scripts/fleet.sh F1 F7 ...   only these
#   scripts/fleet.sh quick       the rows of Tests/Acceptance/fleet/quick.py: four minutes
#
# PostgreSQL, PgBouncer, Patroni, etcd, haproxy, faketime, rsyslog and Prometheus' promtool come from Debian's packages. They are
# fetched into build/fleet/packages and unpacked into the namespaces' root in memory: none of them is installed on this
# machine, or starts by itself.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -n ${DIST-} ]]; then exec env -u DIST scripts/dist.sh "$DIST" "scripts/${0##*/}" "$@"; fi
store='postgresql postgresql-client pgbouncer patroni python3-etcd etcd-server'
exec Tests/Acceptance/throw-away.sh fleet "$store haproxy faketime prometheus rsyslog rsyslog-gnutls" "$@"
