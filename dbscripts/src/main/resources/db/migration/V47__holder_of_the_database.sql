-- Which engine, or program that changes data, took an external database last. An engine that was cut off compares it with
-- itself before it takes the database again: another one means that its memory is old.

CREATE TABLE database_holder (
    one      boolean     PRIMARY KEY DEFAULT true CHECK (one),
    instance integer     NOT NULL,
    name     text        NOT NULL,
    since    timestamptz NOT NULL
);

COMMENT ON TABLE database_holder IS 'One row: the last holder of the lock of an external database. No row after a restore, and in the embedded server. A backup leaves it out.';
COMMENT ON COLUMN database_holder.one IS 'Always true. Owner: engine.';
COMMENT ON COLUMN database_holder.instance IS 'Random number of the holder''s run. Owner: engine.';
COMMENT ON COLUMN database_holder.name IS 'Name and process of the holder. Owner: engine.';
COMMENT ON COLUMN database_holder.since IS 'When it took the database. Owner: engine.';
