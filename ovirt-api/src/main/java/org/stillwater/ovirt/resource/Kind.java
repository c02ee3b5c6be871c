package org.stillwater.ovirt.resource;

/**
 * Kinds of entities, with the names of appendix C: the segment of the path, the root element of a
 * collection, the element of an item, and the element of a collection that an answer nests in its
 * parent.
 */
public enum Kind {
    VM("vms", "vms", "vm"),
    HOST("hosts", "hosts", "host"),
    CLUSTER("clusters", "clusters", "cluster"),
    DATA_CENTER("datacenters", "data_centers", "data_center"),
    DISK("disks", "disks", "disk"),
    EVENT("events", "events", "event"),
    JOB("jobs", "jobs", "job"),
    STEP("steps", "steps", "step"),
    STORAGE_DOMAIN("storagedomains", "storage_domains", "storage_domain"),
    TEMPLATE("templates", "templates", "template"),
    NETWORK("networks", "networks", "network"),
    VNIC_PROFILE("vnicprofiles", "vnic_profiles", "vnic_profile"),
    VM_POOL("vmpools", "vm_pools", "vm_pool"),
    USER("users", "users", "user"),
    GROUP("groups", "groups", "group"),
    DOMAIN("domains", "domains", "domain"),
    ROLE("roles", "roles", "role"),
    PERMIT("permits", "permits", "permit"),
    PERMISSION("permissions", "permissions", "permission"),
    TAG("tags", "tags", "tag"),
    BOOKMARK("bookmarks", "bookmarks", "bookmark"),
    ICON("icons", "icons", "icon"),
    OPERATING_SYSTEM("operatingsystems", "operation_systems", "operating_system"),
    OPTION("options", "system_options", "system_option"),
    INSTANCE_TYPE("instancetypes", "instance_types", "instance_type"),
    CLUSTER_LEVEL("clusterlevels", "cluster_levels", "cluster_level"),
    MAC_POOL("macpools", "mac_pools", "mac_pool"),
    AFFINITY_LABEL("affinitylabels", "affinity_labels", "affinity_label"),
    AFFINITY_GROUP("affinitygroups", "affinity_groups", "affinity_group"),
    NETWORK_FILTER("networkfilters", "network_filters", "network_filter"),
    SCHEDULING_POLICY("schedulingpolicies", "scheduling_policies", "scheduling_policy"),
    SCHEDULING_POLICY_UNIT(
            "schedulingpolicyunits", "scheduling_policy_units", "scheduling_policy_unit"),
    STORAGE_CONNECTION("storageconnections", "storage_connections", "storage_connection"),
    DISK_PROFILE("diskprofiles", "disk_profiles", "disk_profile"),
    CPU_PROFILE("cpuprofiles", "cpu_profiles", "cpu_profile"),
    IMAGE_TRANSFER("imagetransfers", "image_transfers", "image_transfer"),
    EXTERNAL_HOST_PROVIDER(
            "externalhostproviders", "external_host_providers", "external_host_provider"),
    OPENSTACK_NETWORK_PROVIDER(
            "openstacknetworkproviders",
            "openstack_network_providers",
            "openstack_network_provider"),
    STATISTIC("statistics", "statistics", "statistic"),
    NIC("nics", "nics", "nic"),
    REPORTED_DEVICE("reporteddevices", "reported_devices", "reported_device"),
    DISK_ATTACHMENT("diskattachments", "disk_attachments", "disk_attachment"),
    SNAPSHOT("snapshots", "snapshots", "snapshot"),
    GRAPHICS_CONSOLE("graphicsconsoles", "graphics_consoles", "graphics_console"),
    CDROM("cdroms", "cdroms", "cdrom"),
    APPLICATION("applications", "applications", "application"),
    SESSION("sessions", "sessions", "session"),
    WATCHDOG("watchdogs", "watchdogs", "watchdog"),
    VM_NUMA_NODE("numanodes", "vm_numa_nodes", "vm_numa_node", "numa_nodes"),
    VM_HOST_DEVICE("hostdevices", "host_devices", "host_device"),
    MEDIATED_DEVICE("mediateddevices", "vm_mediated_devices", "vm_mediated_device"),
    BACKUP("backups", "backups", "backup"),
    CHECKPOINT("checkpoints", "checkpoints", "checkpoint"),
    KATELLO_ERRATUM("katelloerrata", "katello_errata", "katello_erratum"),
    HOST_NIC("nics", "host_nics", "host_nic", "nics"),
    HOST_NUMA_NODE("numanodes", "host_numa_nodes", "host_numa_node", "numa_nodes"),
    HOST_DEVICE("devices", "host_devices", "host_device", "devices"),
    HOOK("hooks", "hooks", "hook"),
    HOST_STORAGE("storage", "host_storages", "host_storage", "host_storages"),
    FENCE_AGENT("fenceagents", "agents", "agent", "agents"),
    NETWORK_ATTACHMENT("networkattachments", "network_attachments", "network_attachment"),
    UNMANAGED_NETWORK("unmanagednetworks", "unmanaged_networks", "unmanaged_network"),
    QUOTA("quotas", "quotas", "quota"),
    QOS("qoss", "qoss", "qos"),
    ISCSI_BOND("iscsibonds", "iscsi_bonds", "iscsi_bond"),
    FILE("files", "files", "file"),
    GLUSTER_VOLUME("glustervolumes", "gluster_volumes", "gluster_volume"),
    ENABLED_FEATURE("enabledfeatures", "cluster_features", "cluster_feature", "enabled_features"),
    EVENT_SUBSCRIPTION("eventsubscriptions", "event_subscriptions", "event_subscription"),
    USER_OPTION("options", "user_options", "user_option"),
    SSH_KEY("sshpublickeys", "ssh_public_keys", "ssh_public_key"),
    NETWORK_LABEL("networklabels", "network_labels", "network_label"),
    NETWORK_FILTER_PARAMETER(
            "networkfilterparameters", "network_filter_parameters", "network_filter_parameter"),
    RNG_SOURCE("rngsources", "rng_sources", "rng_source"),
    PAYLOAD("payloads", "payloads", "payload");

    private final String path;
    private final String root;
    private final String item;
    private final String element;
    private final String step;

    Kind(String path, String root, String item) {
        this(path, root, item, root);
    }

    Kind(String path, String root, String item, String element) {
        this.path = path;
        this.root = root;
        this.item = item;
        this.element = element;
        this.step = Follow.plain(element);
    }

    /** Segment of the path; also the link's name. */
    public String path() {
        return path;
    }

    /** Root element of a collection. */
    public String root() {
        return root;
    }

    /** Element of an item. */
    public String item() {
        return item;
    }

    /** Element of the collection in its parent. */
    public String element() {
        return element;
    }

    /** That element as a step of {@code follow}. */
    String step() {
        return step;
    }
}
