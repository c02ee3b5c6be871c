-- All of vm_dynamic and the few columns of vm_static that decisions about a lost host need: two tables, one index each.

DROP VIEW IF EXISTS vms_monitoring_view;

CREATE VIEW vms_monitoring_view AS
SELECT d.vm_guid, d.status, d.pause_status, d.exit_status, d.exit_reason, d.exit_message, d.acpi_enable, d.utc_diff,
       d.client_ip, d.current_cd, d.spice_ip, d.spice_port, d.spice_tls_port, d.vnc_ip, d.vnc_port, d.vnc_tls_port,
       d.last_watchdog_event, d.last_watchdog_action, d.guest_cur_user_name, d.session, d.guest_cpu_count, d.app_list,
       d.vm_fqdn, d.vm_host, d.guest_os, d.guestos_type, d.guestos_arch, d.guestos_kernel_version,
       d.guestos_distribution, d.guestos_version, d.guestos_codename, d.guest_timezone_name, d.guest_timezone_offset,
       d.guest_containers, d.guest_agent_nics_hash, d.vm_ip, d.run_on_vds, d.migrating_to_vds, d.last_start_time,
       d.last_stop_time, d.boot_time, d.downtime, d.reason, d.is_run_once, d.console_cur_user_name, d.console_user_id,
       d.runtime_name, d.run_generation, d.cpu_name, d.emulated_machine, d.volatile_run, d.current_cpu_pinning,
       d.current_sockets, d.current_cores, d.current_threads, d.current_numa_pinning, d.hash,
       s.vm_name, s.origin, s.auto_startup, s.mem_size_mb, s.min_allocated_mem, s.num_of_sockets, s.cpu_per_socket,
       s.threads_per_cpu, s.num_of_sockets * s.cpu_per_socket * s.threads_per_cpu AS num_of_cpus, s.priority,
       s.lease_sd_id, s.cpu_pinning, s.cpu_pinning_policy
  FROM vm_dynamic d
  JOIN vm_static s USING (vm_guid);

COMMENT ON VIEW vms_monitoring_view IS 'VMs for monitoring, read by host when a host stops answering, otherwise by id.';

SELECT grant_to_monitoring('SELECT', 'vms_monitoring_view');
SELECT grant_reading('vms_monitoring_view');
