-- Hosts and virtual machines. "reported" columns hold what a host said and are written by monitoring only; "engine"
-- columns hold what the engine or a user decided. Two owners, two light views (db/view), one row.

CREATE TABLE host_static (
    host_id    uuid        PRIMARY KEY,
    host_name  text        NOT NULL UNIQUE,
    address    text        NOT NULL,
    port       integer     NOT NULL CHECK (port BETWEEN 1 AND 65535),
    cluster_id uuid,
    created_at timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE host_static IS 'Hosts as defined by people. Owner: engine.';
COMMENT ON COLUMN host_static.host_id IS 'Identity, chosen when the host is added. Owner: engine.';
COMMENT ON COLUMN host_static.host_name IS 'Unique name. Owner: engine.';
COMMENT ON COLUMN host_static.address IS 'DNS name or IP address of the management interface. Owner: engine.';
COMMENT ON COLUMN host_static.port IS 'TCP port of the host agent. Owner: engine.';
COMMENT ON COLUMN host_static.cluster_id IS 'Cluster, null for none. Owner: engine.';
COMMENT ON COLUMN host_static.created_at IS 'When the host was added. Owner: engine.';

CREATE TABLE host_dynamic (
    host_id             uuid     PRIMARY KEY REFERENCES host_static ON DELETE CASCADE,
    status              smallint NOT NULL DEFAULT 0,
    cpu_model           text,
    cpu_flags           text,
    cpu_sockets         integer,
    cpu_cores           integer,
    cpu_threads         integer,
    cpu_speed_mh        bigint,
    physical_mem_mb     bigint,
    reserved_mem        bigint,
    guest_overhead      bigint,
    kvm_enabled         boolean,
    software_version    text,
    host_os             text,
    kernel_version      text,
    libvirt_version     text,
    kvm_version         text,
    supported_cluster_levels text[],
    supported_engines        text[],
    supported_emulated_machines text[],
    hardware_uuid       text,
    boot_uuid           text,
    selinux_enforce_mode integer,
    kdump_status        integer,
    iscsi_initiator_name text,
    last_client_interface text,
    hw_manufacturer     text,
    hw_product_name     text,
    hw_version          text,
    hw_serial_number    text,
    hw_uuid             text,
    hw_family           text
) WITH (fillfactor = 80);

COMMENT ON TABLE host_dynamic IS 'State of hosts, one row each. Written only when something differs.';
COMMENT ON COLUMN host_dynamic.host_id IS 'The host. Owner: engine.';
COMMENT ON COLUMN host_dynamic.status IS 'Code of HostStatus; 0 is unassigned. Owner: engine.';
COMMENT ON COLUMN host_dynamic.cpu_model IS 'Processor name. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.cpu_flags IS 'Processor flags, comma-joined. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.cpu_sockets IS 'Sockets. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.cpu_cores IS 'Cores over all sockets. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.cpu_threads IS 'Hardware threads over all sockets. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.cpu_speed_mh IS 'Nominal clock, rounded, MHz. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.physical_mem_mb IS 'Physical memory, MiB. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.reserved_mem IS 'Memory kept for the host itself, MiB. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.guest_overhead IS 'Memory overhead of each VM, MiB. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.kvm_enabled IS 'Whether KVM works. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.software_version IS 'Version of the host agent. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.host_os IS 'Operating system with version. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.kernel_version IS 'Kernel package. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.libvirt_version IS 'libvirt package. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.kvm_version IS 'qemu-kvm package. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.supported_cluster_levels IS 'Cluster compatibility levels. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.supported_engines IS 'Engine versions. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.supported_emulated_machines IS 'Machine types. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.hardware_uuid IS 'UUID of the machine. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.boot_uuid IS 'Changes with every boot. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.selinux_enforce_mode IS '1 enforcing, 0 permissive, -1 disabled. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.kdump_status IS '1 enabled, 0 disabled, -1 unknown. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.iscsi_initiator_name IS 'iSCSI initiator name. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.last_client_interface IS 'Interface through which the engine is connected. Owner: reported (capabilities).';
COMMENT ON COLUMN host_dynamic.hw_manufacturer IS 'Manufacturer. Owner: reported (hardware information).';
COMMENT ON COLUMN host_dynamic.hw_product_name IS 'Product name. Owner: reported (hardware information).';
COMMENT ON COLUMN host_dynamic.hw_version IS 'Product version. Owner: reported (hardware information).';
COMMENT ON COLUMN host_dynamic.hw_serial_number IS 'Serial number. Owner: reported (hardware information).';
COMMENT ON COLUMN host_dynamic.hw_uuid IS 'UUID by the firmware. Owner: reported (hardware information).';
COMMENT ON COLUMN host_dynamic.hw_family IS 'Product family. Owner: reported (hardware information).';

CREATE TABLE vm_static (
    vm_guid            uuid        PRIMARY KEY,
    vm_name            text        NOT NULL,
    origin             smallint    NOT NULL,
    auto_startup       boolean     NOT NULL DEFAULT false,
    mem_size_mb        integer     NOT NULL,
    min_allocated_mem  integer     NOT NULL,
    num_of_sockets     integer     NOT NULL DEFAULT 1,
    cpu_per_socket     integer     NOT NULL DEFAULT 1,
    threads_per_cpu    integer     NOT NULL DEFAULT 1,
    priority           integer     NOT NULL DEFAULT 0,
    lease_sd_id        uuid,
    cpu_pinning        text,
    cpu_pinning_policy smallint    NOT NULL DEFAULT 0,
    cluster_id         uuid,
    db_generation      bigint      NOT NULL DEFAULT 1,
    creation_date      timestamptz NOT NULL DEFAULT now()
);

COMMENT ON TABLE vm_static IS 'Virtual machines as defined by people, or as found on a host (origin EXTERNAL).';
COMMENT ON COLUMN vm_static.vm_guid IS 'Identity. Owner: engine.';
COMMENT ON COLUMN vm_static.vm_name IS 'Name; not unique, since VMs found on hosts may share one. Owner: engine.';
COMMENT ON COLUMN vm_static.origin IS 'Code of VmOrigin; 4 is external. Owner: engine.';
COMMENT ON COLUMN vm_static.auto_startup IS 'Highly available: started again after a failure. Owner: engine.';
COMMENT ON COLUMN vm_static.mem_size_mb IS 'Configured memory, MiB. Owner: engine.';
COMMENT ON COLUMN vm_static.min_allocated_mem IS 'Memory that ballooning may not go below, MiB. Owner: engine.';
COMMENT ON COLUMN vm_static.num_of_sockets IS 'CPU sockets. Owner: engine.';
COMMENT ON COLUMN vm_static.cpu_per_socket IS 'Cores per socket. Owner: engine.';
COMMENT ON COLUMN vm_static.threads_per_cpu IS 'Threads per core. Owner: engine.';
COMMENT ON COLUMN vm_static.priority IS 'Higher is restarted first. Owner: engine.';
COMMENT ON COLUMN vm_static.lease_sd_id IS 'Storage domain of the VM''s lease, null for none. Owner: engine.';
COMMENT ON COLUMN vm_static.cpu_pinning IS 'Pinning of virtual to physical CPUs, null for none. Owner: engine.';
COMMENT ON COLUMN vm_static.cpu_pinning_policy IS 'How pinning is chosen; 0 is none. Owner: engine.';
COMMENT ON COLUMN vm_static.cluster_id IS 'Cluster, null for none. Owner: engine.';
COMMENT ON COLUMN vm_static.db_generation IS 'Counts changes of definition and devices. Owner: engine.';
COMMENT ON COLUMN vm_static.creation_date IS 'When the row was made. Owner: engine.';

-- Rows change often and in unindexed columns mostly: room on each page keeps such updates heap-only.
CREATE TABLE vm_dynamic (
    vm_guid                uuid     PRIMARY KEY REFERENCES vm_static ON DELETE CASCADE,
    status                 smallint NOT NULL DEFAULT 0,
    pause_status           smallint NOT NULL DEFAULT 0,
    exit_status            smallint NOT NULL DEFAULT 0,
    exit_reason            smallint NOT NULL DEFAULT -1,
    exit_message           text,
    acpi_enable            boolean  DEFAULT true,
    utc_diff               integer,
    client_ip              text,
    current_cd             text,
    spice_ip               text,
    spice_port             integer,
    spice_tls_port         integer,
    vnc_ip                 text,
    vnc_port               integer,
    vnc_tls_port           integer,
    last_watchdog_event    bigint,
    last_watchdog_action   text,
    guest_cur_user_name    text,
    session                smallint NOT NULL DEFAULT 0,
    guest_cpu_count        integer,
    app_list               text,
    vm_fqdn                text,
    vm_host                text,
    guest_os               text,
    guestos_type           text     DEFAULT 'Other',
    guestos_arch           text,
    guestos_kernel_version text,
    guestos_distribution   text,
    guestos_version        text,
    guestos_codename       text,
    guest_timezone_name    text,
    guest_timezone_offset  integer,
    guest_containers       text,
    guest_agent_nics_hash  bigint   NOT NULL DEFAULT 0,
    vm_ip                  text,

    run_on_vds             uuid     REFERENCES host_static,
    migrating_to_vds       uuid     REFERENCES host_static,
    last_start_time        timestamptz,
    last_stop_time         timestamptz,
    boot_time              timestamptz,
    downtime               bigint,
    reason                 text,
    is_run_once            boolean  NOT NULL DEFAULT false,
    console_cur_user_name  text,
    console_user_id        uuid,
    runtime_name           text,

    hash                   text     NOT NULL DEFAULT ''
) WITH (fillfactor = 80);

CREATE INDEX idx_vm_dynamic_run_on_vds ON vm_dynamic (run_on_vds);
CREATE INDEX idx_vm_dynamic_migrating_to_vds ON vm_dynamic (migrating_to_vds) WHERE migrating_to_vds IS NOT NULL;

COMMENT ON TABLE vm_dynamic IS 'Runtime and placement of VMs, one row each. Changed columns of changed rows are written, through vm_runtime_light, vm_placement_light and vm_device_hash_light only.';
COMMENT ON COLUMN vm_dynamic.vm_guid IS 'The VM. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.status IS 'Code of VmStatus; 0 is down. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.pause_status IS 'Code of PauseStatus; 0 is none. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.exit_status IS 'Code of ExitStatus; 0 is normal. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.exit_reason IS 'Code of ExitReason; -1 is unknown. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.exit_message IS 'What the host said when the VM ended. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.acpi_enable IS 'Whether the guest has ACPI. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.utc_diff IS 'Offset of the guest''s real-time clock, s. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.client_ip IS 'Address of the console client, empty for nobody. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.current_cd IS 'Base name of the inserted CD image. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.spice_ip IS 'Address of the SPICE console. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.spice_port IS 'TCP port of the SPICE console. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.spice_tls_port IS 'TLS port of the SPICE console. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.vnc_ip IS 'Address of the VNC console. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.vnc_port IS 'TCP port of the VNC console. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.vnc_tls_port IS 'TLS port of the VNC console. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.last_watchdog_event IS 'Time of the last watchdog event, s since the epoch. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.last_watchdog_action IS 'What the watchdog did. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guest_cur_user_name IS 'User logged in inside the guest. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.session IS 'Code of GuestSession; 0 is unknown. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guest_cpu_count IS 'CPUs that the guest uses. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.app_list IS 'Applications in the guest, comma-joined. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.vm_fqdn IS 'Full host name of the guest. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.vm_host IS 'Host name of the guest. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guest_os IS 'Operating system of the guest; kept when the VM stops. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guestos_type IS 'Kind of operating system: Linux, Windows, Other. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guestos_arch IS 'Architecture of the guest system. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guestos_kernel_version IS 'Kernel version of the guest. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guestos_distribution IS 'Distribution in the guest. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guestos_version IS 'Version of the guest system. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guestos_codename IS 'Code name of the guest system. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guest_timezone_name IS 'Time zone of the guest. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guest_timezone_offset IS 'Offset of the guest''s time zone, min. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guest_containers IS 'Containers in the guest, JSON text in the order reported. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.guest_agent_nics_hash IS '64-bit digest of the reported guest interfaces, 0 for none reported. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.vm_ip IS 'Addresses of the guest, space-joined, derived from its interfaces. Owner: reported.';
COMMENT ON COLUMN vm_dynamic.run_on_vds IS 'Host responsible for the VM, null when it runs nowhere. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.migrating_to_vds IS 'Destination of a migration in flight. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.last_start_time IS 'When the engine last saw the VM begin to run. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.last_stop_time IS 'When the engine last saw the VM stop. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.boot_time IS 'When the run command last booted the VM. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.downtime IS 'Time the guest stood still since boot, ms. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.reason IS 'Why a user stopped the VM. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.is_run_once IS 'Started with a one-time configuration. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.console_cur_user_name IS 'User who holds the console. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.console_user_id IS 'Identity of the user who holds the console. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.runtime_name IS 'Name that the emulator runs with. Owner: engine.';
COMMENT ON COLUMN vm_dynamic.hash IS 'The host''s token for the stored set of devices, empty for none. Owner: reported, written with the devices.';

CREATE TABLE vm_device (
    device_id    uuid    NOT NULL,
    vm_id        uuid    NOT NULL REFERENCES vm_static ON DELETE CASCADE,
    type         text    NOT NULL,
    device       text    NOT NULL,
    address      text    NOT NULL DEFAULT '',
    alias        text    NOT NULL DEFAULT '',
    is_managed   boolean NOT NULL,
    is_plugged   boolean NOT NULL,
    is_readonly  boolean NOT NULL DEFAULT false,
    logical_name text,
    PRIMARY KEY (vm_id, device_id)
);

COMMENT ON TABLE vm_device IS 'Devices of VMs; touched only when the host''s device token changes.';
COMMENT ON COLUMN vm_device.device_id IS 'Identity of the device. Owner: engine.';
COMMENT ON COLUMN vm_device.vm_id IS 'The VM. Owner: engine.';
COMMENT ON COLUMN vm_device.type IS 'General type: disk, interface, video, graphics, controller. Owner: engine.';
COMMENT ON COLUMN vm_device.device IS 'Device name: disk, cdrom, bridge, vnc. Owner: engine.';
COMMENT ON COLUMN vm_device.address IS 'Bus address as text, empty for none. Owner: reported.';
COMMENT ON COLUMN vm_device.alias IS 'libvirt alias, empty for none. Owner: reported.';
COMMENT ON COLUMN vm_device.is_managed IS 'Created by the engine; false for a device found on the host. Owner: engine.';
COMMENT ON COLUMN vm_device.is_plugged IS 'Whether the guest sees it. Owner: reported.';
COMMENT ON COLUMN vm_device.is_readonly IS 'Whether the guest may not write to it. Owner: reported.';
COMMENT ON COLUMN vm_device.logical_name IS 'Name inside the guest. Owner: reported.';

CREATE TABLE vm_interface (
    id              uuid    PRIMARY KEY,
    vm_guid         uuid    NOT NULL REFERENCES vm_static ON DELETE CASCADE,
    name            text    NOT NULL,
    mac_addr        text    NOT NULL,
    vnic_profile_id uuid,
    speed           integer NOT NULL,
    nic_index       integer NOT NULL DEFAULT 0
);

CREATE INDEX idx_vm_interface_vm_guid ON vm_interface (vm_guid);

COMMENT ON TABLE vm_interface IS 'Network interfaces in the definition of VMs.';
COMMENT ON COLUMN vm_interface.id IS 'Identity. Owner: engine.';
COMMENT ON COLUMN vm_interface.vm_guid IS 'The VM. Owner: engine.';
COMMENT ON COLUMN vm_interface.name IS 'Name in the definition. Owner: engine.';
COMMENT ON COLUMN vm_interface.mac_addr IS 'MAC address, lower case with colons. Owner: engine.';
COMMENT ON COLUMN vm_interface.vnic_profile_id IS 'vNIC profile, null for none. Owner: engine.';
COMMENT ON COLUMN vm_interface.speed IS 'Nominal speed, Mbit/s; the base of usage percentages. Owner: engine.';
COMMENT ON COLUMN vm_interface.nic_index IS 'Position in the definition. Owner: engine.';

CREATE TABLE vm_interface_statistics (
    id           uuid PRIMARY KEY REFERENCES vm_interface ON DELETE CASCADE,
    rx_rate      numeric(24, 4),
    tx_rate      numeric(24, 4),
    rx_drop      numeric(20),
    tx_drop      numeric(20),
    rx_total     numeric(20),
    tx_total     numeric(20),
    rx_offset    numeric(20),
    tx_offset    numeric(20),
    iface_status smallint NOT NULL DEFAULT 0,
    sample_time  double precision
);

COMMENT ON TABLE vm_interface_statistics IS 'Samples of VM interfaces on a long interval; never written by a statistics cycle.';
COMMENT ON COLUMN vm_interface_statistics.id IS 'The interface. Owner: engine.';
COMMENT ON COLUMN vm_interface_statistics.rx_rate IS 'Received, percent of the speed. Owner: reported.';
COMMENT ON COLUMN vm_interface_statistics.tx_rate IS 'Sent, percent of the speed. Owner: reported.';
COMMENT ON COLUMN vm_interface_statistics.rx_drop IS 'Received packets dropped. Owner: reported.';
COMMENT ON COLUMN vm_interface_statistics.tx_drop IS 'Sent packets dropped. Owner: reported.';
COMMENT ON COLUMN vm_interface_statistics.rx_total IS 'Received, bytes, across counter resets. Owner: reported.';
COMMENT ON COLUMN vm_interface_statistics.tx_total IS 'Sent, bytes, across counter resets. Owner: reported.';
COMMENT ON COLUMN vm_interface_statistics.rx_offset IS 'Added to the host''s receive counter, bytes. Owner: engine.';
COMMENT ON COLUMN vm_interface_statistics.tx_offset IS 'Added to the host''s send counter, bytes. Owner: engine.';
COMMENT ON COLUMN vm_interface_statistics.iface_status IS '0 none, 1 up, 2 down. Owner: reported.';
COMMENT ON COLUMN vm_interface_statistics.sample_time IS 'Host time of the sample, s. Owner: reported.';

CREATE TABLE vm_guest_agent_interfaces (
    vm_guid        uuid    NOT NULL REFERENCES vm_static ON DELETE CASCADE,
    nic_index      integer NOT NULL,
    interface_name text    NOT NULL,
    mac_addr       text    NOT NULL,
    ipv4_addresses text[]  NOT NULL DEFAULT '{}',
    ipv6_addresses text[]  NOT NULL DEFAULT '{}',
    PRIMARY KEY (vm_guid, nic_index)
);

COMMENT ON TABLE vm_guest_agent_interfaces IS 'Network interfaces as guests see them; replaced as a whole per VM when their digest changes.';
COMMENT ON COLUMN vm_guest_agent_interfaces.vm_guid IS 'The VM. Owner: engine.';
COMMENT ON COLUMN vm_guest_agent_interfaces.nic_index IS 'Position in the report. Owner: reported.';
COMMENT ON COLUMN vm_guest_agent_interfaces.interface_name IS 'Name inside the guest. Owner: reported.';
COMMENT ON COLUMN vm_guest_agent_interfaces.mac_addr IS 'MAC address, lower case with colons. Owner: reported.';
COMMENT ON COLUMN vm_guest_agent_interfaces.ipv4_addresses IS 'IPv4 addresses as reported. Owner: reported.';
COMMENT ON COLUMN vm_guest_agent_interfaces.ipv6_addresses IS 'IPv6 addresses as reported, zone included. Owner: reported.';

CREATE TABLE vm_statistics (
    vm_guid               uuid PRIMARY KEY REFERENCES vm_static ON DELETE CASCADE,
    cpu_user              double precision,
    cpu_sys               double precision,
    elapsed_time          bigint,
    usage_cpu_percent     smallint,
    usage_mem_percent     smallint,
    usage_network_percent smallint,
    disks_usage           text,
    guest_mem_buffered    bigint,
    guest_mem_cached      bigint,
    _update_date          timestamptz
) WITH (fillfactor = 80);

COMMENT ON TABLE vm_statistics IS 'Samples of VM statistics on a long interval, for history; never written by a statistics cycle.';
COMMENT ON COLUMN vm_statistics.vm_guid IS 'The VM. Owner: engine.';
COMMENT ON COLUMN vm_statistics.cpu_user IS 'User CPU, percent of one core summed over virtual CPUs. Owner: reported.';
COMMENT ON COLUMN vm_statistics.cpu_sys IS 'System CPU, percent of one core summed over virtual CPUs. Owner: reported.';
COMMENT ON COLUMN vm_statistics.elapsed_time IS 'Uptime of the guest, s. Owner: reported.';
COMMENT ON COLUMN vm_statistics.usage_cpu_percent IS 'CPU usage, 0 to 100. Owner: engine, computed.';
COMMENT ON COLUMN vm_statistics.usage_mem_percent IS 'Memory usage, 0 to 100; 0 when the agent is down. Owner: reported.';
COMMENT ON COLUMN vm_statistics.usage_network_percent IS 'Network usage, 0 to 100. Owner: engine, computed.';
COMMENT ON COLUMN vm_statistics.disks_usage IS 'File systems of the guest, JSON text. Owner: reported.';
COMMENT ON COLUMN vm_statistics.guest_mem_buffered IS 'Buffers of the guest, KiB. Owner: reported.';
COMMENT ON COLUMN vm_statistics.guest_mem_cached IS 'Page cache of the guest, KiB. Owner: reported.';
COMMENT ON COLUMN vm_statistics._update_date IS 'When the sample was written. Owner: engine.';
