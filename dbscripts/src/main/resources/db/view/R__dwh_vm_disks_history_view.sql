-- Disks as an outside data warehouse samples them, one row each. Of a disk that several VMs share, what they read and
-- write is added up, and the longest latency of any counts. Hosts report on disks that are in order only: status 1. A data
-- warehouse up to 4.4 reads operations by the names that end in per_second, a later one by those that end in total_count.
-- The condition counts the reader (dwh_reader_mark) and shows rows only while the engine keeps them up to date. PostgreSQL
-- evaluates it once for each reading, before it reads a row.

DROP VIEW IF EXISTS dwh_vm_disks_history_view;

CREATE VIEW dwh_vm_disks_history_view AS
SELECT image_id AS vm_disk_id,
       image_id,
       1::smallint AS vm_disk_status,
       coalesce(within_integer(max(actual_size) / 1048576), 0) AS vm_disk_actual_size_mb,
       within_integer(sum(read_rate)) AS read_rate_bytes_per_second,
       within_bigint(sum(read_ops)) AS read_ops_per_second,
       max(read_latency_seconds) AS read_latency_seconds,
       within_integer(sum(write_rate)) AS write_rate_bytes_per_second,
       within_bigint(sum(write_ops)) AS write_ops_per_second,
       max(write_latency_seconds) AS write_latency_seconds,
       max(flush_latency_seconds) AS flush_latency_seconds,
       within_bigint(sum(read_ops)) AS read_ops_total_count,
       within_bigint(sum(write_ops)) AS write_ops_total_count
  FROM disk_image_dynamic
 WHERE (SELECT k.var_value = 'dumping'
          FROM dwh_history_timekeeping AS k
          LEFT JOIN dwh_reader_mark AS m ON m.mark
         WHERE k.var_name = 'heartBeat')
 GROUP BY image_id;

COMMENT ON VIEW dwh_vm_disks_history_view IS 'Disks as a data warehouse samples them, as of the last dump. Columns of operations are totals, as the data warehouse expects, despite their names. An unknown size is 0, since the data warehouse refuses a disk without one.';

SELECT grant_to_monitoring('SELECT', 'dwh_vm_disks_history_view');
SELECT grant_reading('dwh_vm_disks_history_view');
SELECT grant_to('stillwater_dwh', 'SELECT', 'dwh_vm_disks_history_view');
