-- The clock by which partitions are too old: the server's, so that an engine with a wrong clock drops nothing. A soak, in which
-- the engine's clock is ahead by days, replaces the function in its own database.

CREATE OR REPLACE FUNCTION retention_clock() RETURNS timestamptz
    LANGUAGE sql STABLE
AS $$
    SELECT now()
$$;

COMMENT ON FUNCTION retention_clock() IS 'Present time of the server. The age of partitions is counted from it.';

REVOKE EXECUTE ON FUNCTION retention_clock() FROM PUBLIC;
