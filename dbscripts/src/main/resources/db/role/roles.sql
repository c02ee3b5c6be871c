-- The engine's roles, made once per server by a role with CREATEROLE; running it again changes nothing. None of them
-- is a superuser and none can log in: the operator gives passwords to the owner, who migrates, and to stillwater_engine,
-- who works, and makes other roles members of stillwater_reader and stillwater_dwh.

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
