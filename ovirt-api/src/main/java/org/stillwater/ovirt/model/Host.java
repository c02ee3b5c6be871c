package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A host. */
public record Host(
        @Attribute String id,
        @Attribute String href,
        @Nullable Actions actions,
        String name,
        @Nullable String description,
        @Nullable String comment,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        String address,
        @Nullable String autoNumaStatus,
        @Nullable Cpu cpu,
        @Nullable String externalStatus,
        @Nullable HardwareInformation hardwareInformation,
        @Nullable HostedEngine hostedEngine,
        @Nullable Iscsi iscsi,
        @Nullable String kdumpStatus,
        @Nullable Ksm ksm,
        @Nullable Version libvirtVersion,
        @Nullable Long maxSchedulingMemory,
        @Nullable Long memory,
        Boolean networkOperationInProgress,
        @Nullable Boolean numaSupported,
        @Nullable OperatingSystem os,
        Integer port,
        PowerManagement powerManagement,
        String protocol,
        @Nullable SeLinux seLinux,
        Spm spm,
        String status,
        @Nullable String statusDetail,
        Summary summary,
        @Nullable HugePages transparentHugepages,
        String type,
        Boolean updateAvailable,
        @Nullable Version version,
        Entity cluster,
        @JsonUnwrapped Inlined inlined)
        implements Entity {
    /** Data of the firmware. */
    public record HardwareInformation(
            @Nullable String family,
            @Nullable String manufacturer,
            @Nullable String productName,
            @Nullable String serialNumber,
            @Nullable String uuid,
            @Nullable String version) {}

    /** The host as a home of the engine; only where all content is requested. */
    public record HostedEngine(
            @Nullable Boolean active,
            @Nullable Boolean configured,
            @Nullable Boolean globalMaintenance,
            @Nullable Boolean localMaintenance,
            @Nullable Integer score) {}

    /** Its name towards storage. */
    public record Iscsi(String initiator) {}

    /** Merging of equal pages. */
    public record Ksm(Boolean enabled) {}

    /** The system it runs. */
    public record OperatingSystem(
            @Nullable String customKernelCmdline,
            @Nullable String reportedKernelCmdline,
            @Nullable String type,
            @Nullable Version version) {}

    /** How its power is managed. */
    public record PowerManagement(
            Boolean automaticPmEnabled, Boolean enabled, Boolean kdumpDetection) {}

    /** {@code disabled}, {@code permissive} or {@code enforcing}. */
    public record SeLinux(String mode) {}

    /** Whether it manages storage. */
    public record Spm(Integer priority, String status) {}

    /** Numbers of its VMs. */
    public record Summary(Integer active, Integer migrating, Integer total) {}

    /** Transparent huge pages. */
    public record HugePages(Boolean enabled) {}
}
