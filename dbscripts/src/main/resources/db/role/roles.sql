-- The engine's roles, made once per server by somebody who may make roles; running it again changes nothing. None of them
-- is a superuser and none can log in: the operator gives a login to the owner, and to whoever is to be a member of
-- another.

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY ['stillwater_owner', 'stillwater_monitoring', 'stillwater_reader', 'stillwater_dwh']
    LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', name);
        END IF;
    END LOOP;
END
$$;

GRANT stillwater_monitoring TO stillwater_owner;
