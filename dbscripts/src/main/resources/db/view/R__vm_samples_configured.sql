-- Samples beside what the VM was then.

DROP VIEW IF EXISTS vm_samples_configured;

CREATE VIEW vm_samples_configured AS
SELECT s.vm_id, s.at, s.cpu_usage, s.cpu_user, s.cpu_system, s.memory_usage, s.memory_unused, s.memory_buffered,
       s.memory_cached, s.network_usage, s.network_receive, s.network_send, s.disk_read, s.disk_write,
       c.version, c.vm_name, c.cluster_id, c.mem_size_mb, c.min_allocated_mem, c.num_of_sockets, c.cpu_per_socket,
       c.threads_per_cpu, c.auto_startup, c.priority
  FROM vm_samples_dense AS s
  JOIN vm_configuration AS c
    ON c.vm_guid = s.vm_id AND s.at >= c.valid_from AND (s.at < c.valid_until OR c.valid_until IS NULL);

COMMENT ON VIEW vm_samples_configured IS 'Samples of each minute with the VM''s definition at that time. Name the VM, so that only its rows are read.';

SELECT grant_to_monitoring('SELECT', 'vm_samples_configured');
SELECT grant_reading('vm_samples_configured');
