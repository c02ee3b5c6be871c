-- Hosts whose agent reads one frame at a time and tells hosts apart by the STOMP header "host" are spoken to accordingly. It
-- is versioned like the rest of a host's definition.

DO $$
DECLARE
    target text;
BEGIN
    FOREACH target IN ARRAY ARRAY ['host_static', 'host_configuration'] LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN older_agent boolean NOT NULL DEFAULT false', target);
        EXECUTE format('COMMENT ON COLUMN %I.older_agent IS %L', target,
                       'Whether its agent wants the STOMP header host and one frame at a time. Owner: engine.');
    END LOOP;
END
$$;
