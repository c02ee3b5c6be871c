-- What an outside data warehouse reads of what people defined: what is new or changed since it has last read, by its own
-- row of dwh_history_timekeeping. Names and types are those that oVirt's data warehouse reads; what this engine does not
-- keep has the value that oVirt gives to who has none.

DROP VIEW IF EXISTS dwh_datacenter_configuration_history_view;

CREATE VIEW dwh_datacenter_configuration_history_view AS
SELECT h.data_centre_id AS datacenter_id,
       h.name AS datacenter_name,
       h.description AS datacenter_description,
       false AS is_local_storage,
       (SELECT f.valid_from FROM data_centre_configuration AS f WHERE f.data_centre_id = h.data_centre_id AND f.version = 1) AS create_date,
       CASE WHEN h.version > 1 THEN h.valid_from END AS update_date
  FROM data_centre_configuration AS h
 WHERE h.valid_until IS NULL
   AND h.valid_from > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync');

COMMENT ON VIEW dwh_datacenter_configuration_history_view IS 'Data centres that are new or changed since a data warehouse has last read.';

SELECT grant_to_monitoring('SELECT', 'dwh_datacenter_configuration_history_view');
SELECT grant_reading('dwh_datacenter_configuration_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_datacenter_configuration_history_view');

DROP VIEW IF EXISTS dwh_cluster_configuration_history_view;

CREATE VIEW dwh_cluster_configuration_history_view AS
SELECT h.cluster_id,
       h.name AS cluster_name,
       h.description AS cluster_description,
       h.data_centre_id AS datacenter_id,
       h.cpu_name,
       false AS count_threads_as_cores,
       h.compatibility_version,
       (SELECT f.valid_from FROM cluster_configuration AS f WHERE f.cluster_id = h.cluster_id AND f.version = 1) AS create_date,
       CASE WHEN h.version > 1 THEN h.valid_from END AS update_date
  FROM cluster_configuration AS h
 WHERE h.valid_until IS NULL
   AND h.valid_from > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync');

COMMENT ON VIEW dwh_cluster_configuration_history_view IS 'Clusters that are new or changed since a data warehouse has last read.';

SELECT grant_to_monitoring('SELECT', 'dwh_cluster_configuration_history_view');
SELECT grant_reading('dwh_cluster_configuration_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_cluster_configuration_history_view');

DROP VIEW IF EXISTS dwh_host_configuration_history_view;

CREATE VIEW dwh_host_configuration_history_view AS
SELECT h.host_id,
       d.hw_uuid AS host_unique_id,
       h.host_name,
       h.cluster_id,
       0::smallint AS host_type,
       h.address AS fqdn_or_ip,
       within_integer(d.physical_mem_mb) AS memory_size_mb,
       within_integer(t.swap_total) AS swap_size_mb,
       d.cpu_model,
       within_smallint(d.cpu_cores) AS number_of_cores,
       within_smallint(d.cpu_sockets) AS number_of_sockets,
       d.cpu_speed_mh::numeric AS cpu_speed_mh,
       d.host_os,
       d.kernel_version,
       d.kvm_version,
       d.libvirt_version,
       d.software_version AS vdsm_version,
       h.port AS vdsm_port,
       within_smallint(d.cpu_threads) AS number_of_threads,
       d.hw_manufacturer AS hardware_manufacturer,
       d.hw_product_name AS hardware_product_name,
       d.hw_version AS hardware_version,
       d.hw_serial_number AS hardware_serial_number,
       (SELECT f.valid_from FROM host_configuration AS f WHERE f.host_id = h.host_id AND f.version = 1) AS create_date,
       CASE WHEN h.version > 1 THEN h.valid_from END AS update_date
  FROM host_configuration AS h
  LEFT JOIN host_dynamic AS d USING (host_id)
  LEFT JOIN host_statistics AS t USING (host_id)
 WHERE h.valid_until IS NULL
   AND h.valid_from > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync');

COMMENT ON VIEW dwh_host_configuration_history_view IS 'Hosts that are new or changed since a data warehouse has last read.';

SELECT grant_to_monitoring('SELECT', 'dwh_host_configuration_history_view');
SELECT grant_reading('dwh_host_configuration_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_host_configuration_history_view');

DROP VIEW IF EXISTS dwh_host_configuration_full_check_view;

CREATE VIEW dwh_host_configuration_full_check_view AS
SELECT h.host_id,
       d.hw_uuid AS host_unique_id,
       h.host_name,
       h.cluster_id,
       0::smallint AS host_type,
       h.address AS fqdn_or_ip,
       within_integer(d.physical_mem_mb) AS memory_size_mb,
       within_integer(t.swap_total) AS swap_size_mb,
       d.cpu_model,
       within_smallint(d.cpu_cores) AS number_of_cores,
       within_smallint(d.cpu_sockets) AS number_of_sockets,
       d.cpu_speed_mh::numeric AS cpu_speed_mh,
       d.host_os,
       d.kernel_version,
       d.kvm_version,
       d.libvirt_version,
       d.software_version AS vdsm_version,
       h.port AS vdsm_port,
       within_smallint(d.cpu_threads) AS number_of_threads,
       d.hw_manufacturer AS hardware_manufacturer,
       d.hw_product_name AS hardware_product_name,
       d.hw_version AS hardware_version,
       d.hw_serial_number AS hardware_serial_number,
       (SELECT f.valid_from FROM host_configuration AS f WHERE f.host_id = h.host_id AND f.version = 1) AS create_date,
       CASE WHEN h.version > 1 THEN h.valid_from END AS update_date
  FROM host_configuration AS h
  LEFT JOIN host_dynamic AS d USING (host_id)
  LEFT JOIN host_statistics AS t USING (host_id)
 WHERE h.valid_until IS NULL;

COMMENT ON VIEW dwh_host_configuration_full_check_view IS 'All hosts with the values that they report about themselves, which change without a change of the definition.';

SELECT grant_to_monitoring('SELECT', 'dwh_host_configuration_full_check_view');
SELECT grant_reading('dwh_host_configuration_full_check_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_host_configuration_full_check_view');

DROP VIEW IF EXISTS dwh_vm_configuration_history_view;

CREATE VIEW dwh_vm_configuration_history_view AS
SELECT h.vm_guid AS vm_id,
       h.vm_name,
       NULL::text AS vm_description,
       1::smallint AS vm_type,
       h.cluster_id,
       '00000000-0000-0000-0000-000000000000'::uuid AS template_id,
       'Blank'::text AS template_name,
       within_smallint(h.cpu_per_socket) AS cpu_per_socket,
       within_smallint(h.num_of_sockets) AS number_of_sockets,
       h.mem_size_mb AS memory_size_mb,
       0::smallint AS operating_system,
       NULL::uuid AS default_host,
       h.auto_startup AS high_availability,
       true AS initialized,
       false AS stateless,
       false AS fail_back,
       NULL::smallint AS usb_policy,
       NULL::text AS time_zone,
       NULL::uuid AS vm_pool_id,
       NULL::text AS vm_pool_name,
       NULL::uuid AS created_by_user_id,
       (SELECT f.valid_from FROM vm_configuration AS f WHERE f.vm_guid = h.vm_guid AND f.version = 1) AS create_date,
       CASE WHEN h.version > 1 THEN h.valid_from END AS update_date
  FROM vm_configuration AS h
 WHERE h.valid_until IS NULL
   AND h.valid_from > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync');

COMMENT ON VIEW dwh_vm_configuration_history_view IS 'VMs that are new or changed since a data warehouse has last read.';

SELECT grant_to_monitoring('SELECT', 'dwh_vm_configuration_history_view');
SELECT grant_reading('dwh_vm_configuration_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_vm_configuration_history_view');

DROP VIEW IF EXISTS dwh_vm_interface_configuration_history_view;

CREATE VIEW dwh_vm_interface_configuration_history_view AS
SELECT h.id AS vm_interface_id,
       h.name AS vm_interface_name,
       h.vm_guid AS vm_id,
       NULL::smallint AS vm_interface_type,
       h.speed AS vm_interface_speed_bps,
       h.mac_addr AS mac_address,
       NULL::text AS logical_network_name,
       (SELECT f.valid_from FROM vm_interface_configuration AS f WHERE f.id = h.id AND f.version = 1) AS create_date,
       CASE WHEN h.version > 1 THEN h.valid_from END AS update_date
  FROM vm_interface_configuration AS h
 WHERE h.valid_until IS NULL
   AND h.valid_from > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync');

COMMENT ON VIEW dwh_vm_interface_configuration_history_view IS 'Interfaces of VMs that are new or changed since a data warehouse has last read. The column named bits per second is in Mbit/s, as the data warehouse expects.';

SELECT grant_to_monitoring('SELECT', 'dwh_vm_interface_configuration_history_view');
SELECT grant_reading('dwh_vm_interface_configuration_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_vm_interface_configuration_history_view');
