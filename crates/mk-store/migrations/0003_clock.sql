-- How far the wall clock is ahead of the time since boot, so that a sweep can tell when the wall
-- clock was moved. `candidate` is a new distance that one sweep has seen and none has confirmed.

CREATE TABLE clock (
    key       INTEGER PRIMARY KEY CHECK (key = 1),
    boot      TEXT NOT NULL,
    distance  INTEGER NOT NULL,
    candidate INTEGER
) STRICT;
