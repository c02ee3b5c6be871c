package org.stillwater.core.analysis.host;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.host.NonOperationalReason;

/**
 * Consequences of a host's answers (monitoring specification §3.3, §3.8): capabilities first, then
 * statistics, and only then it is up.
 */
final class Answers {

    private Answers() {}

    static void capabilities(HostDecisionBuilder builder, @Nullable Unfitness unfitness) {
        builder.watch = builder.watch.answered(builder.now()).withFit(unfitness == null);
        if (unfitness != null) {
            unfit(builder, unfitness);
            return;
        }
        if (isOver(builder)) {
            builder.take(HostTransition.FIT_AGAIN);
        }
        if (builder.status().isRefreshed() && !builder.status().isInContact()) {
            builder.run(HostDecision.Step.ASK_STATISTICS);
        }
    }

    /**
     * The cluster's requirements have changed: a host that fits now need not wait for the next
     * query.
     */
    static void rulesChanged(HostDecisionBuilder builder, @Nullable Unfitness unfitness) {
        if (unfitness != null) {
            builder.watch = builder.watch.withFit(false);
            unfit(builder, unfitness);
            return;
        }
        boolean onlyUnfit =
                !builder.watch.fit()
                        && builder.condition.nonOperational()
                                != NonOperationalReason.TIMEOUT_RECOVERING_FROM_CRASH;
        if (onlyUnfit
                && builder.can(HostTransition.FIT_AGAIN)
                && builder.watch.interfacesDown().isEmpty()) {
            builder.take(HostTransition.FIT_AGAIN);
            builder.run(HostDecision.Step.ASK_CAPABILITIES);
        }
    }

    /** Whether a host that fits its cluster again has no other reason to stay non-operational. */
    private static boolean isOver(HostDecisionBuilder builder) {
        return builder.can(HostTransition.FIT_AGAIN)
                && builder.hasStood(builder.context.policy().autoRecovery())
                && builder.watch.interfacesDown().isEmpty();
    }

    /** The host must not run VMs; the cluster decides which VMs stay on it. */
    static void unfit(HostDecisionBuilder builder, Unfitness unfitness) {
        NonOperationalReason reason = unfitness.reason();
        if (builder.can(HostTransition.UNFIT)) {
            boolean wasSilent = !builder.status().isInContact();
            builder.take(HostTransition.UNFIT, reason);
            if (wasSilent) {
                // It may have booted meanwhile, and its VMs are requested from now on.
                builder.run(HostDecision.Step.FORGET_STAMPS);
            }
            nonOperational(builder, unfitness.event(), unfitness.details());
        } else if (builder.status() == HostStatus.NON_OPERATIONAL
                && builder.condition.nonOperational() != reason) {
            // It is so already, for another reason now: its VMs are leaving as it is.
            builder.condition = builder.condition.nonOperational(reason);
            builder.audit(unfitness.event(), named(reason, unfitness.details()));
        }
    }

    private static void nonOperational(
            HostDecisionBuilder builder, AuditEvent event, Map<String, String> details) {
        NonOperationalReason reason = builder.condition.nonOperational();
        builder.audit(event, named(reason, details));
        builder.tell(HostDecision.Signal.HOST_NON_OPERATIONAL);
        if (builder.context.migrateOnError() != MigrateOnError.NONE) {
            builder.queueOnce(HostWorkKind.EVACUATE, reason.clause());
        }
    }

    private static Map<String, String> named(
            NonOperationalReason reason, Map<String, String> details) {
        Map<String, String> all = new HashMap<>(details);
        all.putIfAbsent("reason", reason.clause());
        return all;
    }

    static void statistics(HostDecisionBuilder builder, Set<String> interfacesDown) {
        builder.watch = builder.watch.answered(builder.now());
        remember(builder, interfacesDown);
        if (builder.can(HostTransition.CONTACT_MADE) && builder.watch.fit()) {
            up(builder);
        }
        interfaces(builder);
    }

    /** The host is up (§3.3, §5.2). */
    private static void up(HostDecisionBuilder builder) {
        builder.take(HostTransition.CONTACT_MADE);
        builder.endEpisode();
        builder.run(HostDecision.Step.FORGET_STAMPS);
        builder.audit(AuditEvent.VDS_DETECTED);
        builder.tell(HostDecision.Signal.HOST_UP);
        builder.run(HostDecision.Step.POLL);
    }

    /** Keeps since when each interface is down, and forgets those that are up. */
    private static void remember(HostDecisionBuilder builder, Set<String> down) {
        Map<String, Long> before = builder.watch.interfacesDown();
        if (before.keySet().equals(down)) {
            return;
        }
        Map<String, Long> now = new HashMap<>();
        for (String name : down) {
            now.put(name, before.getOrDefault(name, builder.now()));
        }
        builder.watch = builder.watch.withInterfacesDown(now);
    }

    /** An interface of a required network may be down for a while only. */
    private static void interfaces(HostDecisionBuilder builder) {
        if (!builder.can(HostTransition.INTERFACE_DOWN)) {
            return;
        }
        long grace = builder.context.policy().interfaceGrace().toNanos();
        Set<String> tooLong = new TreeSet<>();
        builder.watch
                .interfacesDown()
                .forEach((name, since) -> {
                    if (builder.now() - since > grace) {
                        tooLong.add(name);
                    }
                });
        if (!tooLong.isEmpty()) {
            builder.take(
                    HostTransition.INTERFACE_DOWN, NonOperationalReason.NETWORK_INTERFACE_IS_DOWN);
            nonOperational(
                    builder,
                    AuditEvent.VDS_SET_NONOPERATIONAL_IFACE_DOWN,
                    Map.of("interfaces", String.join(", ", tooLong)));
        }
    }
}
