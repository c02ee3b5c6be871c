-- What an outside data warehouse samples: the last dump of statistics beside what is known now. Times are of one core
-- in vm_statistics and of the whole machine here. Names and types are those that oVirt's data warehouse reads; no value
-- that a host may report makes the view fail.
-- The condition counts the reader (dwh_reader_mark) and shows rows only while the engine keeps them up to date. PostgreSQL
-- evaluates it once for each reading, before it reads a row.

DROP VIEW IF EXISTS dwh_vm_history_view;

CREATE VIEW dwh_vm_history_view AS
SELECT d.vm_guid AS vm_id,
       d.status AS vm_status,
       t.usage_cpu_percent AS cpu_usage_percent,
       t.usage_mem_percent AS memory_usage_percent,
       within_smallint(t.cpu_sys / (s.num_of_sockets * s.cpu_per_socket)) AS system_cpu_usage_percent,
       within_smallint(t.cpu_user / (s.num_of_sockets * s.cpu_per_socket)) AS user_cpu_usage_percent,
       t.disks_usage,
       d.vm_ip,
       d.vm_fqdn,
       d.client_ip AS vm_client_ip,
       d.console_user_id AS current_user_id,
       d.guest_cur_user_name IS NOT NULL AS user_logged_in_to_guest,
       d.run_on_vds AS currently_running_on_host,
       t.guest_mem_buffered AS memory_buffered_kb,
       t.guest_mem_cached AS memory_cached_kb
  FROM vm_dynamic d
  JOIN vm_static s USING (vm_guid)
  LEFT JOIN vm_statistics t USING (vm_guid)
 WHERE (SELECT k.var_value = 'dumping'
          FROM dwh_history_timekeeping AS k
          LEFT JOIN dwh_reader_mark AS m ON m.mark
         WHERE k.var_name = 'heartBeat');

COMMENT ON VIEW dwh_vm_history_view IS 'VMs as a data warehouse samples them; statistics as of the last dump.';

SELECT grant_to_monitoring('SELECT', 'dwh_vm_history_view');
SELECT grant_reading('dwh_vm_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_vm_history_view');
