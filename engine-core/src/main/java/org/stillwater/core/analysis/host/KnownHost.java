package org.stillwater.core.analysis.host;

import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;

/**
 * State of a host in the engine before a fact.
 *
 * @param id the host
 * @param condition the decided condition, durable
 * @param watch state of watching it
 */
public record KnownHost(HostId id, HostCondition condition, HostWatch watch) {

    /** Its status. */
    public HostStatus status() {
        return condition.status();
    }
}
