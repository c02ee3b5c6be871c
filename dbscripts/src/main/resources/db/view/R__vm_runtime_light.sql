-- Updatable: the reported columns of vm_dynamic and its key, and no others. Monitoring changes runtime through it alone,
-- so it cannot touch what the engine decided.

DROP VIEW IF EXISTS vm_runtime_light;

CREATE VIEW vm_runtime_light AS
SELECT vm_guid, status, pause_status, exit_status, exit_reason, exit_message, acpi_enable, utc_diff, client_ip,
       current_cd, spice_ip, spice_port, spice_tls_port, vnc_ip, vnc_port, vnc_tls_port, last_watchdog_event,
       last_watchdog_action, guest_cur_user_name, session, guest_cpu_count, app_list, vm_fqdn, vm_host, guest_os,
       guestos_type, guestos_arch, guestos_kernel_version, guestos_distribution, guestos_version, guestos_codename,
       guest_timezone_name, guest_timezone_offset, guest_containers, guest_agent_nics_hash, vm_ip
  FROM vm_dynamic;

COMMENT ON VIEW vm_runtime_light IS 'Columns of VMs that hosts report. All changes by monitoring go through this view. Updatable.';

SELECT grant_to_monitoring('SELECT, INSERT, UPDATE', 'vm_runtime_light');
SELECT grant_reading('vm_runtime_light');
