-- Points of the series in which the engine searches for regressions, so that an engine that starts again knows them. A row
-- holds the points of many series in one interval. Rows are written once an interval and deleted when they are too old.

CREATE TABLE regression_points (
    slice        smallint    NOT NULL CHECK (slice BETWEEN 0 AND 15),
    at           timestamptz NOT NULL,
    part         smallint    NOT NULL CHECK (part >= 0),
    width_millis integer     NOT NULL CHECK (width_millis > 0),
    points       bytea       NOT NULL CHECK (octet_length(points) BETWEEN 13 AND 53248 AND octet_length(points) % 13 = 0),
    PRIMARY KEY (slice, at, part)
);

-- Digests and measured numbers cannot be compressed.
ALTER TABLE regression_points ALTER COLUMN points SET STORAGE EXTERNAL;

COMMENT ON TABLE regression_points IS 'Points of the series in which the engine searches for regressions, of some days: a row for many series in one interval.';
COMMENT ON COLUMN regression_points.slice IS 'Number of the slice of series, from 0, by the last bits of their keys. Owner: engine.';
COMMENT ON COLUMN regression_points.at IS 'When the interval begins. Owner: engine.';
COMMENT ON COLUMN regression_points.part IS 'Counts the rows of the same slice and interval, from 0. Owner: engine.';
COMMENT ON COLUMN regression_points.width_millis IS 'Length of the interval, ms. Owner: engine.';
COMMENT ON COLUMN regression_points.points IS 'Points of 13 bytes, numbers big-endian: key of the series (8, a digest of metric and object), value (4, in the unit of the metric), marks (1; sum of 1 gap, 2 restart, 4 migration). Owner: engine.';
