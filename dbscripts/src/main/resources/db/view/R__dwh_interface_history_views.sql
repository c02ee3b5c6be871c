-- Interfaces of VMs and hosts as an outside data warehouse samples them. A host's interface has no identity of its own:
-- the one here is made of the host's and its name, and stays the same as long as they do.
-- The condition counts the reader (dwh_reader_mark) and shows rows only while the engine keeps them up to date. PostgreSQL
-- evaluates it once for each reading, before it reads a row.

DROP VIEW IF EXISTS dwh_vm_interface_history_view;

CREATE VIEW dwh_vm_interface_history_view AS
SELECT id AS vm_interface_id,
       rx_rate AS receive_rate_percent,
       tx_rate AS transmit_rate_percent,
       rx_total AS received_total_byte,
       tx_total AS transmitted_total_byte,
       rx_drop AS received_dropped_total_packets,
       tx_drop AS transmitted_dropped_total_packets
  FROM vm_interface_statistics
 WHERE (SELECT k.var_value = 'dumping'
          FROM dwh_history_timekeeping AS k
          LEFT JOIN dwh_reader_mark AS m ON m.mark
         WHERE k.var_name = 'heartBeat');

COMMENT ON VIEW dwh_vm_interface_history_view IS 'Interfaces of VMs as a data warehouse samples them, as of the last dump.';

DROP VIEW IF EXISTS dwh_host_interface_history_view;

CREATE VIEW dwh_host_interface_history_view AS
SELECT md5(host_id || name)::uuid AS host_interface_id,
       rx_rate AS receive_rate_percent,
       tx_rate AS transmit_rate_percent,
       rx_total AS received_total_byte,
       tx_total AS transmitted_total_byte,
       rx_drop AS received_dropped_total_packets,
       tx_drop AS transmitted_dropped_total_packets
  FROM host_interface_statistics
 WHERE (SELECT k.var_value = 'dumping'
          FROM dwh_history_timekeeping AS k
          LEFT JOIN dwh_reader_mark AS m ON m.mark
         WHERE k.var_name = 'heartBeat');

COMMENT ON VIEW dwh_host_interface_history_view IS 'Interfaces of hosts as a data warehouse samples them, as of the last dump.';

SELECT grant_to_monitoring('SELECT', 'dwh_vm_interface_history_view');
SELECT grant_reading('dwh_vm_interface_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_vm_interface_history_view');
SELECT grant_to_monitoring('SELECT', 'dwh_host_interface_history_view');
SELECT grant_reading('dwh_host_interface_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_host_interface_history_view');
