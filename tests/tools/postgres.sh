#!/usr/bin/env bash
# Installs what tests of servers with one database use, from Debian: PostgreSQL, a pooler, certificates, and a wrong clock.
# Prints nothing.
#
# Only root can install. Who is not root finds them installed, or is told what is missing.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/once.sh"

missing=()
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
command -v psql >/dev/null || missing+=(postgresql-client)
[[ -x /usr/sbin/pgbouncer ]] || command -v pgbouncer >/dev/null || missing+=(pgbouncer)
command -v openssl >/dev/null || missing+=(openssl)
command -v faketime >/dev/null || missing+=(faketime)
[[ ${#missing[@]} == 0 ]] || debian "${missing[@]}"
