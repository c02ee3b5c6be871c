-- Comments of tables and columns, rewritten as plain sentences. No table changes.

COMMENT ON COLUMN vm_dynamic.exit_message IS 'Message of the host about the end of the VM. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.client_ip IS 'Address of the console client, empty without one. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.last_watchdog_action IS 'Last action of the watchdog. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.run_generation IS 'Counter of runs of the VM; with the VM the key of work that follows from a run. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.volatile_run IS 'Whether the settings of the present run end with it. Owner: engine.';

COMMENT ON TABLE pending_work IS 'Work that monitoring queued for commands, written with the state that it follows from. Open until a command takes it; kept then until the VM''s next run, so that the same conclusion is not queued twice.';
COMMENT ON COLUMN pending_work.host_id IS 'The host that it follows from, null for none; it may have been removed. Owner: engine.';
COMMENT ON COLUMN pending_work.taken_over_at IS 'When a command took it, null while it is open. Owner: engine.';
COMMENT ON COLUMN pending_work.taken_over_by IS 'The operation that took it, null while it is open. Owner: engine.';

COMMENT ON TABLE host_work IS 'Work about hosts that monitoring queued for commands, written with the condition that it follows from. Open until a command takes it; kept until the host''s next episode or a later attempt, so that the same conclusion is not queued twice.';
COMMENT ON COLUMN host_work.attempt IS '0 for work that is done once in an episode; repeated work counts from 1. Owner: engine.';
COMMENT ON COLUMN host_work.taken_over_at IS 'When a command took it, null while it is open. Owner: engine.';
COMMENT ON COLUMN host_work.taken_over_by IS 'The operation that took it, null while it is open. Owner: engine.';

COMMENT ON TABLE audit_log IS 'Messages about events, once each; appended, never changed. Partitioned by week of log_time.';
COMMENT ON COLUMN audit_log.message IS 'The message. Owner: engine.';
COMMENT ON COLUMN audit_log.vm_id IS 'The VM of the event, null for none; it may have been removed. Owner: engine.';
COMMENT ON COLUMN audit_log.vds_id IS 'The host of the event, null for none; it may have been removed. Owner: engine.';

COMMENT ON TABLE vm_external_data IS 'Data of VMs outside their disks: TPM and NVRAM. Written when a host''s hash of it changes.';
COMMENT ON TABLE vm_jobs IS 'Jobs of hosts on VMs, at present live merges. Read at the engine''s start, written on change only.';
COMMENT ON COLUMN vm_jobs.block_job_type IS 'Code of BlockJobType; 3 is a commit, which is a live merge. Owner: reported.';
COMMENT ON COLUMN vm_jobs.cursor_end IS 'Size of the work, bytes; 0 until a host reports it. Owner: reported.';
COMMENT ON COLUMN vm_jobs.image_group_id IS 'The disk, null if the host does not report it. Owner: reported.';
COMMENT ON COLUMN luns.device_size_gb IS 'Size, GiB, rounded down; 0 until a host reports it. Owner: reported, when a VM that uses it powers up.';
COMMENT ON TABLE numa_node IS 'NUMA nodes of hosts. Their load stays in memory. Written when capabilities differ.';

COMMENT ON COLUMN host_dynamic.connector_info IS 'Properties of the host for storage connectors, JSON object. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.maintenance_reason IS 'Reason given with the order for maintenance, null for none. Owner: engine.';
COMMENT ON COLUMN host_dynamic.episode IS 'Grows each time the host becomes up; with the host the key of work that follows from trouble until then. Owner: engine.';

COMMENT ON COLUMN cluster.memory_least_free_mb IS 'A host with less free memory causes an event, MiB; 0 for never. Owner: engine.';
COMMENT ON COLUMN cluster.memory_most_used_percent IS 'A host with more used memory causes an event, %; 100 for never. Owner: engine.';
COMMENT ON COLUMN cluster.hypervisor IS 'Code of the manager of its hosts: 0 VDSM, 1 XAPI. Owner: engine.';
COMMENT ON COLUMN cluster_configuration.hypervisor IS 'Code of the manager of its hosts: 0 VDSM, 1 XAPI. Owner: engine.';

COMMENT ON COLUMN history_interval.base IS 'For minutes: the completely written interval of the same hour and run; base and run identify the intervals whose rows belong together. For hours and days: the first sample in the engine''s memory, or the interval''s begin if it was computed from saved samples. Owner: engine.';
COMMENT ON COLUMN history_interval.run IS 'When its engine started to record, or the clock was set back; the epoch if it was computed from saved samples. Owner: engine.';
COMMENT ON COLUMN disk_image_dynamic.vm_guid IS 'The VM, the source of the values. Owner: engine.';
COMMENT ON TABLE dwh_history_timekeeping IS 'Exchange between engine and data warehouse: progress of the data warehouse, and signs of life of the engine; one row for each value. A data warehouse adds rows that it misses.';
COMMENT ON COLUMN dwh_history_timekeeping.var_name IS 'Name of the value: the engine writes heartBeat, the data warehouse all others. Owner: engine.';

COMMENT ON TABLE operation IS 'Requests about VMs and hosts and their results, from the moment that a request is durable. Kept for a while after its end; it may name a removed VM or host.';
COMMENT ON COLUMN operation.requested_by IS 'Origin: a user, or a component of the engine. Owner: engine.';
COMMENT ON COLUMN operation.correlation IS 'Correlation id of the request, for logs and audit. Owner: engine.';
COMMENT ON COLUMN operation.parameters IS 'Parameters of the request: an object, with its type in the member kind. It holds no secrets. Owner: engine.';
COMMENT ON COLUMN operation.step IS 'Present step, or the result: one clause for users. Owner: engine.';
COMMENT ON COLUMN operation.target_host IS 'The host that executes it, or the destination of a migration; null until chosen. The host may have been removed. Owner: engine.';

COMMENT ON TABLE vm_specification IS 'Definitions of VMs beyond the data that monitoring uses. A VM that was found on a host has none.';
COMMENT ON TABLE vm_run_definition IS 'Definitions at the begin of their runs, of VMs whose definition changed since. A row is valid while its run is that of vm_dynamic and the VM is not down.';
COMMENT ON COLUMN affinity_group.enforcing IS 'Whether a VM does not start if that would break the rule. Owner: engine.';
COMMENT ON COLUMN host_fence_agent.user_name IS 'Login name, null without a login. Owner: engine.';
COMMENT ON COLUMN vm_pool.cluster_id IS 'The cluster of its VMs. Owner: engine.';
COMMENT ON COLUMN vm_pool.stateful IS 'Whether a VM keeps the changes of its user. Owner: engine.';
COMMENT ON TABLE vm_pool_member IS 'VMs of pools, each in at most one, with their users.';
COMMENT ON COLUMN vm_pool_member.user_name IS 'Its user, null for none. Owner: engine.';

COMMENT ON TABLE user_grant IS 'Roles of users on a cluster, on a VM, or on everything if neither is named.';
COMMENT ON COLUMN api_token.user_id IS 'The user that it represents. Owner: engine.';
COMMENT ON COLUMN api_token.label IS 'Its purpose. Owner: engine.';
COMMENT ON COLUMN engine_user.must_change_password IS 'Whether the password allows nothing but its change. Owner: engine.';
COMMENT ON TABLE vm_claim IS 'Values that only one VM of a data centre may have: names and MAC addresses chosen by users.';
COMMENT ON COLUMN vm_claim.kind IS 'Code of the kind of value: 1 a name, 2 a MAC address. Owner: engine.';
COMMENT ON COLUMN host_certificate.kind IS 'Code of the accepted certificate: 0 the next one, 1 one that names the address, 2 the one with this fingerprint. Owner: engine.';
COMMENT ON COLUMN tag.description IS 'Free text, may be empty. Owner: engine.';
COMMENT ON COLUMN vm_lease.vm_guid IS 'The VM, which may have been removed before its lease is deleted; also the name of the lease. Owner: engine.';
COMMENT ON COLUMN alert.rule_id IS 'The rule, which may have been removed. Owner: engine.';
