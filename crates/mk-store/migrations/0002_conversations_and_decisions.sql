-- Conversations, projects, decisions, permits, commands, trust; approvals bound to a plan.
-- Only adds: a program that knows version 1 goes on using what it knows.

-- The version of the schema. `user_version` is the oldest version that may still use this file.
CREATE TABLE schema_version (
    version INTEGER NOT NULL
) STRICT;
INSERT INTO schema_version (version) VALUES (1);

CREATE TABLE project (
    key          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    root         TEXT NOT NULL UNIQUE,
    mode         TEXT,
    switching    TEXT,
    paused_until INTEGER,
    created_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE conversation (
    key             INTEGER PRIMARY KEY,
    id              TEXT NOT NULL UNIQUE,
    client          TEXT NOT NULL,
    client_session  TEXT NOT NULL,
    project         INTEGER NOT NULL REFERENCES project (key) ON DELETE CASCADE,
    root            TEXT NOT NULL,
    root_device     INTEGER NOT NULL,
    root_inode      INTEGER NOT NULL,
    directory       TEXT,
    mode            TEXT,
    told            TEXT,
    parent          INTEGER REFERENCES conversation (key) ON DELETE SET NULL,
    process         INTEGER,
    process_started INTEGER,
    created_at      INTEGER NOT NULL,
    last_active     INTEGER NOT NULL,
    ended_at        INTEGER,
    UNIQUE (client, client_session)
) STRICT;

CREATE INDEX conversation_process ON conversation (process) WHERE process IS NOT NULL;
CREATE INDEX conversation_project ON conversation (project, last_active);
CREATE INDEX conversation_parent ON conversation (parent) WHERE parent IS NOT NULL;
CREATE INDEX conversation_last_active ON conversation (last_active);

-- Decisions name conversations and projects by their ids, because they outlive both.
CREATE TABLE decision (
    key          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    at           INTEGER NOT NULL,
    conversation TEXT,
    client       TEXT NOT NULL,
    project      TEXT,
    mode         TEXT NOT NULL,
    tool         TEXT NOT NULL,
    target       TEXT NOT NULL,
    verdict      TEXT NOT NULL,
    rule         TEXT NOT NULL,
    reason       TEXT NOT NULL,
    hint         TEXT,
    policy_hash  TEXT NOT NULL,
    input        TEXT NOT NULL,
    input_length INTEGER NOT NULL,
    tool_use     TEXT
) STRICT;

CREATE INDEX decision_tool_use ON decision (tool_use) WHERE tool_use IS NOT NULL;
CREATE INDEX decision_at ON decision (at);
CREATE INDEX decision_conversation ON decision (conversation) WHERE conversation IS NOT NULL;

CREATE TABLE permit (
    key          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    conversation TEXT NOT NULL,
    directory    TEXT NOT NULL,
    line_hash    TEXT NOT NULL,
    mode         TEXT NOT NULL,
    rights       TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    taken_at     INTEGER
) STRICT;

CREATE INDEX permit_line ON permit (line_hash, directory) WHERE taken_at IS NULL;
CREATE INDEX permit_expires_at ON permit (expires_at);

CREATE TABLE command (
    key          INTEGER PRIMARY KEY,
    id           TEXT NOT NULL UNIQUE,
    permit       TEXT,
    conversation TEXT,
    project      TEXT,
    mode         TEXT NOT NULL,
    argv_hash    TEXT NOT NULL,
    first_word   TEXT NOT NULL,
    exit_code    INTEGER,
    refusals     TEXT NOT NULL,
    written      TEXT NOT NULL,
    guests       TEXT NOT NULL,
    started_at   INTEGER NOT NULL,
    ended_at     INTEGER NOT NULL
) STRICT;

CREATE INDEX command_permit ON command (permit) WHERE permit IS NOT NULL;
CREATE INDEX command_ended_at ON command (ended_at);

-- Texts of modes that a person has trusted; `project` is a project's id.
CREATE TABLE trusted_mode (
    project TEXT NOT NULL,
    slug    TEXT NOT NULL,
    hash    TEXT NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (project, slug, hash)
) STRICT, WITHOUT ROWID;

-- The last text of each mode file that could be read as a whole.
CREATE TABLE mode_file (
    path TEXT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL,
    text TEXT NOT NULL,
    at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE approval ADD COLUMN conversation TEXT;
ALTER TABLE approval ADD COLUMN plan_hash TEXT;
ALTER TABLE approval ADD COLUMN plan TEXT;
ALTER TABLE approval ADD COLUMN expires_at INTEGER;

ALTER TABLE session ADD COLUMN conversation TEXT;
-- Expired is not erased: the row stays, and this says since when it can no longer be used.
ALTER TABLE session ADD COLUMN expired_at INTEGER;

CREATE INDEX session_conversation ON session (conversation) WHERE conversation IS NOT NULL;
CREATE INDEX session_unexpired ON session (last_activity) WHERE expired_at IS NULL;
