-- What people defined, version by version, so that a sample can be joined with what its VM or host was then. A version
-- holds from one change until the next; the open one, which has no end, is what is defined now. Versions outlive what they
-- are of. They are written by one trigger (R__configuration_history.sql) in the transaction of the change, whoever makes
-- it; nobody writes them otherwise.

DO $$
DECLARE
    source record;
BEGIN
    FOR source IN
        SELECT *
          FROM (VALUES ('data_centre', 'data_centre_id', 'data_centre_configuration', 'Data centres', '{}'::text[]),
                       ('cluster', 'cluster_id', 'cluster_configuration', 'Clusters', '{}'),
                       ('host_static', 'host_id', 'host_configuration', 'Hosts', '{created_at}'),
                       ('vm_static', 'vm_guid', 'vm_configuration', 'VMs', '{db_generation, creation_date}'),
                       ('vm_interface', 'id', 'vm_interface_configuration', 'Interfaces of VMs', '{}'))
                   AS s (name, key, history, subject, left_out)
    LOOP
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING COMMENTS)', source.history, source.name);
        FOR i IN 1 .. coalesce(array_length(source.left_out, 1), 0) LOOP
            EXECUTE format('ALTER TABLE %I DROP COLUMN %I', source.history, source.left_out[i]);
        END LOOP;
        EXECUTE format(
            'ALTER TABLE %1$I
                 ADD COLUMN version integer NOT NULL CHECK (version > 0),
                 ADD COLUMN valid_from timestamptz NOT NULL,
                 ADD COLUMN valid_until timestamptz CHECK (valid_until > valid_from),
                 ADD PRIMARY KEY (%2$I, version)', source.history, source.key);
        EXECUTE format('CREATE UNIQUE INDEX idx_%1$s_open ON %1$I (%2$I) WHERE valid_until IS NULL',
                       source.history, source.key);
        EXECUTE format('CREATE INDEX idx_%1$s_valid_from ON %1$I (valid_from) WHERE valid_until IS NULL',
                       source.history);
        EXECUTE format('COMMENT ON TABLE %I IS %L', source.history,
                       source.subject || ' as they were defined from time to time; written by a trigger on '
                           || source.name || '.');
        EXECUTE format('COMMENT ON COLUMN %I.version IS %L', source.history,
                       'Counts the versions of one subject from 1. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.valid_from IS %L', source.history,
                       'When it was defined so. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.valid_until IS %L', source.history,
                       'When it was changed or removed, null while it is so. Owner: engine.');
        -- Nothing is known of earlier versions: what is there now counts from when it was added.
        EXECUTE format(
            'INSERT INTO %I (%s, version, valid_from) SELECT %2$s, 1, %s FROM %I',
            source.history,
            (SELECT string_agg(format('%I', attname), ', ')
               FROM pg_attribute
              WHERE attrelid = source.history::regclass AND attnum > 0 AND NOT attisdropped
                AND attname NOT IN ('version', 'valid_from', 'valid_until')),
            CASE source.name WHEN 'host_static' THEN 'created_at' WHEN 'vm_static' THEN 'creation_date' ELSE 'now()' END,
            source.name);
    END LOOP;
END
$$;
