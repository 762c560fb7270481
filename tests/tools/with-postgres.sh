#!/usr/bin/env bash
# with-postgres.sh <command>…: runs it with a throw-away PostgreSQL, whose URL is in MODEKEEPER_TEST_DATABASE.
#
# The database listens on a socket in a directory of its own, so runs at the same time do not meet. PostgreSQL does not
# run as root: root gives it to the user of Debian's package.
set -euo pipefail

programs=$(compgen -G '/usr/lib/postgresql/*/bin' | sort -V | tail -1)
directory=$(mktemp -d /tmp/modekeeper-postgres.XXXXXX)
as_owner=()
if [[ $(id -u) == 0 ]]; then
    chown postgres: "$directory"
    as_owner=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi

stop() {
    "${as_owner[@]}" "$programs/pg_ctl" --pgdata="$directory/data" --mode=immediate stop >/dev/null || true
    rm -rf "$directory"
}
trap stop EXIT

cd "$directory"
"${as_owner[@]}" "$programs/initdb" --pgdata="$directory/data" --username=modekeeper --auth=trust --no-sync >/dev/null
"${as_owner[@]}" "$programs/pg_ctl" --pgdata="$directory/data" --log="$directory/log" --wait start \
    --options="-c listen_addresses='' -c unix_socket_directories='$directory' -c max_connections=400" >/dev/null
cd - >/dev/null
export MODEKEEPER_TEST_DATABASE="postgres://modekeeper@/postgres?host=$directory"
"$@"
