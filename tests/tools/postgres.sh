#!/usr/bin/env bash
# Installs what tests of servers with one database use, from Debian: PostgreSQL, a pooler, certificates, and a wrong clock.
# Prints nothing.
#
# Only root can install. Who is not root finds them installed, or is told what is missing.
set -euo pipefail

missing=()
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
command -v psql >/dev/null || missing+=(postgresql-client)
[[ -x /usr/sbin/pgbouncer ]] || command -v pgbouncer >/dev/null || missing+=(pgbouncer)
command -v openssl >/dev/null || missing+=(openssl)
command -v faketime >/dev/null || missing+=(faketime)
[[ ${#missing[@]} == 0 ]] && exit
if [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
    echo "these are missing, and only root can install them: ${missing[*]}" >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get install --yes --no-install-recommends "${missing[@]}" >&2 && exit
{ apt-get update && apt-get install --yes --no-install-recommends "${missing[@]}"; } >&2
