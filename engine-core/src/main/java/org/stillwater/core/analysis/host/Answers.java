package org.stillwater.core.analysis.host;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.model.HostWorkKind;
import org.stillwater.core.model.MigrateOnError;
import org.stillwater.core.model.NonOperationalReason;

/**
 * What follows from a host's answers (monitoring specification §3.3, §3.8): first it says what it
 * is, then its numbers, and only then it is up.
 */
final class Answers {

    private Answers() {}

    static void capabilities(HostVerdict verdict, @Nullable Unfitness unfitness) {
        verdict.watch = verdict.watch.answered(verdict.now()).withFit(unfitness == null);
        if (unfitness != null) {
            unfit(verdict, unfitness);
            return;
        }
        if (isOver(verdict)) {
            verdict.take(HostTransition.FIT_AGAIN);
        }
        if (verdict.status().isRefreshed() && !verdict.status().isInContact()) {
            verdict.run(HostDecision.Step.ASK_STATISTICS);
        }
    }

    /** What the cluster demands is different: who fits now need not wait to be asked again. */
    static void rulesChanged(HostVerdict verdict, @Nullable Unfitness unfitness) {
        if (unfitness != null) {
            verdict.watch = verdict.watch.withFit(false);
            unfit(verdict, unfitness);
            return;
        }
        boolean onlyUnfit =
                !verdict.watch.fit()
                        && verdict.condition.nonOperational()
                                != NonOperationalReason.TIMEOUT_RECOVERING_FROM_CRASH;
        if (onlyUnfit
                && verdict.can(HostTransition.FIT_AGAIN)
                && verdict.watch.interfacesDown().isEmpty()) {
            verdict.take(HostTransition.FIT_AGAIN);
            verdict.run(HostDecision.Step.ASK_CAPABILITIES);
        }
    }

    /** Whether a host that fits its cluster again has no other reason to stay non-operational. */
    private static boolean isOver(HostVerdict verdict) {
        return verdict.can(HostTransition.FIT_AGAIN)
                && verdict.hasStood(verdict.context.policy().autoRecovery())
                && verdict.watch.interfacesDown().isEmpty();
    }

    /** The host must not run VMs; who stays on it is the cluster's choice. */
    static void unfit(HostVerdict verdict, Unfitness unfitness) {
        NonOperationalReason reason = unfitness.reason();
        if (verdict.can(HostTransition.UNFIT)) {
            boolean wasSilent = !verdict.status().isInContact();
            verdict.take(HostTransition.UNFIT, reason);
            if (wasSilent) {
                // It may have booted meanwhile, and its VMs are asked for from now on.
                verdict.run(HostDecision.Step.FORGET_STAMPS);
            }
            nonOperational(verdict, unfitness.event(), unfitness.details());
        } else if (verdict.status() == HostStatus.NON_OPERATIONAL
                && verdict.condition.nonOperational() != reason) {
            // It is so already, for another reason now: its VMs are leaving as it is.
            verdict.condition = verdict.condition.nonOperational(reason);
            verdict.audit(unfitness.event(), named(reason, unfitness.details()));
        }
    }

    private static void nonOperational(
            HostVerdict verdict, AuditEvent event, Map<String, String> details) {
        NonOperationalReason reason = verdict.condition.nonOperational();
        verdict.audit(event, named(reason, details));
        verdict.tell(HostDecision.Signal.HOST_NON_OPERATIONAL);
        if (verdict.context.migrateOnError() != MigrateOnError.NONE) {
            verdict.queueOnce(HostWorkKind.EVACUATE, reason.clause());
        }
    }

    private static Map<String, String> named(
            NonOperationalReason reason, Map<String, String> details) {
        Map<String, String> all = new HashMap<>(details);
        all.putIfAbsent("reason", reason.clause());
        return all;
    }

    static void statistics(HostVerdict verdict, Set<String> interfacesDown) {
        verdict.watch = verdict.watch.answered(verdict.now());
        remember(verdict, interfacesDown);
        if (verdict.can(HostTransition.CONTACT_MADE) && verdict.watch.fit()) {
            up(verdict);
        }
        interfaces(verdict);
    }

    /** The host is up (§3.3, §5.2). */
    private static void up(HostVerdict verdict) {
        verdict.take(HostTransition.CONTACT_MADE);
        verdict.endEpisode();
        verdict.run(HostDecision.Step.FORGET_STAMPS);
        verdict.audit(AuditEvent.VDS_DETECTED);
        verdict.tell(HostDecision.Signal.HOST_UP);
        verdict.run(HostDecision.Step.POLL);
    }

    /** Keeps since when each interface is down, and forgets those that are up. */
    private static void remember(HostVerdict verdict, Set<String> down) {
        Map<String, Long> before = verdict.watch.interfacesDown();
        if (before.keySet().equals(down)) {
            return;
        }
        Map<String, Long> now = new HashMap<>();
        for (String name : down) {
            now.put(name, before.getOrDefault(name, verdict.now()));
        }
        verdict.watch = verdict.watch.withInterfacesDown(now);
    }

    /** An interface of a required network may be down for a while only. */
    private static void interfaces(HostVerdict verdict) {
        if (!verdict.can(HostTransition.INTERFACE_DOWN)) {
            return;
        }
        long grace = verdict.context.policy().interfaceGrace().toNanos();
        Set<String> tooLong = new TreeSet<>();
        verdict.watch
                .interfacesDown()
                .forEach((name, since) -> {
                    if (verdict.now() - since > grace) {
                        tooLong.add(name);
                    }
                });
        if (!tooLong.isEmpty()) {
            verdict.take(
                    HostTransition.INTERFACE_DOWN, NonOperationalReason.NETWORK_INTERFACE_IS_DOWN);
            nonOperational(
                    verdict,
                    AuditEvent.VDS_SET_NONOPERATIONAL_IFACE_DOWN,
                    Map.of("interfaces", String.join(", ", tooLong)));
        }
    }
}
