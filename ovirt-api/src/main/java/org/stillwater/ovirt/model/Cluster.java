package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Hosts among which VMs move. */
public record Cluster(
        @Attribute String id,
        @Attribute String href,
        String name,
        @Nullable String description,
        @Nullable String comment,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        Boolean ballooningEnabled,
        String biosType,
        @Nullable Cpu cpu,
        MemoryPolicy memoryPolicy,
        Migration migration,
        ErrorHandling errorHandling,
        FencingPolicy fencingPolicy,
        Boolean glusterService,
        Boolean haReservation,
        Boolean threadsAsCores,
        Boolean trustedService,
        Boolean tunnelMigration,
        Boolean virtService,
        @Nullable String switchType,
        String fipsMode,
        Ksm ksm,
        Boolean maintenanceReasonRequired,
        Boolean optionalReason,
        Listing<String> requiredRngSources,
        Version version,
        Entity dataCenter,
        @Nullable Entity macPool,
        Entity schedulingPolicy,
        @JsonUnwrapped Inlined inlined)
        implements Entity {
    /** Rules for memory that VMs share. */
    public record MemoryPolicy(OverCommit overCommit, HugePages transparentHugepages) {}

    /** Percent of the memory of a host. */
    public record OverCommit(Integer percent) {}

    /** Transparent huge pages. */
    public record HugePages(Boolean enabled) {}

    /** How VMs migrate. */
    public record Migration(String autoConverge, Bandwidth bandwidth, String compressed) {}

    /** How the bandwidth of migrations is found. */
    public record Bandwidth(String assignmentMethod) {}

    /** Which VMs leave a host that becomes non-operational. */
    public record ErrorHandling(String onError) {}

    /** When hosts may be fenced. */
    public record FencingPolicy(
            Boolean enabled,
            SkipIf skipIfConnectivityBroken,
            Boolean skipIfGlusterBricksUp,
            Boolean skipIfGlusterQuorumNotMet,
            SkipIfActive skipIfSdActive) {}

    /** Unless a host renews its storage lease. */
    public record SkipIfActive(Boolean enabled) {}

    /** Merging of equal pages. */
    public record Ksm(Boolean enabled, Boolean mergeAcrossNodes) {}

    /** Unless this percentage of the hosts is silent. */
    public record SkipIf(Boolean enabled, Integer threshold) {}
}
