-- Interfaces of hosts as an outside data warehouse reads them when they are new or changed, and their keys, by which it
-- finds out what is gone. The identity is that of dwh_host_interface_history_view: made of the host's and its name.

DROP VIEW IF EXISTS dwh_host_interface_configuration_history_view;

CREATE VIEW dwh_host_interface_configuration_history_view AS
SELECT md5(i.host_id || i.name)::uuid AS host_interface_id,
       left(i.name, 50) AS host_interface_name,
       i.host_id,
       (CASE WHEN i.management THEN 2 ELSE 0 END)::smallint AS host_interface_type,
       i.speed AS host_interface_speed_bps,
       left(i.mac_addr, 59) AS mac_address,
       left(i.network_name, 256) AS logical_network_name,
       left(i.address, 20) AS ip_address,
       left(i.gateway, 20) AS gateway,
       i.is_bond AS bond,
       left(i.bond_name, 50) AS bond_name,
       i.vlan_id,
       i.created_at AS create_date,
       nullif(i.changed_at, i.created_at) AS update_date
  FROM host_interface AS i
 WHERE i.changed_at > (SELECT var_datetime FROM dwh_history_timekeeping WHERE var_name = 'lastSync')
   AND (NOT i.is_bond
        OR EXISTS (SELECT FROM host_interface AS m WHERE m.host_id = i.host_id AND m.bond_name = i.name));

COMMENT ON VIEW dwh_host_interface_configuration_history_view IS 'Interfaces of hosts that are new or changed since a data warehouse has last read, without bonds that have no interface. Type 2 is the interface of the engine''s connection, 0 any other. The column named bits per second is in Mbit/s, as the data warehouse expects.';

SELECT grant_reading('dwh_host_interface_configuration_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_host_interface_configuration_history_view');

DROP VIEW IF EXISTS vds_interface;

CREATE VIEW vds_interface AS
SELECT md5(host_id || name)::uuid AS id,
       host_id AS vds_id,
       name
  FROM host_interface;

COMMENT ON VIEW vds_interface IS 'Interfaces of hosts, under the name that oVirt''s data warehouse reads.';

SELECT grant_reading('vds_interface');
SELECT grant_to('stillwater_dwh', 'SELECT', 'vds_interface');
