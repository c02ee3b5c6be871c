-- What an outside data warehouse reads and this engine does not keep: storage domains. Views without rows, with the names and
-- types that it expects, so that it goes on with the rest.

DROP VIEW IF EXISTS storage_domain_static;

CREATE VIEW storage_domain_static AS
SELECT NULL::uuid AS id
 WHERE false;

COMMENT ON VIEW storage_domain_static IS 'Empty: storage domains are not kept.';

SELECT grant_reading('storage_domain_static');
SELECT grant_to('stillwater_dwh', 'SELECT', 'storage_domain_static');

DROP VIEW IF EXISTS storage_pool_iso_map;

CREATE VIEW storage_pool_iso_map AS
SELECT NULL::uuid AS storage_id,
       NULL::uuid AS storage_pool_id
 WHERE false;

COMMENT ON VIEW storage_pool_iso_map IS 'Empty: storage domains are not kept.';

SELECT grant_reading('storage_pool_iso_map');
SELECT grant_to('stillwater_dwh', 'SELECT', 'storage_pool_iso_map');

DROP VIEW IF EXISTS dwh_datacenter_storage_map_history_view;

CREATE VIEW dwh_datacenter_storage_map_history_view AS
SELECT NULL::uuid AS storage_domain_id,
       NULL::uuid AS datacenter_id
 WHERE false;

COMMENT ON VIEW dwh_datacenter_storage_map_history_view IS 'Empty: storage domains are not kept.';

SELECT grant_reading('dwh_datacenter_storage_map_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_datacenter_storage_map_history_view');

DROP VIEW IF EXISTS dwh_storage_domain_configuration_history_view;

CREATE VIEW dwh_storage_domain_configuration_history_view AS
SELECT NULL::uuid AS storage_domain_id,
       NULL::text AS storage_domain_name,
       NULL::smallint AS storage_domain_type,
       NULL::smallint AS storage_type,
       NULL::timestamptz AS create_date,
       NULL::timestamptz AS update_date
 WHERE false;

COMMENT ON VIEW dwh_storage_domain_configuration_history_view IS 'Empty: storage domains are not kept.';

SELECT grant_reading('dwh_storage_domain_configuration_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_storage_domain_configuration_history_view');

DROP VIEW IF EXISTS dwh_storage_domain_history_view;

CREATE VIEW dwh_storage_domain_history_view AS
SELECT NULL::uuid AS storage_domain_id,
       NULL::integer AS storage_domain_status,
       NULL::integer AS available_disk_size_gb,
       NULL::integer AS used_disk_size_gb,
       NULL::integer AS confirmed_available_disk_size_gb,
       NULL::integer AS vdo_savings
 WHERE false;

COMMENT ON VIEW dwh_storage_domain_history_view IS 'Empty: storage domains are not kept.';

SELECT grant_reading('dwh_storage_domain_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_storage_domain_history_view');
