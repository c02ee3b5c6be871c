-- The monitoring role may not delete hosts at will. One function, which runs as the owner, removes one host with all
-- that hangs on it: its state, its NUMA nodes and whatever else refers to it by ON DELETE CASCADE. A VM that runs on it
-- or migrates to it refers to it without, and so keeps it there.

CREATE OR REPLACE FUNCTION remove_host(removed uuid) RETURNS boolean
    LANGUAGE sql
    SECURITY DEFINER
    SET lock_timeout = '3s'
AS $$
    WITH gone AS (DELETE FROM host_static WHERE host_id = removed RETURNING host_id)
    SELECT EXISTS (SELECT FROM gone);
$$;

COMMENT ON FUNCTION remove_host(uuid) IS
    'Removes a host and the rows that belong to it; returns false if the host does not exist. Fails if a VM runs on it or migrates to it. Runs as the owner.';

DO $$
BEGIN
    -- Whoever calls it cannot make it find other tables.
    EXECUTE format('ALTER FUNCTION remove_host(uuid) SET search_path = %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION remove_host(uuid) FROM PUBLIC;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'stillwater_monitoring') THEN
        GRANT EXECUTE ON FUNCTION remove_host(uuid) TO stillwater_monitoring;
    END IF;
END
$$;
