-- What people and commands say of a host besides where it is. Rules read it: who can be fenced by power management is told
-- of differently, and who manages storage is forgiven longer. It is versioned like the rest of a host's definition.

DO $$
DECLARE
    target text;
BEGIN
    FOREACH target IN ARRAY ARRAY ['host_static', 'host_configuration'] LOOP
        EXECUTE format(
            'ALTER TABLE %I
                 ADD COLUMN power_management     boolean NOT NULL DEFAULT false,
                 ADD COLUMN kdump_integration    boolean NOT NULL DEFAULT false,
                 ADD COLUMN storage_pool_manager boolean NOT NULL DEFAULT false', target);
        EXECUTE format('COMMENT ON COLUMN %I.power_management IS %L', target,
                       'Whether its power can be managed. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.kdump_integration IS %L', target,
                       'Whether it tells when it dumps its kernel. Owner: engine.');
        EXECUTE format('COMMENT ON COLUMN %I.storage_pool_manager IS %L', target,
                       'Whether it manages the storage of its data centre. Owner: engine.');
    END LOOP;
END
$$;
