package org.stillwater.core.analysis.host;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.model.HostWorkKind;

/** Taking a host out of service and back (monitoring specification §3.6, §3.7). */
final class Maintenance {

    private Maintenance() {}

    static void order(HostVerdict verdict, @Nullable String reason) {
        if (verdict.can(HostTransition.MAINTENANCE_ORDERED)) {
            verdict.take(HostTransition.MAINTENANCE_ORDERED);
            verdict.condition = verdict.condition.withMaintenanceReason(reason);
            verdict.audit(AuditEvent.USER_VDS_MAINTENANCE, said(reason));
            drain(verdict, "maintenance was ordered");
            verdict.run(HostDecision.Step.ASK_STATISTICS);
        } else if (verdict.can(HostTransition.MAINTENANCE_OF_SILENT)) {
            verdict.take(HostTransition.MAINTENANCE_OF_SILENT);
            verdict.condition = verdict.condition.withMaintenanceReason(reason);
            verdict.audit(AuditEvent.USER_VDS_MAINTENANCE, said(reason));
            entered(verdict);
        } else {
            refuse(verdict, "put into maintenance");
        }
    }

    private static Map<String, String> said(@Nullable String reason) {
        return reason == null || reason.isBlank() ? Map.of() : Map.of("reason", reason);
    }

    private static void refuse(HostVerdict verdict, String what) {
        verdict.refuse(
                "a host that is "
                        + verdict.status().name().toLowerCase(Locale.ROOT)
                        + " cannot be "
                        + what);
    }

    private static void drain(HostVerdict verdict, String why) {
        verdict.watch = verdict.watch.withDrainAsked(verdict.now());
        verdict.queueAgain(HostWorkKind.DRAIN, why);
    }

    private static void entered(HostVerdict verdict) {
        verdict.audit(AuditEvent.VDS_MAINTENANCE);
        verdict.tell(HostDecision.Signal.HOST_MOVED_TO_MAINTENANCE);
        verdict.run(HostDecision.Step.DISCONNECT);
    }

    /** Whether its VMs have left, or must be asked again to. */
    static void check(HostVerdict verdict) {
        if (verdict.status() != HostStatus.PREPARING_FOR_MAINTENANCE) {
            return;
        }
        if (verdict.context.drained()) {
            verdict.take(HostTransition.DRAINED);
            entered(verdict);
        } else if (verdict.now() - verdict.watch.drainAskedNanos()
                >= verdict.context.policy().drainRetry().toNanos()) {
            drain(verdict, "VMs are still on it");
        }
    }

    static void activate(HostVerdict verdict) {
        if (!verdict.can(HostTransition.ACTIVATED)) {
            refuse(verdict, "activated");
            return;
        }
        boolean watched = verdict.status().isRefreshed();
        verdict.take(HostTransition.ACTIVATED);
        verdict.condition = verdict.condition.withMaintenanceReason(null).inNextEpisode();
        begin(verdict);
        verdict.audit(AuditEvent.VDS_ACTIVATE);
        verdict.run(watched ? HostDecision.Step.ASK_CAPABILITIES : HostDecision.Step.CONNECT);
    }

    static void reboot(HostVerdict verdict) {
        if (!verdict.can(HostTransition.REBOOT_ORDERED)) {
            refuse(verdict, "rebooted");
            return;
        }
        verdict.take(HostTransition.REBOOT_ORDERED);
        verdict.run(HostDecision.Step.DISCONNECT);
    }

    /** Only what is silent still, in the same outage, is switched off for that. */
    static void fence(HostVerdict verdict, long episode) {
        if (isStillSilent(verdict, episode)) {
            reboot(verdict);
        }
    }

    private static boolean isStillSilent(HostVerdict verdict, long episode) {
        boolean still =
                verdict.status() == HostStatus.NON_RESPONSIVE
                        && verdict.condition.episode() == episode;
        if (!still) {
            verdict.refuse("it has come back, or was taken out of service");
        }
        return still;
    }

    /** Only of what is silent still, in the same outage, its messages tell why. */
    static void dump(HostVerdict verdict, long episode) {
        if (isStillSilent(verdict, episode)) {
            verdict.take(HostTransition.DUMP_FOUND);
            verdict.run(HostDecision.Step.DISCONNECT);
        }
    }

    static void dumpOver(HostVerdict verdict) {
        if (verdict.can(HostTransition.DUMP_OVER)) {
            verdict.take(HostTransition.DUMP_OVER);
        } else {
            refuse(verdict, "booting after a kernel dump");
        }
    }

    static void rebootFailed(HostVerdict verdict) {
        if (!verdict.can(HostTransition.REBOOT_OVER)) {
            refuse(verdict, "watched again");
            return;
        }
        watchAgain(verdict);
    }

    static void rebootOver(HostVerdict verdict) {
        if (verdict.can(HostTransition.REBOOT_OVER)
                && verdict.hasStood(verdict.context.policy().reboot())) {
            watchAgain(verdict);
        }
    }

    private static void watchAgain(HostVerdict verdict) {
        verdict.take(HostTransition.REBOOT_OVER);
        begin(verdict);
        verdict.run(HostDecision.Step.CONNECT);
    }

    /** What was remembered of watching it says nothing about what begins. */
    private static void begin(HostVerdict verdict) {
        verdict.watch = HostWatch.begin(verdict.now());
    }
}
