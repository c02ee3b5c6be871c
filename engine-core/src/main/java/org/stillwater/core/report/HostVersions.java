package org.stillwater.core.report;

import org.jspecify.annotations.Nullable;

/**
 * The part of a host's capabilities whose change may coincide with a regression. The database keeps
 * it while no engine runs. Each member is null if the host did not report it.
 *
 * @param agent version of the host agent
 * @param revision its revision, which tells builds of one version apart
 * @param kernel the kernel's version
 * @param qemu QEMU's version
 * @param libvirt libvirt's version
 * @param bootUuid identifier of the host's boot
 */
public record HostVersions(
        @Nullable String agent,
        @Nullable String revision,
        @Nullable String kernel,
        @Nullable String qemu,
        @Nullable String libvirt,
        @Nullable String bootUuid) {

    /** Of a host that has reported nothing. */
    public static final HostVersions UNKNOWN = new HostVersions(null, null, null, null, null, null);

    /** Those that capabilities name. */
    public static HostVersions of(HostCapabilities capabilities) {
        HostCapabilities.Packages packages = capabilities.software().packages();
        return new HostVersions(
                capabilities.software().version(),
                capabilities.software().revision(),
                packages.kernel(),
                packages.qemuKvm(),
                packages.libvirt(),
                capabilities.bootUuid());
    }
}
