-- When a person last did something with the mode of a project: set it, for everyone or for new conversations, or took it
-- back.

ALTER TABLE project ADD COLUMN mode_at BIGINT;
