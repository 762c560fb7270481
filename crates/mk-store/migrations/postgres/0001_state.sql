-- The tables of the embedded database as of its version 4, and the log of changes.
-- Times are milliseconds since 1970. `key` is the order of creation and never leaves the database.

CREATE TABLE session (
    key           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    task          TEXT NOT NULL UNIQUE,
    parent        BIGINT REFERENCES session (key) ON DELETE SET NULL,
    mode          TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('active', 'completed', 'failed', 'cancelled')),
    project       TEXT NOT NULL,
    conversation  TEXT,
    created_at    BIGINT NOT NULL,
    last_activity BIGINT NOT NULL,
    finished_at   BIGINT,
    expired_at    BIGINT,
    result        TEXT
);

CREATE INDEX session_parent ON session (parent) WHERE parent IS NOT NULL;
CREATE INDEX session_last_activity ON session (last_activity, key);
CREATE INDEX session_conversation ON session (conversation) WHERE conversation IS NOT NULL;
CREATE INDEX session_unexpired ON session (last_activity) WHERE expired_at IS NULL;

CREATE TABLE message (
    key     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session BIGINT NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    role    TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
    content TEXT NOT NULL,
    at      BIGINT NOT NULL
);

CREATE INDEX message_session ON message (session, key);

CREATE TABLE mode_change (
    key       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session   BIGINT NOT NULL REFERENCES session (key) ON DELETE CASCADE,
    from_mode TEXT,
    to_mode   TEXT NOT NULL,
    reason    TEXT,
    at        BIGINT NOT NULL
);

CREATE INDEX mode_change_session ON mode_change (session, key);

-- What is left of a session that expired: enough to say "expired" and not "unknown".
CREATE TABLE tombstone (
    id   TEXT NOT NULL PRIMARY KEY,
    task TEXT NOT NULL UNIQUE,
    at   BIGINT NOT NULL
);

CREATE INDEX tombstone_at ON tombstone (at);

CREATE TABLE approval (
    key          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    session      BIGINT REFERENCES session (key) ON DELETE CASCADE,
    kind         TEXT NOT NULL,
    subject      TEXT NOT NULL,
    payload      TEXT NOT NULL,
    conversation TEXT,
    plan_hash    TEXT,
    plan         TEXT,
    state        TEXT NOT NULL CHECK (state IN ('pending', 'granted', 'denied', 'used')),
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    decided_at   BIGINT,
    decided_by   TEXT
);

CREATE INDEX approval_session ON approval (session) WHERE session IS NOT NULL;
CREATE INDEX approval_state ON approval (state);

CREATE TABLE project (
    key          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    root         TEXT NOT NULL UNIQUE,
    mode         TEXT,
    switching    TEXT,
    paused_until BIGINT,
    created_at   BIGINT NOT NULL
);

CREATE TABLE conversation (
    key             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    client          TEXT NOT NULL,
    client_session  TEXT NOT NULL,
    project         BIGINT NOT NULL REFERENCES project (key) ON DELETE CASCADE,
    root            TEXT NOT NULL,
    root_device     BIGINT NOT NULL,
    root_inode      BIGINT NOT NULL,
    directory       TEXT,
    mode            TEXT,
    told            TEXT,
    parent          BIGINT REFERENCES conversation (key) ON DELETE SET NULL,
    process         BIGINT,
    process_started BIGINT,
    created_at      BIGINT NOT NULL,
    last_active     BIGINT NOT NULL,
    ended_at        BIGINT,
    UNIQUE (client, client_session)
);

CREATE INDEX conversation_process ON conversation (process) WHERE process IS NOT NULL;
CREATE INDEX conversation_project ON conversation (project, last_active);
CREATE INDEX conversation_parent ON conversation (parent) WHERE parent IS NOT NULL;
CREATE INDEX conversation_last_active ON conversation (last_active);

-- Decisions name conversations and projects by their ids, because they outlive both. "C" sorts as
-- the embedded database does, whatever the language of this one is.
CREATE TABLE decision (
    key          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    at           BIGINT NOT NULL,
    conversation TEXT,
    client       TEXT NOT NULL,
    project      TEXT,
    mode         TEXT NOT NULL,
    tool         TEXT COLLATE "C" NOT NULL,
    target       TEXT NOT NULL,
    verdict      TEXT COLLATE "C" NOT NULL,
    rule         TEXT NOT NULL,
    reason       TEXT NOT NULL,
    hint         TEXT,
    policy_hash  TEXT NOT NULL,
    input        TEXT NOT NULL,
    input_length BIGINT NOT NULL,
    tool_use     TEXT
);

CREATE INDEX decision_tool_use ON decision (tool_use) WHERE tool_use IS NOT NULL;
CREATE INDEX decision_at ON decision (at);
CREATE INDEX decision_conversation ON decision (conversation) WHERE conversation IS NOT NULL;

-- One row for each batch of decisions, as in the embedded database.
CREATE TABLE seal (
    key   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    last  BIGINT NOT NULL,
    count BIGINT NOT NULL,
    hash  TEXT NOT NULL,
    at    BIGINT NOT NULL
);

INSERT INTO seal (last, count, hash, at) VALUES (0, 0, '', 0);

CREATE TABLE permit (
    key          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    conversation TEXT NOT NULL,
    directory    TEXT NOT NULL,
    line_hash    TEXT NOT NULL,
    mode         TEXT NOT NULL,
    rights       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    taken_at     BIGINT
);

CREATE INDEX permit_line ON permit (line_hash, directory) WHERE taken_at IS NULL;
CREATE INDEX permit_expires_at ON permit (expires_at);

CREATE TABLE command (
    key          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    permit       TEXT,
    conversation TEXT,
    project      TEXT,
    mode         TEXT NOT NULL,
    argv_hash    TEXT NOT NULL,
    first_word   TEXT NOT NULL,
    exit_code    BIGINT,
    refusals     TEXT NOT NULL,
    written      TEXT NOT NULL,
    guests       TEXT NOT NULL,
    started_at   BIGINT NOT NULL,
    ended_at     BIGINT NOT NULL
);

CREATE INDEX command_permit ON command (permit) WHERE permit IS NOT NULL;
CREATE INDEX command_ended_at ON command (ended_at);

CREATE TABLE trusted_mode (
    project TEXT NOT NULL,
    slug    TEXT COLLATE "C" NOT NULL,
    hash    TEXT NOT NULL,
    at      BIGINT NOT NULL,
    PRIMARY KEY (project, slug, hash)
);

CREATE TABLE mode_file (
    path TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL,
    text TEXT NOT NULL,
    at   BIGINT NOT NULL
);

CREATE TABLE credential (
    key        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL CHECK (kind IN ('token', 'link', 'session')),
    hash       TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    mode       TEXT,
    projects   TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT
);

CREATE TABLE act (
    key     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      BIGINT NOT NULL,
    who     TEXT NOT NULL,
    origin  TEXT NOT NULL,
    action  TEXT NOT NULL,
    subject TEXT NOT NULL
);

CREATE INDEX act_at ON act (at);

-- What other servers have to look at again. Writers take turns, so `seq` is the order of commits:
-- who has read up to one number misses nothing below it.
CREATE TABLE change (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key TEXT NOT NULL,
    at  BIGINT NOT NULL
);

CREATE INDEX change_at ON change (at);
