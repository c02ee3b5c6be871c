package org.stillwater.ovirt.action;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.StoreUnavailable;

/** How the power of hosts is switched, with its secrets. Thread-safe. */
public interface FenceAgentAccess {

    /**
     * The agents of a host in the order in which they are tried.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    List<FenceAgent> agents(HostId host) throws StoreUnavailable;

    /** Reason why an agent is not allowed, one clause for people; null if it is. */
    @Nullable String refusal(FenceAgent agent);

    /** Whether the value of an option is never returned. */
    boolean isSecret(String type, String option);

    /**
     * Replaces the agents of a host.
     *
     * @return false if there is no such host
     * @throws StoreUnavailable if the database cannot be written now
     * @throws org.stillwater.core.secret.SecretBox.Unusable if their secrets cannot be encrypted
     */
    boolean replace(HostId host, List<FenceAgent> agents) throws StoreUnavailable;
}
