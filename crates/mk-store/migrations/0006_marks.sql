-- When a person last did something with the mode of a project: set it, for everyone or for new conversations, or took it
-- back.

ALTER TABLE project ADD COLUMN mode_at INTEGER;

-- The state of the directory with what persons have set, when this database was last compared with it.

CREATE TABLE marks_seen (
    key   INTEGER PRIMARY KEY CHECK (key = 1),
    state TEXT NOT NULL
) STRICT;
