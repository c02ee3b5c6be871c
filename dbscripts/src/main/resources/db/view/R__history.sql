-- The monitoring role adds to history and corrects roll-ups; it can neither delete, nor make or drop tables. Looking after
-- partitions is one function that runs as the owner and does nothing else.

SELECT grant_to_monitoring('SELECT, INSERT', 'history_interval');
SELECT grant_to_monitoring('SELECT, INSERT', 'vm_samples');
SELECT grant_to_monitoring('SELECT, INSERT', 'host_samples');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'vm_hourly');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'host_hourly');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'vm_daily');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'host_daily');
SELECT grant_reading('history_interval');
SELECT grant_reading('vm_samples');
SELECT grant_reading('host_samples');
SELECT grant_reading('vm_hourly');
SELECT grant_reading('host_hourly');
SELECT grant_reading('vm_daily');
SELECT grant_reading('host_daily');

-- Every minute's values, as they were sampled. A filter on the time finds its intervals first, each interval its hour and run
-- (the row of history_interval whose time is the base), and only that hour's partition is read: the window function lies below
-- the join. A filter on the subject reads each partition once, by index.
--
-- The samples hang on h.base, which is h.at, on purpose: the planner knows that few rows have different bases, so it keeps what
-- one hour gave (Memoize) for the other minutes. By h.at, which is unique, it reads the partition for each minute anew. By i.base
-- too: then it moves the comparison with i.at below the join, and no two minutes have the same.
--
-- A range of time over all subjects is what the functions are for: they read the hours of the range once, where the view
-- may read the hour anew for each of its intervals.
DO $$
DECLARE
    subject text;
    metrics text;
BEGIN
    FOREACH subject IN ARRAY ARRAY['vm', 'host'] LOOP
        SELECT string_agg(format('s.%I', attname), ', ' ORDER BY attnum)
          INTO metrics
          FROM pg_attribute
         WHERE attrelid = (subject || '_samples')::regclass AND attnum > 2 AND NOT attisdropped;
        EXECUTE format(
            'CREATE OR REPLACE VIEW %1$I AS
             SELECT s.%2$I, i.at, %3$s
               FROM history_interval AS i
               JOIN history_interval AS h ON h.tier = 1 AND h.at = i.base AND h.run = i.run
              CROSS JOIN LATERAL
                    (SELECT v.*, lead(v.at, 1, ''infinity'') OVER (PARTITION BY v.%2$I ORDER BY v.at) AS next_at
                       FROM %4$I AS v
                       JOIN history_interval AS r ON r.tier = 1 AND r.at = v.at AND r.base = h.base AND r.run = h.run
                      WHERE v.at >= h.base AND v.at < date_trunc(''hour'', h.base, ''UTC'') + interval ''1 hour'') AS s
              WHERE i.tier = 1 AND i.at >= s.at AND i.at < s.next_at AND num_nonnulls(%3$s) > 0',
            subject || '_samples_dense', subject || '_id', metrics, subject || '_samples');
        EXECUTE format('COMMENT ON VIEW %I IS %L', subject || '_samples_dense',
                       'Samples of each minute that has values. Name the ' || subject
                       || ' or a minute; for a range of time over all of them use ' || subject || '_samples_between.');
        PERFORM grant_to_monitoring('SELECT', subject || '_samples_dense');
        PERFORM grant_reading(subject || '_samples_dense');

        EXECUTE format(
            'CREATE OR REPLACE FUNCTION %5$I(from_at timestamptz, until_at timestamptz) RETURNS SETOF %1$I
                 LANGUAGE sql STABLE ROWS 100000
                 BEGIN ATOMIC
             SELECT s.%2$I, i.at, %3$s
               FROM (SELECT v.*, r.base, r.run,
                            lead(v.at, 1, ''infinity'') OVER (PARTITION BY v.%2$I, r.base, r.run ORDER BY v.at) AS next_at
                       FROM %4$I AS v
                       JOIN history_interval AS r ON r.tier = 1 AND r.at = v.at
                      WHERE v.at >= date_trunc(''hour'', from_at, ''UTC'') AND v.at < until_at
                        AND r.at >= date_trunc(''hour'', from_at, ''UTC'') AND r.at < until_at) AS s
               JOIN history_interval AS i
                 ON i.tier = 1 AND i.base = s.base AND i.run = s.run
                AND i.at >= s.at AND i.at < s.next_at AND i.at >= from_at AND i.at < until_at
              WHERE num_nonnulls(%3$s) > 0;
                 END',
            subject || '_samples_dense', subject || '_id', metrics, subject || '_samples', subject || '_samples_between');
        EXECUTE format('COMMENT ON FUNCTION %I(timestamptz, timestamptz) IS %L', subject || '_samples_between',
                       'Rows of ' || subject || '_samples_dense from one time until before another, of all ' || subject
                       || 's. It reads the rows of the hours in the range once.');
    END LOOP;
END
$$;

-- This server's clock determines what is too old, so that an engine whose clock is wrong makes tables but drops none. Tables of
-- the time that room is made for stay: an interval that waited for longer than it is kept finds its table, and what is older goes
-- while it waits. A call drops 100 tables at most, because each holds its locks until the transaction ends; the caller repeats it.
CREATE OR REPLACE FUNCTION maintain_history(ready_from timestamptz, ready_until timestamptz,
                                            keep_minutes interval, keep_hours interval, keep_days interval,
                                            OUT created integer, OUT dropped integer, OUT busy integer)
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET lock_timeout = '2s'
    SET timezone = 'UTC'
AS $$
DECLARE
    kind record;
    subject text;
    part timestamptz;
    name text;
    old record;
BEGIN
    IF ready_until < ready_from OR ready_until - ready_from > interval '8 days' THEN
        RAISE EXCEPTION 'room is made for at most 8 days' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF keep_minutes < interval '1 hour' OR keep_hours < interval '1 day' OR keep_days < interval '1 day' THEN
        RAISE EXCEPTION 'minutes are kept for an hour at least, hours and days for a day'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    created := 0;
    dropped := 0;
    busy := 0;
    -- One engine at a time; a second one finds everything done.
    PERFORM pg_advisory_xact_lock(hashtext('maintain_history'));

    FOR kind IN
        SELECT * FROM (VALUES (1, 'samples', 'hour', interval '1 hour', 'YYYYMMDD"h"HH24', keep_minutes),
                              (2, 'hourly', 'month', interval '1 month', 'YYYYMM', keep_hours),
                              (3, 'daily', 'year', interval '1 year', 'YYYY', keep_days))
                        AS k (tier, suffix, unit, width, label, keep)
    LOOP
        FOREACH subject IN ARRAY ARRAY['vm', 'host'] LOOP
            FOR part IN SELECT generate_series(date_trunc(kind.unit, ready_from), ready_until, kind.width) LOOP
                name := subject || '_' || kind.suffix || '_' || to_char(part, kind.label);
                IF to_regclass(name) IS NULL THEN
                    -- Attaching lets readers and writers of the others go on. Rows of samples are never changed, so nothing
                    -- is to be vacuumed for their sake. Statistics are gathered when an hour has doubled, not at every tenth:
                    -- they cost more than the rows, and say of a part of an hour what they say of all of it.
                    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL) %s', name, subject || '_' || kind.suffix,
                                   CASE kind.tier WHEN 1 THEN 'WITH (autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 1)' ELSE '' END);
                    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                                   subject || '_' || kind.suffix, name, part, part + kind.width);
                    created := created + 1;
                END IF;
            END LOOP;

            FOR old IN
                SELECT c.oid::regclass AS partition,
                       substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz AS ends
                  FROM pg_inherits AS i
                  JOIN pg_class AS c ON c.oid = i.inhrelid
                 WHERE i.inhparent = (subject || '_' || kind.suffix)::regclass
                 ORDER BY 2
            LOOP
                EXIT WHEN dropped >= 100 OR old.ends > least(retention_clock() - kind.keep, ready_from);
                BEGIN
                    EXECUTE format('DROP TABLE %s', old.partition);
                    dropped := dropped + 1;
                EXCEPTION
                    WHEN lock_not_available THEN
                        busy := busy + 1; -- somebody reads; the next time is early enough
                        EXIT;
                END;
            END LOOP;
        END LOOP;
        DELETE FROM history_interval WHERE tier = kind.tier AND at < date_trunc(kind.unit, least(retention_clock() - kind.keep, ready_from));
    END LOOP;
END
$$;

COMMENT ON FUNCTION maintain_history(timestamptz, timestamptz, interval, interval, interval) IS
    'Creates the partitions of history for a period and drops those whose rows are all older than the retention time. Runs as the owner.';

DO $$
BEGIN
    -- Whoever calls it cannot make it find other tables.
    EXECUTE format('ALTER FUNCTION maintain_history(timestamptz, timestamptz, interval, interval, interval)
                    SET search_path = %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION maintain_history(timestamptz, timestamptz, interval, interval, interval) FROM PUBLIC;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'stillwater_monitoring') THEN
        GRANT EXECUTE ON FUNCTION maintain_history(timestamptz, timestamptz, interval, interval, interval)
            TO stillwater_monitoring;
    END IF;
END
$$;
