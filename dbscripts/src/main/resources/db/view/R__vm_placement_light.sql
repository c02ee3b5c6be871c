-- Updatable: the engine-owned columns of vm_dynamic and its key, and no others. No report can reach them.

DROP VIEW IF EXISTS vm_placement_light;

CREATE VIEW vm_placement_light AS
SELECT vm_guid, run_on_vds, migrating_to_vds, last_start_time, last_stop_time, boot_time, downtime, reason,
       is_run_once, console_cur_user_name, console_user_id, runtime_name, run_generation, cpu_name, emulated_machine,
       volatile_run, current_cpu_pinning, current_sockets, current_cores, current_threads, current_numa_pinning
  FROM vm_dynamic;

COMMENT ON VIEW vm_placement_light IS 'Columns of VMs that the engine decides. All changes of placement go through this view. Updatable.';

SELECT grant_to_monitoring('SELECT, UPDATE', 'vm_placement_light');
SELECT grant_reading('vm_placement_light');
