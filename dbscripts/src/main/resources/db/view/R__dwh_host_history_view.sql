-- Hosts as an outside data warehouse samples them. Names and types are those that oVirt's data warehouse reads; no value
-- that a host may report makes the view fail.
-- The condition counts the reader (dwh_reader_mark) and shows rows only while the engine keeps them up to date. PostgreSQL
-- evaluates it once for each reading, before it reads a row.

DROP VIEW IF EXISTS dwh_host_history_view;

CREATE VIEW dwh_host_history_view AS
SELECT d.host_id,
       d.status AS host_status,
       t.usage_mem_percent AS memory_usage_percent,
       t.usage_cpu_percent AS cpu_usage_percent,
       within_smallint(t.ksm_cpu_percent) AS ksm_cpu_percent,
       within_integer(t.cpu_load::numeric) AS cpu_load,
       within_smallint(t.cpu_sys) AS system_cpu_usage_percent,
       within_smallint(t.cpu_user) AS user_cpu_usage_percent,
       within_integer(t.swap_total::numeric - t.swap_free) AS swap_used_mb,
       within_smallint(t.vm_active) AS vm_active,
       within_smallint(t.vm_count) AS total_vms,
       coalesce(c.vcpus, 0)::integer AS total_vms_vcpus,
       t.mem_shared AS ksm_shared_memory_mb
  FROM host_dynamic d
  JOIN host_statistics t USING (host_id)
  LEFT JOIN (SELECT v.run_on_vds, sum(s.num_of_sockets * s.cpu_per_socket) AS vcpus
               FROM vm_dynamic v
               JOIN vm_static s USING (vm_guid)
              WHERE v.run_on_vds IS NOT NULL
              GROUP BY v.run_on_vds) c ON c.run_on_vds = d.host_id
 WHERE (SELECT k.var_value = 'dumping'
          FROM dwh_history_timekeeping AS k
          LEFT JOIN dwh_reader_mark AS m ON m.mark
         WHERE k.var_name = 'heartBeat');

COMMENT ON VIEW dwh_host_history_view IS 'Hosts as a data warehouse samples them; statistics as of the last dump.';

SELECT grant_to_monitoring('SELECT', 'dwh_host_history_view');
SELECT grant_reading('dwh_host_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_host_history_view');
