-- Credentials of those who act over HTTP, what they changed, and the chain of seals over decisions.
-- Only adds.

-- A token, a one-time link to the page, or a session of the page. Of the secret only its hash.
CREATE TABLE credential (
    key        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL CHECK (kind IN ('token', 'link', 'session')),
    hash       TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    mode       TEXT,
    projects   TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT;

-- What people and programs changed over HTTP: who, and from where.
CREATE TABLE act (
    key     INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    who     TEXT NOT NULL,
    origin  TEXT NOT NULL,
    action  TEXT NOT NULL,
    subject TEXT NOT NULL
) STRICT;

CREATE INDEX act_at ON act (at);

-- One row for each batch of decisions: the hash of the batch and of the seal before it. `last` is the
-- key of the last decision it covers. The first row covers what was recorded before there were seals,
-- or what retention has removed, and vouches for nothing.
CREATE TABLE seal (
    key   INTEGER PRIMARY KEY,
    last  INTEGER NOT NULL,
    count INTEGER NOT NULL,
    hash  TEXT NOT NULL,
    at    INTEGER NOT NULL
) STRICT;

INSERT INTO seal (last, count, hash, at)
SELECT coalesce(max(key), 0), count(*), '', coalesce(max(at), 0) FROM decision;
