-- The role under which the engine works once it has migrated as the owner: it reads, and writes through light views and
-- its own tables only. Roles belong to the whole server, so another database may have made this one already, or its
-- owner may not be allowed to make roles: then the engine works as the owner, and nothing else changes.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'stillwater_monitoring') THEN
        CREATE ROLE stillwater_monitoring NOLOGIN;
    END IF;
    IF NOT pg_has_role(current_user, 'stillwater_monitoring', 'MEMBER') THEN
        EXECUTE format('GRANT stillwater_monitoring TO %I', current_user);
    END IF;
EXCEPTION
    WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN
        RAISE NOTICE 'role stillwater_monitoring: %', SQLERRM;
END
$$;

-- Views are re-created by their own files, which therefore grant for themselves, by this function.
CREATE OR REPLACE FUNCTION grant_to_monitoring(privileges text, relation text) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'stillwater_monitoring') THEN
        EXECUTE format('GRANT %s ON %I TO stillwater_monitoring', privileges, relation);
    END IF;
END
$$;

COMMENT ON FUNCTION grant_to_monitoring(text, text) IS
    'Grants privileges on a table or view to the monitoring role, where there is one.';

REVOKE EXECUTE ON FUNCTION grant_to_monitoring(text, text) FROM PUBLIC;

SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'host_static');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'host_dynamic');
SELECT grant_to_monitoring('SELECT, INSERT', 'vm_static');
SELECT grant_to_monitoring('SELECT', 'vm_dynamic');
SELECT grant_to_monitoring('UPDATE (db_generation)', 'vm_static');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'vm_device');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'vm_external_data');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'vm_interface');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'vm_interface_statistics');
SELECT grant_to_monitoring('SELECT, INSERT, DELETE', 'vm_guest_agent_interfaces');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'vm_statistics');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'host_statistics');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'host_interface_statistics');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'pending_work');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'host_work');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'vm_jobs');
SELECT grant_to_monitoring('SELECT, UPDATE', 'luns');
SELECT grant_to_monitoring('SELECT', 'disk_lun_map');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'numa_node');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'data_centre');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'cluster');
SELECT grant_to_monitoring('SELECT, INSERT, DELETE', 'cluster_network');
