-- Samples for a data warehouse are written only while one reads them. Every view of samples reads this table, which has one
-- row and no index: PostgreSQL counts each scan of it, by any role, and the engine reads the count instead of the table. So a
-- reader is found without a right that it would need and without a row that it would write.

CREATE TABLE dwh_reader_mark (
    mark boolean NOT NULL
);

INSERT INTO dwh_reader_mark (mark) VALUES (true);

COMMENT ON TABLE dwh_reader_mark IS 'One row, read by every view of samples, so that the server''s count of its scans shows whether a data warehouse reads. Neither the engine nor a backup reads it.';
COMMENT ON COLUMN dwh_reader_mark.mark IS 'Always true. Owner: engine.';

COMMENT ON COLUMN dwh_history_timekeeping.var_value IS 'A text, null for none. In the row heartBeat ''dumping'' while the samples are kept up to date: views of samples are empty otherwise. Owner: engine for heartBeat, else the data warehouse.';
