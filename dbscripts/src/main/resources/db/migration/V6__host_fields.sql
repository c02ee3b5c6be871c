-- What hosts report about themselves, in full, and samples of how they fare for readers outside the engine.

ALTER TABLE host_dynamic
    ADD COLUMN online_cpus                text,
    ADD COLUMN cpu_topology               text,
    ADD COLUMN vdsm_cpus_affinity         text,
    ADD COLUMN tsc_frequency              bigint,
    ADD COLUMN tsc_scaling                boolean,
    ADD COLUMN auto_numa_balancing        integer,
    ADD COLUMN version_name               text,
    ADD COLUMN software_revision          text,
    ADD COLUMN host_os_name               text,
    ADD COLUMN host_os_version            text,
    ADD COLUMN host_os_release            text,
    ADD COLUMN kernel_args                text,
    ADD COLUMN rpm_version                text,
    ADD COLUMN librbd1_version            text,
    ADD COLUMN glusterfs_version          text,
    ADD COLUMN glusterfs_cli_version      text,
    ADD COLUMN spice_version              text,
    ADD COLUMN openvswitch_version        text,
    ADD COLUMN nmstate_version            text,
    ADD COLUMN supported_rng_sources      text[],
    ADD COLUMN additional_features        text[],
    ADD COLUMN supported_domain_versions  text,
    ADD COLUMN supported_block_size       text,
    ADD COLUMN live_snapshot              boolean,
    ADD COLUMN live_merge                 boolean,
    ADD COLUMN hostdev_passthrough        boolean,
    ADD COLUMN backup_enabled             boolean,
    ADD COLUMN cold_backup_enabled        boolean,
    ADD COLUMN clear_bitmaps_enabled      boolean,
    ADD COLUMN cd_change_pdiv             boolean,
    ADD COLUMN hosted_engine_deployed     boolean,
    ADD COLUMN fips_enabled               boolean,
    ADD COLUMN vnc_encrypted              boolean,
    ADD COLUMN kernel_features            text,
    ADD COLUMN hba_inventory              text,
    ADD COLUMN connector_info             text,
    ADD COLUMN networks                   text,
    ADD COLUMN nics                       text,
    ADD COLUMN bonds                      text,
    ADD COLUMN vlans                      text,
    ADD COLUMN bridges                    text,
    ADD COLUMN name_servers               text[],
    ADD COLUMN ovn_configured             boolean,
    ADD COLUMN net_config_dirty           boolean,
    ADD COLUMN openstack_binding_host_ids text,
    ADD COLUMN hooks                      text;

COMMENT ON COLUMN host_dynamic.online_cpus IS 'Numbers of the processors on line, JSON list. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.cpu_topology IS 'NUMA node, socket, die and core of each processor, JSON list. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.vdsm_cpus_affinity IS 'Numbers of the processors that the host agent is bound to, JSON list. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.tsc_frequency IS 'Frequency of the time-stamp counter, Hz. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.tsc_scaling IS 'Whether guests may have another time-stamp frequency. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.auto_numa_balancing IS '0 off, 1 on, 2 not known to the host. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.version_name IS 'Name of the host agent''s release. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.software_revision IS 'Revision of the host agent. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.host_os_name IS 'Name of the operating system. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.host_os_version IS 'Version of the operating system. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.host_os_release IS 'Release of the operating system. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.kernel_args IS 'Kernel command line. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.rpm_version IS 'vdsm package. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.librbd1_version IS 'librbd1 package. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.glusterfs_version IS 'glusterfs package. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.glusterfs_cli_version IS 'glusterfs-cli package. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.spice_version IS 'spice-server package. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.openvswitch_version IS 'openvswitch package. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.nmstate_version IS 'nmstate package. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.supported_rng_sources IS 'Sources of randomness for guests. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.additional_features IS 'Optional features that are present. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.supported_domain_versions IS 'Versions of storage domains, JSON list. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.supported_block_size IS 'Block sizes by type of storage, bytes, JSON object. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.live_snapshot IS 'Whether running VMs can have snapshots taken. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.live_merge IS 'Whether snapshots of running VMs can be merged. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.hostdev_passthrough IS 'Whether devices of the host can be handed to VMs. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.backup_enabled IS 'Whether running VMs can be backed up. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.cold_backup_enabled IS 'Whether VMs that are down can be backed up. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.clear_bitmaps_enabled IS 'Whether backup bitmaps can be cleared. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.cd_change_pdiv IS 'Whether a CD can be changed by naming drive and storage. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.hosted_engine_deployed IS 'Whether the engine may run on the host as a VM. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.fips_enabled IS 'Whether only approved cryptography is used. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.vnc_encrypted IS 'Whether VNC consoles are encrypted. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.kernel_features IS 'State of the kernel''s mitigations by name, JSON object. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.hba_inventory IS 'iSCSI initiators and Fibre Channel ports, JSON object. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.connector_info IS 'What storage connectors need to know of the host, JSON object. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.networks IS 'Attached networks by name, JSON object. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.nics IS 'Network cards by name, JSON object. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.bonds IS 'Bonds by name, JSON object. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.vlans IS 'VLAN interfaces by name, JSON object. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.bridges IS 'Bridges by name, JSON object. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.name_servers IS 'DNS servers. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.ovn_configured IS 'Whether the host takes part in software-defined networks. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.net_config_dirty IS 'Whether the network configuration in force is not the saved one. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.openstack_binding_host_ids IS 'Names of the host for external network providers, JSON object. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.hooks IS 'Checksums of hook scripts by hook point and script, JSON object. Owner: reported (capabilities).';

CREATE TABLE host_statistics (
    host_id uuid PRIMARY KEY REFERENCES host_static ON DELETE CASCADE,
    cpu_user                    double precision,
    cpu_sys                     double precision,
    cpu_idle                    double precision,
    cpu_load                    double precision,
    usage_cpu_percent           smallint,
    usage_mem_percent           smallint,
    usage_network_percent       smallint,
    mem_free                    bigint,
    mem_shared                  bigint,
    swap_free                   bigint,
    swap_total                  bigint,
    anonymous_hugepages         bigint,
    transparent_hugepages_state text,
    ksm_cpu_percent             integer,
    ksm_pages                   bigint,
    ksm_state                   boolean,
    boot_time                   bigint,
    vm_count                    integer,
    vm_active                   integer,
    vm_migrating                integer,
    incoming_migrations         integer,
    outgoing_migrations         integer,
    net_config_dirty            boolean,
    ha_score                    integer,
    ha_configured               boolean,
    ha_active                   boolean,
    ha_global_maintenance       boolean,
    ha_local_maintenance        boolean,
    _update_date                timestamptz
) WITH (fillfactor = 80);

COMMENT ON TABLE host_statistics IS 'Samples of host statistics on a long interval, for history; never written by a statistics cycle.';
COMMENT ON COLUMN host_statistics.host_id IS 'The host. Owner: engine.';
COMMENT ON COLUMN host_statistics.cpu_user IS 'User CPU of the whole host, percent. Owner: reported.';
COMMENT ON COLUMN host_statistics.cpu_sys IS 'System CPU of the whole host, percent. Owner: reported.';
COMMENT ON COLUMN host_statistics.cpu_idle IS 'Idle CPU of the whole host, percent. Owner: reported.';
COMMENT ON COLUMN host_statistics.cpu_load IS 'Five-minute load average times 100. Owner: reported.';
COMMENT ON COLUMN host_statistics.usage_cpu_percent IS 'CPU usage, 0 to 100. Owner: engine, computed.';
COMMENT ON COLUMN host_statistics.usage_mem_percent IS 'Memory usage, 0 to 100. Owner: engine, computed.';
COMMENT ON COLUMN host_statistics.usage_network_percent IS 'Usage of the busiest interface, 0 to 100. Owner: engine, computed.';
COMMENT ON COLUMN host_statistics.mem_free IS 'Memory available for VMs, MiB. Owner: reported.';
COMMENT ON COLUMN host_statistics.mem_shared IS 'Memory merged by KSM, MiB. Owner: reported.';
COMMENT ON COLUMN host_statistics.swap_free IS 'Free swap space, MiB. Owner: reported.';
COMMENT ON COLUMN host_statistics.swap_total IS 'Swap space, MiB. Owner: reported.';
COMMENT ON COLUMN host_statistics.anonymous_hugepages IS 'Transparent huge pages in use, MiB. Owner: reported.';
COMMENT ON COLUMN host_statistics.transparent_hugepages_state IS 'When transparent huge pages are used: always, madvise or never. Owner: reported.';
COMMENT ON COLUMN host_statistics.ksm_cpu_percent IS 'CPU used by KSM, percent. Owner: reported.';
COMMENT ON COLUMN host_statistics.ksm_pages IS 'Pages that KSM merges per pass. Owner: reported.';
COMMENT ON COLUMN host_statistics.ksm_state IS 'Whether KSM runs. Owner: reported.';
COMMENT ON COLUMN host_statistics.boot_time IS 'When the host booted, s since the epoch. Owner: reported.';
COMMENT ON COLUMN host_statistics.vm_count IS 'VMs on the host. Owner: reported.';
COMMENT ON COLUMN host_statistics.vm_active IS 'Running VMs. Owner: reported.';
COMMENT ON COLUMN host_statistics.vm_migrating IS 'Migrating VMs. Owner: reported.';
COMMENT ON COLUMN host_statistics.incoming_migrations IS 'Migrations towards the host, -1 when not reported. Owner: reported.';
COMMENT ON COLUMN host_statistics.outgoing_migrations IS 'Migrations away from the host, -1 when not reported. Owner: reported.';
COMMENT ON COLUMN host_statistics.net_config_dirty IS 'Whether the network configuration in force is not the saved one. Owner: reported.';
COMMENT ON COLUMN host_statistics.ha_score IS 'Score of the host as home of the hosted engine. Owner: reported.';
COMMENT ON COLUMN host_statistics.ha_configured IS 'Whether the hosted engine''s agent is set up. Owner: reported.';
COMMENT ON COLUMN host_statistics.ha_active IS 'Whether the hosted engine''s agent runs. Owner: reported.';
COMMENT ON COLUMN host_statistics.ha_global_maintenance IS 'Whether the hosted engine is in maintenance everywhere. Owner: reported.';
COMMENT ON COLUMN host_statistics.ha_local_maintenance IS 'Whether the hosted engine''s agent is in maintenance here. Owner: reported.';
COMMENT ON COLUMN host_statistics._update_date IS 'When the sample was written. Owner: engine.';

CREATE TABLE host_interface_statistics (
    host_id      uuid NOT NULL REFERENCES host_static ON DELETE CASCADE,
    name         text NOT NULL,
    rx_rate      numeric(24, 4),
    tx_rate      numeric(24, 4),
    rx_drop      numeric(20),
    tx_drop      numeric(20),
    rx_total     numeric(20),
    tx_total     numeric(20),
    rx_offset    numeric(20),
    tx_offset    numeric(20),
    iface_status smallint,
    sample_time  double precision,
    PRIMARY KEY (host_id, name)
) WITH (fillfactor = 80);

COMMENT ON TABLE host_interface_statistics IS 'Samples of host interfaces on a long interval; never written by a statistics cycle.';
COMMENT ON COLUMN host_interface_statistics.host_id IS 'The host. Owner: engine.';
COMMENT ON COLUMN host_interface_statistics.name IS 'Name of the interface on its host. Owner: reported.';
COMMENT ON COLUMN host_interface_statistics.rx_rate IS 'Received, percent of the speed. Owner: reported.';
COMMENT ON COLUMN host_interface_statistics.tx_rate IS 'Sent, percent of the speed. Owner: reported.';
COMMENT ON COLUMN host_interface_statistics.rx_drop IS 'Received packets dropped. Owner: reported.';
COMMENT ON COLUMN host_interface_statistics.tx_drop IS 'Sent packets dropped. Owner: reported.';
COMMENT ON COLUMN host_interface_statistics.rx_total IS 'Received, bytes, across counter resets. Owner: reported.';
COMMENT ON COLUMN host_interface_statistics.tx_total IS 'Sent, bytes, across counter resets. Owner: reported.';
COMMENT ON COLUMN host_interface_statistics.rx_offset IS 'Added to the host''s receive counter, bytes. Owner: engine.';
COMMENT ON COLUMN host_interface_statistics.tx_offset IS 'Added to the host''s send counter, bytes. Owner: engine.';
COMMENT ON COLUMN host_interface_statistics.iface_status IS '0 none, 1 up, 2 down. Owner: reported.';
COMMENT ON COLUMN host_interface_statistics.sample_time IS 'Host time of the sample, s since the epoch. Owner: reported.';
