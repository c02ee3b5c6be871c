-- What an outside data warehouse needs beside the samples of VMs and hosts: samples of disks, and a table by which it and
-- the engine tell each other the time. Sampled rows change in unindexed columns only: room on each page keeps that cheap.

CREATE TABLE disk_image_dynamic (
    vm_guid               uuid NOT NULL REFERENCES vm_static ON DELETE CASCADE,
    image_id              uuid NOT NULL,
    read_rate             bigint,
    write_rate            bigint,
    read_ops              bigint,
    write_ops             bigint,
    actual_size           bigint,
    read_latency_seconds  numeric(18, 9),
    write_latency_seconds numeric(18, 9),
    flush_latency_seconds numeric(18, 9),
    PRIMARY KEY (vm_guid, image_id)
) WITH (fillfactor = 80);

COMMENT ON TABLE disk_image_dynamic IS 'Samples of disks on a long interval, one of each VM that has the disk; never written by a statistics cycle.';
COMMENT ON COLUMN disk_image_dynamic.vm_guid IS 'The VM whose host reported it. Owner: engine.';
COMMENT ON COLUMN disk_image_dynamic.image_id IS 'The disk, by the identity that hosts report. Owner: reported.';
COMMENT ON COLUMN disk_image_dynamic.read_rate IS 'Read by this VM, B/s. Owner: reported.';
COMMENT ON COLUMN disk_image_dynamic.write_rate IS 'Written by this VM, B/s. Owner: reported.';
COMMENT ON COLUMN disk_image_dynamic.read_ops IS 'Reads of this VM so far, operations. Owner: reported.';
COMMENT ON COLUMN disk_image_dynamic.write_ops IS 'Writes of this VM so far, operations. Owner: reported.';
COMMENT ON COLUMN disk_image_dynamic.actual_size IS 'Allocated, bytes. Owner: reported.';
COMMENT ON COLUMN disk_image_dynamic.read_latency_seconds IS 'Mean latency of reads in the last interval of the host, s. Owner: reported.';
COMMENT ON COLUMN disk_image_dynamic.write_latency_seconds IS 'Mean latency of writes in the last interval of the host, s. Owner: reported.';
COMMENT ON COLUMN disk_image_dynamic.flush_latency_seconds IS 'Mean latency of flushes in the last interval of the host, s. Owner: reported.';

ALTER TABLE vm_interface_statistics SET (fillfactor = 80);

CREATE TABLE dwh_history_timekeeping (
    var_name     varchar(50) PRIMARY KEY,
    var_value    varchar(255),
    var_datetime timestamptz
) WITH (fillfactor = 50);

-- Who may change which row is said beside the roles.
ALTER TABLE dwh_history_timekeeping ENABLE ROW LEVEL SECURITY;

CREATE POLICY everybody_reads ON dwh_history_timekeeping FOR SELECT USING (true);

COMMENT ON TABLE dwh_history_timekeeping IS 'How far a data warehouse has read, and whether the engine lives: a row for each thing that one side tells the other. Rows are neither added nor removed.';
COMMENT ON COLUMN dwh_history_timekeeping.var_name IS 'What the row says: heartBeat is the engine''s, every other the data warehouse''s. Owner: engine.';
COMMENT ON COLUMN dwh_history_timekeeping.var_value IS 'A text, null for none. Owner: engine for heartBeat, else the data warehouse.';
COMMENT ON COLUMN dwh_history_timekeeping.var_datetime IS 'A time, null for none. Owner: engine for heartBeat, else the data warehouse.';

INSERT INTO dwh_history_timekeeping (var_name, var_value, var_datetime)
VALUES ('heartBeat', NULL, '2000-01-01 00:00:00+00'),
       ('lastSync', NULL, '2000-01-01 00:00:00+00'),
       ('lastFullHostCheck', NULL, '2000-01-01 00:00:00+00'),
       ('lastOsinfoUpdate', NULL, '2000-01-01 00:00:00+00'),
       ('DwhCurrentlyRunning', '0', NULL),
       ('dwhHostname', NULL, NULL),
       ('dwhUuid', NULL, NULL);
