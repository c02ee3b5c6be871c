-- The monitoring role appends transitions and reads them; it can neither change nor delete one, nor make or drop tables.
-- Looking after partitions is one function that runs as the owner and does nothing else.

SELECT grant_to_monitoring('SELECT, INSERT', 'vm_belief');
SELECT grant_to_monitoring('SELECT, INSERT', 'host_belief');
SELECT grant_reading('vm_belief');
SELECT grant_reading('host_belief');

-- This server's clock determines what is too old, so that an engine whose clock is wrong makes tables but drops none. Tables of
-- the time that room is made for stay. A call drops 100 tables at most, because each holds its locks until the transaction ends;
-- the caller repeats it.
CREATE OR REPLACE FUNCTION maintain_beliefs(ready_from timestamptz, ready_until timestamptz, keep interval,
                                            OUT created integer, OUT dropped integer)
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET lock_timeout = '2s'
    SET timezone = 'UTC'
AS $$
DECLARE
    subject text;
    day timestamptz;
    name text;
    old record;
BEGIN
    IF ready_until < ready_from OR ready_until - ready_from > interval '40 days' THEN
        RAISE EXCEPTION 'room is made for at most 40 days' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF keep < interval '1 day' THEN
        RAISE EXCEPTION 'transitions are kept for a day at least' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    created := 0;
    dropped := 0;
    -- One engine at a time; a second one finds everything done.
    PERFORM pg_advisory_xact_lock(hashtext('maintain_beliefs'));

    FOREACH subject IN ARRAY ARRAY['vm', 'host'] LOOP
        FOR day IN SELECT generate_series(date_trunc('day', ready_from), ready_until, interval '1 day') LOOP
            name := subject || '_belief_' || to_char(day, 'YYYYMMDD');
            IF to_regclass(name) IS NULL THEN
                EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', name, subject || '_belief');
                EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                               subject || '_belief', name, day, day + interval '1 day');
                created := created + 1;
            END IF;
        END LOOP;

        FOR old IN
            SELECT c.oid::regclass AS partition,
                   substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz AS ends
              FROM pg_inherits AS i
              JOIN pg_class AS c ON c.oid = i.inhrelid
             WHERE i.inhparent = (subject || '_belief')::regclass
             ORDER BY 2
        LOOP
            EXIT WHEN dropped >= 100 OR old.ends > least(retention_clock() - keep, ready_from);
            BEGIN
                EXECUTE format('DROP TABLE %s', old.partition);
                dropped := dropped + 1;
            EXCEPTION
                WHEN lock_not_available THEN
                    EXIT; -- a reader holds it; the next day is early enough
            END;
        END LOOP;
    END LOOP;
END
$$;

COMMENT ON FUNCTION maintain_beliefs(timestamptz, timestamptz, interval) IS
    'Creates the partitions of transitions for a period and drops those whose rows are all older than the retention time. Runs as the owner.';

DO $$
BEGIN
    -- Whoever calls it cannot make it find other tables.
    EXECUTE format('ALTER FUNCTION maintain_beliefs(timestamptz, timestamptz, interval) SET search_path = %I, pg_temp',
                   current_schema());
    REVOKE ALL ON FUNCTION maintain_beliefs(timestamptz, timestamptz, interval) FROM PUBLIC;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'stillwater_monitoring') THEN
        GRANT EXECUTE ON FUNCTION maintain_beliefs(timestamptz, timestamptz, interval) TO stillwater_monitoring;
    END IF;
END
$$;
