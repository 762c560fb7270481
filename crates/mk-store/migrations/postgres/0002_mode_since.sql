-- When a person has set the mode of a project for everyone there: a task that ended before keeps no mode in force.

ALTER TABLE project ADD COLUMN mode_since BIGINT;
