-- History of VMs and hosts in three tiers. A minute's row is written only when it differs from the one before, so the
-- small table history_interval says in which minutes the engine looked at all: a row holds in its interval and in later
-- ones of the same base and run, until the subject's next row among them. Nothing refers to the tables of VMs and hosts: what was deleted
-- keeps its history until that is too old. Partitions are made ahead and dropped by maintain_history (db/view).

CREATE TABLE history_interval (
    tier smallint    NOT NULL,
    at   timestamptz NOT NULL,
    base timestamptz NOT NULL,
    run  timestamptz NOT NULL,
    PRIMARY KEY (tier, at)
);

COMMENT ON TABLE history_interval IS 'The intervals that are in history, one row each, written in one transaction with their rows.';
COMMENT ON COLUMN history_interval.tier IS 'Code of HistoryTier: 1 minutes, 2 hours, 3 days. Owner: engine.';
COMMENT ON COLUMN history_interval.at IS 'When the interval begins; a minute''s sample was taken then. Owner: engine.';
COMMENT ON COLUMN history_interval.base IS 'Of minutes: the interval of the same hour and run that was written in full; with run it names the intervals whose rows belong together. Of hours and days: the first sample that the engine''s memory held, the interval''s begin if it was computed from what was saved. Owner: engine.';
COMMENT ON COLUMN history_interval.run IS 'When the engine that wrote it began to record, or its clock was set back; the epoch if it was computed from what was saved. Owner: engine.';

DO $$
DECLARE
    vm_metrics text[][] := ARRAY[
        ['cpu_usage',       'CPU usage, %'],
        ['cpu_user',        'User time, % of one core'],
        ['cpu_system',      'System time, % of one core'],
        ['memory_usage',    'Memory usage, %'],
        ['memory_unused',   'Unused memory in the guest, KiB'],
        ['memory_buffered', 'Buffers in the guest, KiB'],
        ['memory_cached',   'Page cache in the guest, KiB'],
        ['network_usage',   'Rate of the busiest interface, % of its speed'],
        ['network_receive', 'Received by all interfaces, B/s'],
        ['network_send',    'Sent by all interfaces, B/s'],
        ['disk_read',       'Read from all disks, B/s'],
        ['disk_write',      'Written to all disks, B/s']];
    host_metrics text[][] := ARRAY[
        ['cpu_usage',       'CPU usage, %'],
        ['cpu_user',        'User time, %'],
        ['cpu_system',      'System time, %'],
        ['cpu_load',        'Load, runnable tasks'],
        ['memory_usage',    'Memory usage, %'],
        ['memory_free',     'Free memory, MiB'],
        ['swap_used',       'Used swap space, MiB'],
        ['ksm_cpu',         'CPU that merging of equal pages takes, %'],
        ['network_usage',   'Rate of the busiest card or bond, % of its speed'],
        ['network_receive', 'Received by all cards and bonds, B/s'],
        ['network_send',    'Sent by all cards and bonds, B/s'],
        ['vms_active',      'VMs that run']];
    subject text;
    metrics text[][];
    tier text;
    table_name text;
    metric text[];
    part text;
BEGIN
    FOREACH subject IN ARRAY ARRAY['vm', 'host'] LOOP
        metrics := CASE subject WHEN 'vm' THEN vm_metrics ELSE host_metrics END;

        -- The index holds no time: entries of one VM share its key, which makes the index a third as large, and an hour's
        -- partition holds no more than an hour's rows of it. That no minute is there twice, history_interval sees to.
        table_name := subject || '_samples';
        EXECUTE format('CREATE TABLE %I (%I uuid NOT NULL, at timestamptz NOT NULL) PARTITION BY RANGE (at)',
                       table_name, subject || '_id');
        FOREACH metric SLICE 1 IN ARRAY metrics LOOP
            EXECUTE format('ALTER TABLE %I ADD COLUMN %I real', table_name, metric[1]);
            EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', table_name, metric[1],
                           metric[2] || ', null if it is not known. Owner: engine.');
        END LOOP;
        EXECUTE format('CREATE INDEX %I ON %I (%I)', 'idx_' || table_name || '_id', table_name, subject || '_id');
        EXECUTE format('COMMENT ON TABLE %I IS %L', table_name,
                       'Samples, one a minute, of the minutes in which they differ from the row before; read them through '
                       || table_name || '_dense. A row of nulls ends what is known. Partitioned by hour.');

        FOREACH tier IN ARRAY ARRAY['hourly', 'daily'] LOOP
            table_name := subject || '_' || tier;
            EXECUTE format('CREATE TABLE %I (%I uuid NOT NULL, at timestamptz NOT NULL) PARTITION BY RANGE (at)',
                           table_name, subject || '_id');
            FOREACH metric SLICE 1 IN ARRAY metrics LOOP
                FOREACH part IN ARRAY ARRAY['min', 'mean', 'max'] LOOP
                    EXECUTE format('ALTER TABLE %I ADD COLUMN %I real', table_name, metric[1] || '_' || part);
                    EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', table_name, metric[1] || '_' || part,
                                   format('%s: %s, null if it was never known. Owner: engine.', metric[2],
                                          CASE part WHEN 'min' THEN 'least' WHEN 'mean' THEN 'mean' ELSE 'largest' END));
                END LOOP;
            END LOOP;
            FOREACH metric SLICE 1 IN ARRAY metrics LOOP
                EXECUTE format('ALTER TABLE %I ADD COLUMN %I smallint NOT NULL', table_name, metric[1] || '_count');
                EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', table_name, metric[1] || '_count',
                               format('Samples of %s. Owner: engine.', metric[1]));
            END LOOP;
            EXECUTE format('ALTER TABLE %I ADD PRIMARY KEY (%I, at)', table_name, subject || '_id');
            EXECUTE format('COMMENT ON TABLE %I IS %L', table_name,
                           CASE tier WHEN 'hourly' THEN 'Hours: least, mean, largest and number of the samples. Partitioned by month.'
                                     ELSE 'Days in UTC: least, mean, largest and number of the samples. Partitioned by year.' END);
        END LOOP;

        FOREACH tier IN ARRAY ARRAY['samples', 'hourly', 'daily'] LOOP
            EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', subject || '_' || tier, subject || '_id',
                           CASE subject WHEN 'vm' THEN 'The VM; it may be gone. Owner: engine.'
                                        ELSE 'The host; it may be gone. Owner: engine.' END);
            EXECUTE format('COMMENT ON COLUMN %I.at IS %L', subject || '_' || tier,
                           CASE tier WHEN 'samples' THEN 'When the sample was taken. Owner: engine.'
                                     ELSE 'When the time begins. Owner: engine.' END);
        END LOOP;
    END LOOP;
END
$$;
