package org.stillwater.core.analysis;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/**
 * Takes over a host's report about a VM that has a process there (monitoring specification §4.4,
 * items 2, 3, 5 and 6).
 */
final class Reporting {

    private Reporting() {}

    /** The reported runtime becomes the known one, with the reporter as the responsible host. */
    static void apply(DecisionBuilder builder, VmRuntime seen) {
        KnownVm known = builder.known;
        VmRuntime before = known.runtime();
        VmRuntime.Draft draft = seen.edit();
        if (seen.status() != VmStatus.UP && known.placement().isOn(builder.reporter())) {
            // Guests report no applications while they boot or shut down; the list known from
            // before stays.
            draft.set(RuntimeField.APP_LIST, before.value(RuntimeField.APP_LIST));
        } else if (!Objects.equals(
                seen.value(RuntimeField.APP_LIST), before.value(RuntimeField.APP_LIST))) {
            builder.tell(Decision.Signal.APPLICATIONS_CHANGED);
        }
        if (!seen.guestNics().equals(before.guestNics())) {
            draft.set(
                    RuntimeField.GUEST_IPS,
                    GuestAddresses.of(seen.guestNics(), known.definition()));
        } else {
            draft.set(RuntimeField.GUEST_IPS, before.value(RuntimeField.GUEST_IPS));
        }
        if (HandOver.isAwaited(known)) {
            // It has arrived; the mark of a VM that is awaited must not outlive the wait.
            draft.clear(RuntimeField.EXIT_REASON);
        } else if (before.status().isNotRunning()) {
            // How its last run ended is not true of this one, and is the mark of one awaited.
            draft.clear(RuntimeField.EXIT_STATUS)
                    .clear(RuntimeField.EXIT_REASON)
                    .clear(RuntimeField.EXIT_MESSAGE);
        }
        builder.runtime = draft.build();
        VmPlacement placement = builder.placement.withRunOn(builder.reporter());
        boolean leavesAgain =
                seen.status() == VmStatus.MIGRATING_FROM
                        && builder.reporter().equals(placement.migratingTo());
        if (!seen.status().isMigrating() || leavesAgain) {
            placement = placement.withMigratingTo(null);
        }
        if (before.status().isNotRunning()) {
            // An operation of the engine records its start before it calls the host.
            builder.audit(
                    AuditEvent.VM_STARTED_OUTSIDE_ENGINE,
                    Map.of("status", before.status().label()));
            placement =
                    placement.withLastStart(builder.context.now()).withRun(placement.run().next());
        }
        builder.placement = placement;
    }

    /** The guest's watchdog fired since the last report. */
    static void watchdog(DecisionBuilder builder, VmRuntime seen) {
        Long before = (Long) builder.known.runtime().value(RuntimeField.LAST_WATCHDOG_EVENT);
        Long now = (Long) seen.value(RuntimeField.LAST_WATCHDOG_EVENT);
        if (now != null && (before == null || now > before)) {
            String action = seen.text(RuntimeField.LAST_WATCHDOG_ACTION);
            builder.audit(
                    AuditEvent.WATCHDOG_EVENT,
                    Map.of("action", action == null ? "" : action, "time", time(now)));
        }
    }

    /**
     * Text of a time that the VM's host reports; a number outside the range of instants stays a
     * number.
     */
    private static String time(long epochSecond) {
        return epochSecond < Instant.MIN.getEpochSecond()
                        || epochSecond > Instant.MAX.getEpochSecond()
                ? "unknown"
                : Instant.ofEpochSecond(epochSecond).toString();
    }

    /** A client opened or closed the console. The first report is no change. */
    static void console(DecisionBuilder builder, VmRuntime seen) {
        String before = builder.known.runtime().clientIp();
        String now = seen.clientIp();
        if (before == null || before.equals(now) || (before.isEmpty() && now == null)) {
            return;
        }
        String user = builder.placement.run().consoleUser();
        builder.audit(
                now == null || now.isEmpty()
                        ? AuditEvent.VM_CONSOLE_DISCONNECTED
                        : AuditEvent.VM_CONSOLE_CONNECTED,
                Map.of("user", user == null ? "unknown" : user));
    }
}
