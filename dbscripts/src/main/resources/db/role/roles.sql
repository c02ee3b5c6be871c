-- The engine's roles, created once per server by a role with CREATEROLE; running this file again changes nothing. None of
-- them is a superuser and none can log in. The operator gives passwords to stillwater_owner (migrations) and to
-- stillwater_engine (the engine's work), and adds other roles as members of stillwater_reader and stillwater_dwh.

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY ['stillwater_owner', 'stillwater_engine', 'stillwater_monitoring', 'stillwater_reader',
                              'stillwater_dwh']
    LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', name);
        END IF;
    END LOOP;
END
$$;

GRANT stillwater_monitoring TO stillwater_owner, stillwater_engine;
