-- The monitoring role may not delete VMs at will. One function, which runs as the owner, removes one VM with all that
-- hangs on it: its state, open work, devices, samples, its places in groups and pools and whatever else refers to it by ON
-- DELETE CASCADE. Operations about it stay.

CREATE OR REPLACE FUNCTION remove_vm(removed uuid) RETURNS boolean
    LANGUAGE sql
    SECURITY DEFINER
    SET lock_timeout = '3s'
AS $$
    WITH gone AS (DELETE FROM vm_static WHERE vm_guid = removed RETURNING vm_guid)
    SELECT EXISTS (SELECT FROM gone);
$$;

COMMENT ON FUNCTION remove_vm(uuid) IS
    'Removes a VM and the rows that belong to it; returns false if the VM does not exist. It does not check whether the VM runs. Runs as the owner.';

DO $$
BEGIN
    -- Whoever calls it cannot make it find other tables.
    EXECUTE format('ALTER FUNCTION remove_vm(uuid) SET search_path = %I, pg_temp', current_schema());
    REVOKE ALL ON FUNCTION remove_vm(uuid) FROM PUBLIC;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'stillwater_monitoring') THEN
        GRANT EXECUTE ON FUNCTION remove_vm(uuid) TO stillwater_monitoring;
    END IF;
END
$$;
