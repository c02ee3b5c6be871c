package org.stillwater.core.host;

import java.util.Map;
import org.stillwater.core.value.Coded;

/**
 * Why a host that answers must not run VMs: codes of {@code host_dynamic.non_operational_reason}
 * (monitoring specification §3.8).
 */
public enum NonOperationalReason implements Coded {
    NONE(0, "no reason"),
    GENERAL(1, "it was declared without a specific reason"),
    CPU_TYPE_INCOMPATIBLE_WITH_CLUSTER(2, "its CPU lacks flags of the cluster's CPU type"),
    STORAGE_DOMAIN_UNREACHABLE(3, "it does not reach a storage domain"),
    NETWORK_UNREACHABLE(4, "it lacks a network that the cluster requires"),
    VERSION_INCOMPATIBLE_WITH_CLUSTER(5, "its agent does not support this engine"),
    KVM_NOT_RUNNING(6, "KVM does not work on it"),
    TIMEOUT_RECOVERING_FROM_CRASH(7, "its agent did not recover in time"),
    VM_NETWORK_IS_BRIDGELESS(8, "a network for VMs has no bridge on it"),
    GLUSTER_COMMAND_FAILED(9, "a Gluster command failed on it"),
    GLUSTER_HOST_UUID_NOT_FOUND(10, "its Gluster UUID is not known"),
    EMULATED_MACHINES_INCOMPATIBLE_WITH_CLUSTER(
            11, "it lacks the machine type that the cluster uses"),
    UNTRUSTED(12, "it is not trusted"),
    UNINITIALIZED(13, "it is not initialised"),
    CLUSTER_VERSION_INCOMPATIBLE_WITH_CLUSTER(
            14, "its agent does not support the cluster's compatibility version"),
    GLUSTER_HOST_UUID_ALREADY_EXISTS(15, "another host has its Gluster UUID"),
    ARCHITECTURE_INCOMPATIBLE_WITH_CLUSTER(16, "its architecture is not the cluster's"),
    NETWORK_INTERFACE_IS_DOWN(17, "an interface of a required network is down"),
    RNG_SOURCES_INCOMPATIBLE_WITH_CLUSTER(
            18, "it lacks a random number source that the cluster requires"),
    EMULATED_MACHINES_INCOMPATIBLE_WITH_CLUSTER_LEVEL(
            19, "it has no machine type of the cluster's compatibility version"),
    MIXING_RHEL_VERSIONS_IN_CLUSTER(
            20, "its operating system's major version is not that of the cluster's other hosts"),
    HOST_FEATURES_INCOMPATIBILE_WITH_CLUSTER(21, "it lacks a feature that the cluster requires"),
    LIBRBD_PACKAGE_NOT_AVAILABLE(22, "it lacks the package librbd1"),
    LIBVIRT_SECRETS_REGISTRATION_FAILURE(23, "libvirt secrets could not be registered on it"),
    VDS_CANNOT_CONNECT_TO_GLUSTERFS(24, "it cannot connect to GlusterFS"),
    KUBEVIRT_NOT_SCHEDULABLE(25, "KubeVirt does not schedule on it"),
    HE_HOST_IN_NON_HE_CLUSTER(26, "it is a hosted-engine host outside the hosted-engine cluster"),
    FIPS_INCOMPATIBLE_WITH_CLUSTER(27, "its FIPS mode is not the cluster's"),
    CPU_TYPE_UNSUPPORTED_IN_THIS_CLUSTER_VERSION(
            28, "the cluster's compatibility version does not support its CPU type");

    private static final Map<Integer, NonOperationalReason> BY_CODE =
            Coded.byCode(NonOperationalReason.class);

    private final int code;
    private final String clause;

    NonOperationalReason(int code, String clause) {
        this.code = code;
        this.clause = clause;
    }

    /** The constant with this database code; {@link #GENERAL} for codes from a newer schema. */
    public static NonOperationalReason ofCode(int code) {
        return BY_CODE.getOrDefault(code, GENERAL);
    }

    @Override
    public int code() {
        return code;
    }

    /** One clause for people, about "it", the host. */
    public String clause() {
        return clause;
    }
}
