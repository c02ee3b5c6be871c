-- Updatable: what people define of a VM that monitoring reads too. Everything else in vm_static stays out of reach.

DROP VIEW IF EXISTS vm_definition_light;

CREATE VIEW vm_definition_light AS
SELECT vm_guid, vm_name, origin, auto_startup, mem_size_mb, min_allocated_mem, num_of_sockets, cpu_per_socket,
       threads_per_cpu, priority, lease_sd_id, cluster_id, db_generation
  FROM vm_static;

COMMENT ON VIEW vm_definition_light IS 'Columns of a VM''s definition that commands may change. All updates of definitions go through this view. Updatable.';

SELECT grant_to_monitoring('SELECT, UPDATE', 'vm_definition_light');
SELECT grant_reading('vm_definition_light');
