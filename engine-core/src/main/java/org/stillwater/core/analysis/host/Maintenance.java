package org.stillwater.core.analysis.host;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWorkKind;

/** Taking a host out of service and back (monitoring specification §3.6, §3.7). */
final class Maintenance {

    private Maintenance() {}

    static void order(HostDecisionBuilder builder, @Nullable String reason) {
        boolean possible = builder.can(HostTransition.MAINTENANCE_ORDERED);
        if (possible || isWithdrawn(builder)) {
            if (possible) {
                builder.take(HostTransition.MAINTENANCE_ORDERED);
            }
            builder.condition = builder.condition.withMaintenanceReason(reason);
            builder.audit(AuditEvent.USER_VDS_MAINTENANCE, said(reason));
            drain(builder, "maintenance was ordered");
            builder.run(HostDecision.Step.ASK_STATISTICS);
        } else if (builder.can(HostTransition.MAINTENANCE_OF_SILENT)) {
            builder.take(HostTransition.MAINTENANCE_OF_SILENT);
            builder.condition = builder.condition.withMaintenanceReason(reason);
            builder.audit(AuditEvent.USER_VDS_MAINTENANCE, said(reason));
            entered(builder);
        } else {
            refuse(builder, "put into maintenance");
        }
    }

    /**
     * The host's pool has taken it out of service. Its VMs stay watched until the last one has
     * left, and are not migrated: a pool that disables a host lets them run.
     */
    static void withdraw(HostDecisionBuilder builder, String reason) {
        if (!builder.can(HostTransition.MAINTENANCE_ORDERED)) {
            refuse(builder, "taken out of service by its pool");
            return;
        }
        builder.take(HostTransition.MAINTENANCE_ORDERED);
        builder.condition = builder.condition.withMaintenanceReason(reason).inNextEpisode();
        builder.audit(AuditEvent.USER_VDS_MAINTENANCE, said(reason));
        builder.run(HostDecision.Step.ASK_STATISTICS);
    }

    /** Whether its VMs were not ordered to leave; each order is an attempt. */
    private static boolean isWithdrawn(HostDecisionBuilder builder) {
        return builder.status() == HostStatus.PREPARING_FOR_MAINTENANCE
                && builder.condition.attempts() == 0;
    }

    private static Map<String, String> said(@Nullable String reason) {
        return reason == null || reason.isBlank() ? Map.of() : Map.of("reason", reason);
    }

    private static void refuse(HostDecisionBuilder builder, String what) {
        builder.refuse(
                "a host that is "
                        + builder.status().name().toLowerCase(Locale.ROOT)
                        + " cannot be "
                        + what);
    }

    private static void drain(HostDecisionBuilder builder, String why) {
        builder.watch = builder.watch.withDrainAsked(builder.now());
        builder.queueAgain(HostWorkKind.DRAIN, why);
    }

    private static void entered(HostDecisionBuilder builder) {
        builder.audit(AuditEvent.VDS_MAINTENANCE);
        builder.tell(HostDecision.Signal.HOST_MOVED_TO_MAINTENANCE);
        builder.run(HostDecision.Step.DISCONNECT);
    }

    /** Whether its VMs have left, or need another order to leave. */
    static void check(HostDecisionBuilder builder) {
        if (builder.status() != HostStatus.PREPARING_FOR_MAINTENANCE) {
            return;
        }
        if (builder.context.drained()) {
            builder.take(HostTransition.DRAINED);
            entered(builder);
        } else if (!isWithdrawn(builder)
                && builder.now() - builder.watch.drainAskedNanos()
                        >= builder.context.policy().drainRetry().toNanos()) {
            drain(builder, "VMs are still on it");
        }
    }

    static void activate(HostDecisionBuilder builder) {
        if (!builder.can(HostTransition.ACTIVATED)) {
            refuse(builder, "activated");
            return;
        }
        boolean watched = builder.status().isRefreshed();
        builder.take(HostTransition.ACTIVATED);
        builder.condition = builder.condition.withMaintenanceReason(null).inNextEpisode();
        begin(builder);
        builder.audit(AuditEvent.VDS_ACTIVATE);
        builder.run(watched ? HostDecision.Step.ASK_CAPABILITIES : HostDecision.Step.CONNECT);
    }

    /** A host in maintenance stays out of service, and is not watched anyway. */
    static void reboot(HostDecisionBuilder builder) {
        if (builder.status() == HostStatus.MAINTENANCE) {
            return;
        }
        if (!builder.can(HostTransition.REBOOT_ORDERED)) {
            refuse(builder, "rebooted");
            return;
        }
        builder.take(HostTransition.REBOOT_ORDERED);
        builder.run(HostDecision.Step.DISCONNECT);
    }

    /** Only a host that is still silent, in the same outage, is switched off for that. */
    static void fence(HostDecisionBuilder builder, long episode) {
        if (isStillSilent(builder, episode)) {
            reboot(builder);
        }
    }

    private static boolean isStillSilent(HostDecisionBuilder builder, long episode) {
        boolean still =
                builder.status() == HostStatus.NON_RESPONSIVE
                        && builder.condition.episode() == episode;
        if (!still) {
            builder.refuse("it has come back, or was taken out of service");
        }
        return still;
    }

    /**
     * Messages of a dump explain the silence only of a host that is still silent, in the same
     * outage.
     */
    static void dump(HostDecisionBuilder builder, long episode) {
        if (isStillSilent(builder, episode)) {
            builder.take(HostTransition.DUMP_FOUND);
            builder.run(HostDecision.Step.DISCONNECT);
        }
    }

    static void dumpOver(HostDecisionBuilder builder) {
        if (builder.can(HostTransition.DUMP_OVER)) {
            builder.take(HostTransition.DUMP_OVER);
        } else {
            refuse(builder, "booting after a kernel dump");
        }
    }

    static void rebootFailed(HostDecisionBuilder builder) {
        if (!builder.can(HostTransition.REBOOT_OVER)) {
            refuse(builder, "watched again");
            return;
        }
        watchAgain(builder);
    }

    static void rebootOver(HostDecisionBuilder builder) {
        if (builder.can(HostTransition.REBOOT_OVER)
                && builder.hasStood(builder.context.policy().reboot())) {
            watchAgain(builder);
        }
    }

    private static void watchAgain(HostDecisionBuilder builder) {
        builder.take(HostTransition.REBOOT_OVER);
        begin(builder);
        builder.run(HostDecision.Step.CONNECT);
    }

    /** Begins to watch the host; earlier memory of watching it does not apply. */
    private static void begin(HostDecisionBuilder builder) {
        builder.watch = HostWatch.begin(builder.now());
    }
}
