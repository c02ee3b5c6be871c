-- The monitoring role appends to the audit log and reads it; it can neither change nor delete an entry, nor make or drop
-- tables. Looking after partitions is one function that runs as the owner and does nothing else. A data warehouse tells
-- that it starts, stops or fails (9700 to 9704), and can tell nothing else: nobody takes its entries for the engine's.

SELECT grant_to_monitoring('SELECT, INSERT', 'audit_log');
SELECT grant_reading('audit_log');
SELECT grant_to('stillwater_dwh', 'INSERT (log_time, log_type, log_type_name, severity, message)', 'audit_log');

DROP POLICY IF EXISTS engine_tells ON audit_log;
DROP POLICY IF EXISTS warehouse_tells ON audit_log;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'stillwater_monitoring') THEN
        CREATE POLICY engine_tells ON audit_log FOR INSERT TO stillwater_monitoring WITH CHECK (true);
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'stillwater_dwh') THEN
        CREATE POLICY warehouse_tells ON audit_log FOR INSERT TO stillwater_dwh
            WITH CHECK (log_type BETWEEN 9700 AND 9704 AND severity IN (0, 1, 2, 10)
                        AND length(log_type_name) <= 100 AND length(message) <= 4000);
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION maintain_audit_log(ready_from timestamptz, ready_until timestamptz, keep_from timestamptz,
                                              OUT created integer, OUT dropped integer)
    LANGUAGE plpgsql
    SECURITY DEFINER
    SET lock_timeout = '3s'
    SET timezone = 'UTC'
AS $$
DECLARE
    week timestamptz;
    name text;
    old record;
    -- What is kept is reckoned by the slower one of both clocks: an engine whose clock is ahead drops nothing too early.
    oldest CONSTANT timestamptz := least(ready_from, retention_clock()) - (ready_from - keep_from);
BEGIN
    IF ready_from - keep_from < interval '1 day' THEN
        RAISE EXCEPTION 'entries of the last day are never dropped' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF ready_until - ready_from > interval '400 days' THEN
        RAISE EXCEPTION 'room is made for at most 400 days' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    created := 0;
    dropped := 0;
    -- One engine at a time; a second one finds everything done.
    PERFORM pg_advisory_xact_lock(hashtext('maintain_audit_log'));

    DELETE FROM audit_log_default WHERE log_time < oldest;

    -- Weeks begin on Monday. What lies in the default partition moves to its week.
    FOR week IN
        SELECT generate_series(date_trunc('week', ready_from), ready_until, interval '7 days')
        UNION
        SELECT date_trunc('week', log_time) FROM audit_log_default WHERE log_time < ready_until
        ORDER BY 1
    LOOP
        name := 'audit_log_' || to_char(week, 'IYYY"w"IW');
        IF to_regclass(name) IS NULL THEN
            -- Attaching locks the log less than making a partition in place; inserting goes on meanwhile.
            EXECUTE format('CREATE TABLE %I (LIKE audit_log INCLUDING ALL)', name);
            EXECUTE format('WITH moved AS (DELETE FROM audit_log_default WHERE log_time >= %L AND log_time < %L RETURNING *)
                            INSERT INTO %I SELECT * FROM moved', week, week + interval '7 days', name);
            EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                           name, week, week + interval '7 days');
            created := created + 1;
        END IF;
    END LOOP;

    FOR old IN
        SELECT c.oid::regclass AS partition,
               substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz AS ends
          FROM pg_inherits AS i
          JOIN pg_class AS c ON c.oid = i.inhrelid
         WHERE i.inhparent = 'audit_log'::regclass
    LOOP
        EXIT WHEN dropped >= 100; -- each holds its locks until the transaction ends; the caller repeats the call
        IF old.ends <= oldest THEN -- null for the default partition, which stays
            EXECUTE format('DROP TABLE %s', old.partition);
            dropped := dropped + 1;
        END IF;
    END LOOP;
END
$$;

COMMENT ON FUNCTION maintain_audit_log(timestamptz, timestamptz, timestamptz) IS
    'Creates the weekly partitions of audit_log for a period and drops those whose rows are all older than the retention time. Runs as the owner.';

DO $$
BEGIN
    -- Whoever calls it cannot make it find other tables.
    EXECUTE format('ALTER FUNCTION maintain_audit_log(timestamptz, timestamptz, timestamptz)
                    SET search_path = %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION maintain_audit_log(timestamptz, timestamptz, timestamptz) FROM PUBLIC;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'stillwater_monitoring') THEN
        GRANT EXECUTE ON FUNCTION maintain_audit_log(timestamptz, timestamptz, timestamptz) TO stillwater_monitoring;
    END IF;
END
$$;
