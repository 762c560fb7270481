-- Sessions with their messages and mode history, tombstones of expired sessions, approvals.
-- Times are milliseconds since 1970. `key` is the order of creation and never leaves the database.

-- "MKpr": tells our database from somebody else's.
PRAGMA application_id = 1296789618;

CREATE TABLE session (
    key           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    task          TEXT NOT NULL UNIQUE,
    parent        INTEGER REFERENCES session (key) ON DELETE SET NULL,
    mode          TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('active', 'completed', 'failed', 'cancelled')),
    project       TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    last_activity INTEGER NOT NULL,
    finished_at   INTEGER,
    result        TEXT
) STRICT;

CREATE INDEX session_parent ON session (parent) WHERE parent IS NOT NULL;
CREATE INDEX session_last_activity ON session (last_activity);

CREATE TABLE message (
    key     INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    role    TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    content TEXT NOT NULL,
    at      INTEGER NOT NULL
) STRICT;

CREATE INDEX message_session ON message (session);

CREATE TABLE mode_change (
    key       INTEGER PRIMARY KEY,
    session   INTEGER NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    from_mode TEXT,
    to_mode   TEXT NOT NULL,
    reason    TEXT,
    at        INTEGER NOT NULL
) STRICT;

CREATE INDEX mode_change_session ON mode_change (session);

-- What is left of a session that expired: enough to say "expired" and not "unknown".
CREATE TABLE tombstone (
    id   TEXT NOT NULL PRIMARY KEY,
    task TEXT NOT NULL UNIQUE,
    at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX tombstone_at ON tombstone (at);

CREATE TABLE approval (
    key        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    session    INTEGER REFERENCES session (key) ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    subject    TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('pending', 'granted', 'denied', 'used')),
    created_at INTEGER NOT NULL,
    decided_at INTEGER,
    decided_by TEXT,
    payload    TEXT NOT NULL
) STRICT;

CREATE INDEX approval_session ON approval (session) WHERE session IS NOT NULL;
CREATE INDEX approval_state ON approval (state);
