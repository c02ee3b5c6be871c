-- Gives what the server's first superuser owns in this database to stillwater_owner: what was made before there was such
-- a role. Running it again changes nothing.

DO $$
DECLARE
    superuser CONSTANT oid := 10;
    command text;
BEGIN
    FOR command IN
        SELECT format('ALTER TABLE %s OWNER TO stillwater_owner', c.oid::regclass)
          FROM pg_class AS c
         WHERE c.relnamespace = 'public'::regnamespace
           AND c.relowner = superuser
           AND (c.relkind IN ('r', 'p', 'v', 'm')
                OR c.relkind = 'S'
                   AND NOT EXISTS (SELECT FROM pg_depend AS d
                                    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                                      AND d.deptype IN ('a', 'i')))
        UNION ALL
        SELECT format('ALTER ROUTINE %s OWNER TO stillwater_owner', p.oid::regprocedure)
          FROM pg_proc AS p
         WHERE p.pronamespace = 'public'::regnamespace AND p.proowner = superuser
    LOOP
        EXECUTE command;
    END LOOP;
END
$$;
