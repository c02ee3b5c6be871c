-- What each role may do. The engine works under stillwater_monitoring once the owner has migrated: it reads, writes
-- through light views and its own tables, and adds the first rows of VMs, which it changes through the views only.
-- stillwater_reader is for people and their tools: it reads whatever holds no secret. stillwater_dwh is for a data
-- warehouse: it reads the views that are made for it and keys of some tables, says how far it has read, and tells of
-- itself in the audit log. db/role/roles.sql makes the roles; where nobody ran it, they are made here if the owner may.
-- If there are none in the end, the engine works as the owner, and nothing else changes.

DO $$
DECLARE
    name text;
    -- Until PostgreSQL 16, whoever was a member could take the role.
    needed CONSTANT text := CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'SET' ELSE 'MEMBER' END;
BEGIN
    FOREACH name IN ARRAY ARRAY ['stillwater_monitoring', 'stillwater_reader', 'stillwater_dwh']
    LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', name);
            END IF;
            IF name = 'stillwater_monitoring' AND NOT pg_has_role(current_user, name, needed) THEN
                EXECUTE format('GRANT %I TO %I', name, current_user);
            END IF;
        EXCEPTION
            -- Roles belong to the whole server: another database may be making the same one now.
            WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN
                RAISE NOTICE 'role %: %', name, SQLERRM;
        END;
    END LOOP;
END
$$;

-- Views are re-created by their own files, which therefore grant for themselves, by these functions.
CREATE OR REPLACE FUNCTION grant_to(role text, privileges text, relation text) RETURNS void
    LANGUAGE plpgsql
AS $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
        EXECUTE format('GRANT %s ON %I TO %I', privileges, relation, role);
    END IF;
END
$$;

COMMENT ON FUNCTION grant_to(text, text, text) IS
    'Grants privileges on a table or view to a role, if the role exists.';

CREATE OR REPLACE FUNCTION grant_to_monitoring(privileges text, relation text) RETURNS void
    LANGUAGE sql
AS $$
    SELECT grant_to('stillwater_monitoring', privileges, relation)
$$;

COMMENT ON FUNCTION grant_to_monitoring(text, text) IS
    'Grants privileges on a table or view to the monitoring role, if the role exists.';

CREATE OR REPLACE FUNCTION grant_reading(relation text) RETURNS void
    LANGUAGE sql
AS $$
    SELECT grant_to('stillwater_reader', 'SELECT', relation)
$$;

COMMENT ON FUNCTION grant_reading(text) IS
    'Grants the reading role SELECT on a table or view, if the role exists. Not for objects that hold secrets.';

REVOKE EXECUTE ON FUNCTION grant_to(text, text, text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION grant_to_monitoring(text, text) FROM PUBLIC;
REVOKE EXECUTE ON FUNCTION grant_reading(text) FROM PUBLIC;

-- An engine that may not migrate sees whether it needs to.
SELECT grant_to_monitoring('SELECT', 'schema_history');

SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'host_static');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'host_dynamic');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'host_certificate');
SELECT grant_to_monitoring('SELECT, INSERT', 'vm_static');
SELECT grant_to_monitoring('SELECT, INSERT', 'vm_dynamic');
SELECT grant_to_monitoring('UPDATE (db_generation)', 'vm_static');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'vm_device');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'vm_external_data');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'vm_interface');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'vm_interface_statistics');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'disk_image_dynamic');
SELECT grant_to_monitoring('SELECT', 'dwh_history_timekeeping');
SELECT grant_to_monitoring('UPDATE (var_value, var_datetime)', 'dwh_history_timekeeping');
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
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'operation');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'vm_specification');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'vm_lease');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'vm_run_definition');
SELECT grant_to_monitoring('SELECT, INSERT, DELETE', 'vm_claim');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'affinity_group');
SELECT grant_to_monitoring('SELECT, INSERT, DELETE', 'affinity_group_member');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'alert');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'alert_rule');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'alert_silence');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'finding');
SELECT grant_to_monitoring('SELECT, INSERT, DELETE', 'benchmark_run');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'regression_points');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'tag');
SELECT grant_to_monitoring('SELECT, INSERT, DELETE', 'tag_vm');
SELECT grant_to_monitoring('SELECT, INSERT, DELETE', 'tag_host');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'host_fence_agent');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'engine_user');
SELECT grant_to_monitoring('SELECT, INSERT, DELETE', 'user_grant');
SELECT grant_to_monitoring('SELECT, INSERT, DELETE', 'api_token');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'vm_pool');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'vm_pool_member');
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE, DELETE', 'xapi_pool');

-- The engine's lock of the database.
SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'database_holder');

-- Not vm_external_data, which holds keys of guests, not host_fence_agent and xapi_pool, which hold passwords, and nothing
-- of users.
SELECT grant_reading('host_static');
SELECT grant_reading('host_dynamic');
SELECT grant_reading('host_certificate');
SELECT grant_reading('vm_static');
SELECT grant_reading('vm_claim');
SELECT grant_reading('vm_dynamic');
SELECT grant_reading('vm_device');
SELECT grant_reading('vm_interface');
SELECT grant_reading('vm_interface_statistics');
SELECT grant_reading('disk_image_dynamic');
SELECT grant_reading('dwh_history_timekeeping');
SELECT grant_reading('vm_guest_agent_interfaces');
SELECT grant_reading('vm_statistics');
SELECT grant_reading('host_interface');
SELECT grant_reading('host_statistics');
SELECT grant_reading('host_interface_statistics');
SELECT grant_reading('pending_work');
SELECT grant_reading('host_work');
SELECT grant_reading('vm_jobs');
SELECT grant_reading('luns');
SELECT grant_reading('disk_lun_map');
SELECT grant_reading('numa_node');
SELECT grant_reading('data_centre');
SELECT grant_reading('database_holder');
SELECT grant_reading('cluster');
SELECT grant_reading('cluster_network');
SELECT grant_reading('operation');
SELECT grant_reading('vm_specification');
SELECT grant_reading('vm_lease');
SELECT grant_reading('vm_run_definition');
SELECT grant_reading('affinity_group');
SELECT grant_reading('affinity_group_member');
SELECT grant_reading('alert');
SELECT grant_reading('alert_rule');
SELECT grant_reading('alert_silence');
SELECT grant_reading('finding');
SELECT grant_reading('benchmark_run');
SELECT grant_reading('regression_points');
SELECT grant_reading('tag');
SELECT grant_reading('tag_vm');
SELECT grant_reading('tag_host');
SELECT grant_reading('vm_pool');
SELECT grant_reading('vm_pool_member');

SELECT grant_to('stillwater_dwh', 'SELECT, INSERT, UPDATE (var_value, var_datetime)', 'dwh_history_timekeeping');

-- What it looks up to find out what is gone: keys, and nothing else of these tables.
SELECT grant_to('stillwater_dwh', 'SELECT (cluster_id)', 'cluster');
SELECT grant_to('stillwater_dwh', 'SELECT (vm_guid)', 'vm_static');
SELECT grant_to('stillwater_dwh', 'SELECT (id)', 'vm_interface');
SELECT grant_to('stillwater_dwh', 'SELECT (device_id, vm_id, type, device)', 'vm_device');

-- Each side changes its own rows of the timekeeping table only.
DROP POLICY IF EXISTS engine_lives ON dwh_history_timekeeping;
DROP POLICY IF EXISTS warehouse_reads ON dwh_history_timekeeping;
DROP POLICY IF EXISTS warehouse_adds ON dwh_history_timekeeping;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'stillwater_monitoring') THEN
        CREATE POLICY engine_lives ON dwh_history_timekeeping FOR UPDATE TO stillwater_monitoring
            USING (var_name = 'heartBeat');
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'stillwater_dwh') THEN
        CREATE POLICY warehouse_reads ON dwh_history_timekeeping FOR UPDATE TO stillwater_dwh
            USING (var_name <> 'heartBeat');
        CREATE POLICY warehouse_adds ON dwh_history_timekeeping FOR INSERT TO stillwater_dwh
            WITH CHECK (var_name <> 'heartBeat');
    END IF;
END
$$;
