package org.stillwater.server.metrics;

/** Names of labels, encoded once. */
final class Label {

    static final byte[] ID = Exposition.bytes("id");
    static final byte[] NAME = Exposition.bytes("name");
    static final byte[] STATUS = Exposition.bytes("status");
    static final byte[] ADDRESS = Exposition.bytes("address");
    static final byte[] HOST = Exposition.bytes("host");
    static final byte[] HOST_ID = Exposition.bytes("host_id");
    static final byte[] CLUSTER = Exposition.bytes("cluster");
    static final byte[] CLUSTER_ID = Exposition.bytes("cluster_id");
    static final byte[] NIC = Exposition.bytes("nic");
    static final byte[] MAC = Exposition.bytes("mac");
    static final byte[] DISK = Exposition.bytes("disk");
    static final byte[] DISK_ID = Exposition.bytes("disk_id");
    static final byte[] DISK_NAME = Exposition.bytes("disk_name");
    static final byte[] DISK_ALIAS = Exposition.bytes("disk_alias");
    static final byte[] DISK_LOGICAL_NAME = Exposition.bytes("disk_logical_name");
    static final byte[] STORAGE_DOMAIN = Exposition.bytes("storage_domain");
    static final byte[] TYPE = Exposition.bytes("type");
    static final byte[] PATH = Exposition.bytes("path");

    private Label() {}
}
