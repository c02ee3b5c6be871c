package org.stillwater.ovirt.model;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A NUMA node of a host.
 *
 * @param memory MB
 */
public record HostNumaNode(
        @Attribute String id,
        @Attribute String href,
        @Unwrapped @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Link> link,
        NodeCpu cpu,
        Integer index,
        @Nullable Long memory,
        @Nullable String nodeDistance,
        Entity host,
        @JsonUnwrapped Inlined inlined)
        implements Entity {

    /** Its processors. */
    public record NodeCpu(Listing<Core> cores) {}

    /** A processor. */
    public record Core(Integer index) {}
}
