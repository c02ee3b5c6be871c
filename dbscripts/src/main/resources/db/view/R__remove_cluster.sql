-- The monitoring role may not delete clusters at will. One function, which runs as the owner, removes one cluster with its
-- networks. A host or a VM that belongs to it refers to it without ON DELETE CASCADE, and so keeps it there.

CREATE OR REPLACE FUNCTION remove_cluster(removed uuid) RETURNS boolean
    LANGUAGE sql
    SECURITY DEFINER
    SET lock_timeout = '3s'
AS $$
    WITH gone AS (DELETE FROM cluster WHERE cluster_id = removed RETURNING cluster_id)
    SELECT EXISTS (SELECT FROM gone);
$$;

COMMENT ON FUNCTION remove_cluster(uuid) IS
    'Removes a cluster with its networks; returns false if the cluster does not exist. Fails if a host or a VM belongs to it. Runs as the owner.';

DO $$
BEGIN
    -- Whoever calls it cannot make it find other tables.
    EXECUTE format('ALTER FUNCTION remove_cluster(uuid) SET search_path = %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION remove_cluster(uuid) FROM PUBLIC;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'stillwater_monitoring') THEN
        GRANT EXECUTE ON FUNCTION remove_cluster(uuid) TO stillwater_monitoring;
    END IF;
END
$$;
