-- Keeps the versions of what people define. One function for every table that has a history: the table's key and the
-- table of its versions are the trigger's arguments, and the columns that count are those that both tables have. It runs
-- as the owner, so that nobody else needs to write history; once per statement, so that adding a fleet costs one.

CREATE OR REPLACE FUNCTION keep_version() RETURNS trigger
    LANGUAGE plpgsql
    SECURITY DEFINER
AS $$
DECLARE
    history CONSTANT text := TG_ARGV[0];
    key CONSTANT text := TG_ARGV[1];
    -- Later than whatever this transaction waited for, so that versions of one subject follow each other.
    moment CONSTANT timestamptz := clock_timestamp();
    columns text;
    old_values text;
    new_values text;
BEGIN
    SELECT string_agg(format('%I', attname), ', ' ORDER BY attnum),
           string_agg(format('o.%I', attname), ', ' ORDER BY attnum),
           string_agg(format('n.%I', attname), ', ' ORDER BY attnum)
      INTO STRICT columns, old_values, new_values
      FROM pg_attribute
     WHERE attrelid = history::regclass AND attnum > 0 AND NOT attisdropped
       AND attname NOT IN ('version', 'valid_from', 'valid_until');

    CASE TG_OP
        WHEN 'INSERT' THEN
            EXECUTE format(
                'INSERT INTO %1$I (%2$s, version, valid_from)
                 SELECT %3$s, coalesce((SELECT max(h.version) FROM %1$I AS h WHERE h.%4$I = n.%4$I), 0) + 1, $1
                   FROM changed_to AS n
                  ORDER BY n.%4$I', history, columns, new_values, key)
                USING moment;
        WHEN 'UPDATE' THEN
            -- A clock that was set back makes versions short, not wrong.
            EXECUTE format(
                'WITH closed AS (
                     UPDATE %1$I AS h
                        SET valid_until = greatest($1, h.valid_from + interval ''1 microsecond'')
                       FROM changed_from AS o
                       JOIN changed_to AS n USING (%4$I)
                      WHERE h.%4$I = o.%4$I AND h.valid_until IS NULL
                        AND (%5$s) IS DISTINCT FROM (%3$s)
                      RETURNING h.%4$I, h.version, h.valid_until)
                 INSERT INTO %1$I (%2$s, version, valid_from)
                 SELECT %3$s, c.version + 1, c.valid_until
                   FROM closed AS c
                   JOIN changed_to AS n USING (%4$I)', history, columns, new_values, key, old_values)
                USING moment;
        WHEN 'DELETE' THEN
            EXECUTE format(
                'UPDATE %1$I AS h
                    SET valid_until = greatest($1, h.valid_from + interval ''1 microsecond'')
                   FROM changed_from AS o
                  WHERE h.%2$I = o.%2$I AND h.valid_until IS NULL', history, key)
                USING moment;
        WHEN 'TRUNCATE' THEN
            EXECUTE format(
                'UPDATE %I SET valid_until = greatest($1, valid_from + interval ''1 microsecond'')
                  WHERE valid_until IS NULL', history)
                USING moment;
    END CASE;
    RETURN NULL;
END
$$;

COMMENT ON FUNCTION keep_version() IS
    'Trigger on tables of definitions: ends the version of a changed row and begins a new one. Runs as the owner.';

DO $$
DECLARE
    source record;
    columns text;
BEGIN
    -- Whoever changes something cannot make it find other tables.
    EXECUTE format('ALTER FUNCTION keep_version() SET search_path = %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION keep_version() FROM PUBLIC;
    FOR source IN
        SELECT *
          FROM (VALUES ('data_centre', 'data_centre_id', 'data_centre_configuration'),
                       ('cluster', 'cluster_id', 'cluster_configuration'),
                       ('host_static', 'host_id', 'host_configuration'),
                       ('vm_static', 'vm_guid', 'vm_configuration'),
                       ('vm_interface', 'id', 'vm_interface_configuration')) AS s (name, key, history)
    LOOP
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER version_added AFTER INSERT ON %I REFERENCING NEW TABLE AS changed_to
             FOR EACH STATEMENT EXECUTE FUNCTION keep_version(%L, %L)', source.name, source.history, source.key);
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER version_changed AFTER UPDATE ON %I
             REFERENCING OLD TABLE AS changed_from NEW TABLE AS changed_to
             FOR EACH STATEMENT EXECUTE FUNCTION keep_version(%L, %L)', source.name, source.history, source.key);
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER version_ended AFTER DELETE ON %I REFERENCING OLD TABLE AS changed_from
             FOR EACH STATEMENT EXECUTE FUNCTION keep_version(%L, %L)', source.name, source.history, source.key);
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER versions_ended AFTER TRUNCATE ON %I
             FOR EACH STATEMENT EXECUTE FUNCTION keep_version(%L, %L)', source.name, source.history, source.key);
        -- What was defined while nothing watched, as after a restore without triggers, is known from now on.
        SELECT string_agg(format('%I', attname), ', ' ORDER BY attnum)
          INTO STRICT columns
          FROM pg_attribute
         WHERE attrelid = source.history::regclass AND attnum > 0 AND NOT attisdropped
           AND attname NOT IN ('version', 'valid_from', 'valid_until');
        EXECUTE format(
            'INSERT INTO %1$I (%2$s, version, valid_from)
             SELECT %2$s, coalesce((SELECT max(h.version) FROM %1$I AS h WHERE h.%3$I = s.%3$I), 0) + 1,
                    clock_timestamp()
               FROM %4$I AS s
              WHERE NOT EXISTS (SELECT FROM %1$I AS h WHERE h.%3$I = s.%3$I AND h.valid_until IS NULL)',
            source.history, columns, source.key, source.name);
        PERFORM grant_to_monitoring('SELECT', source.history);
        PERFORM grant_reading(source.history);
    END LOOP;
END
$$;
