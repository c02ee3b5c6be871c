package org.stillwater.server.xapi;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.analysis.host.HostTransition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.xapi.host.PoolHost;
import org.stillwater.xapi.host.XapiPool;

/**
 * Makes hosts follow their pool when a user disables or enables them there: a disabled host is on
 * its way into maintenance until its last VM has left it, and in maintenance then; a host that is
 * enabled again is activated. One thread at a time.
 */
final class HostEnablement {

    static final String DISABLED = "its pool has disabled it";

    private static final Logger log = LoggerFactory.getLogger(HostEnablement.class);

    private final FleetReader fleet;
    private final HostAdministration administration;

    /** Whether the pool had each host enabled at the last check. */
    private final Map<HostId, Boolean> seen = new HashMap<>();

    /** The last order to each host that followed from it. */
    private final Map<HostId, CompletableFuture<OrderAnswer>> given = new HashMap<>();

    HostEnablement(FleetReader fleet, HostAdministration administration) {
        this.fleet = fleet;
        this.administration = administration;
    }

    /** Looks at a host of a pool; doing it again changes nothing. */
    void follow(XapiPool pool, PoolHost host) {
        HostView view = fleet.host(host.id());
        if (view == null) {
            return;
        }
        HostFact.Order order =
                order(
                        seen.get(host.id()),
                        host,
                        view.state().status(),
                        () -> pool.hasVmsOn(host.id()));
        CompletableFuture<OrderAnswer> last = given.get(host.id());
        boolean isOpen = last != null && !last.isDone();
        if (order == null && isOpen) {
            return; // its effect is not visible yet
        }
        seen.put(host.id(), host.enabled());
        CompletableFuture<OrderAnswer> answer =
                order == null ? null : administration.follow(host.id(), order);
        if (answer == null) {
            return;
        }
        given.put(host.id(), answer);
        CompletableFuture<OrderAnswer> _ =
                answer.whenComplete((followed, _) -> {
                    pool.reconsider();
                    if (followed instanceof OrderAnswer.Followed(HostStatus status)) {
                        log.info(
                                "pool={} host={} {} in the pool, here it is {}",
                                pool.name(),
                                host.name(),
                                host.enabled() ? "enabled" : "disabled",
                                status);
                    }
                });
    }

    /**
     * The resulting order to the engine; null for none. A disabled host in contact always leads to
     * one. An enabled host leads to one only if it was disabled before, because the engine puts a
     * silent host into maintenance without its pool; at the first check, VMs on it count as well.
     */
    static HostFact.@Nullable Order order(
            @Nullable Boolean before, PoolHost host, HostStatus status, BooleanSupplier hasVms) {
        if (!host.enabled()) {
            return host.live() && HostTransition.MAINTENANCE_ORDERED.leaves(status)
                    ? new HostFact.Withdraw(DISABLED)
                    : null;
        }
        boolean left =
                status == HostStatus.MAINTENANCE || status == HostStatus.PREPARING_FOR_MAINTENANCE;
        boolean again = left && (before == null ? host.live() && hasVms.getAsBoolean() : !before);
        return again ? new HostFact.Activate() : null;
    }
}
