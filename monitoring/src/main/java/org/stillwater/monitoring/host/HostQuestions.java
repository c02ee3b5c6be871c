package org.stillwater.monitoring.host;

import java.util.Map;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.monitoring.host.HostCalls.Call;

/**
 * Calls to one host: at most one call of each kind waits for its answer, which arrives as a
 * message. Used by the host's thread only.
 */
final class HostQuestions {

    private final MonitoredHost host;
    private final HostLink link;
    private final HostStatusKeeper keeper;
    private final HostCalls calls;
    private boolean capabilitiesMissed;

    /** Whether a change of the network was left out: an answer under way may not show it. */
    private boolean networkMissed;

    /** Whether the last cycle found that reports of the VMs come without a poll. */
    private boolean pushed;

    HostQuestions(MonitoredHost host, HostLink link, HostStatusKeeper keeper) {
        this.host = host;
        this.link = link;
        this.keeper = keeper;
        this.calls = link.calls();
    }

    /** The connection for calls to the host. */
    HostLink link() {
        return link;
    }

    /**
     * The statistics cycle of a host in contact (monitoring specification §3.2).
     *
     * @return whether the host's VMs are polled
     */
    boolean cycle() {
        if (!link.isConnected() || !keeper.status().isInContact()) {
            return false;
        }
        askStatistics();
        if (capabilitiesMissed || networkMissed) {
            networkMissed = calls.isPending(Call.CAPABILITIES);
            askCapabilities();
        }
        if (isPushed()) {
            return false;
        }
        if (calls.isPending(Call.VMS)) {
            host.services().meters().cycleSkipped();
            return false;
        }
        poll();
        return true;
    }

    /** Whether reports of the VMs come without a poll; a change is recorded. */
    private boolean isPushed() {
        HostConnection open = link.connection();
        String trouble = open == null ? HostConnection.NOT_PUSHED : open.pushTrouble();
        boolean now = trouble == null;
        if (now != pushed) {
            pushed = now;
            host.logs()
                    .audits()
                    .record(
                            now ? AuditEvent.HOST_PUSHED : AuditEvent.HOST_POLLED_AGAIN,
                            null,
                            host.id(),
                            trouble == null ? Map.of() : Map.of("reason", trouble));
        }
        return now;
    }

    /** Whether the last cycle found that reports of the VMs come without a poll. */
    boolean isLastCyclePushed() {
        return pushed;
    }

    /** The answer with the new boot id failed: the next cycle requests it again. */
    void capabilitiesMissed() {
        capabilitiesMissed = true;
    }

    /** The host's capabilities arrived. */
    void capabilitiesArrived() {
        capabilitiesMissed = false;
    }

    /** A change of the network was left out: the next cycle requests the capabilities. */
    void networkMissed() {
        networkMissed = true;
    }

    void askCapabilities() {
        HostConnection open = link.connection();
        if (open != null && !calls.isPending(Call.CAPABILITIES)) {
            long number = calls.asked(Call.CAPABILITIES, host.nanoTime());
            open.capabilities(answer ->
                    host.mailbox().post(new HostMessage.CapabilitiesAnswered(number, answer)));
        }
    }

    void askHardware() {
        HostConnection open = link.connection();
        if (open != null) {
            long number = calls.asked(Call.HARDWARE, host.nanoTime());
            open.hardware(answer ->
                    host.mailbox().post(new HostMessage.HardwareAnswered(number, answer)));
        }
    }

    void askStatistics() {
        HostConnection open = link.connection();
        if (open != null && !calls.isPending(Call.STATISTICS)) {
            long number = calls.asked(Call.STATISTICS, host.nanoTime());
            open.statistics(answer ->
                    host.mailbox().post(new HostMessage.StatisticsAnswered(number, answer)));
        }
    }

    /** Asks for the statistics of all VMs. */
    void poll() {
        HostConnection open = link.connection();
        if (open == null) {
            return;
        }
        long now = host.nanoTime();
        host.schedule().polled(now);
        long number = calls.asked(Call.VMS, now);
        open.vmStatistics(
                answer -> host.mailbox().post(new HostMessage.PollAnswered(number, answer)));
    }

    /** Polls outside the schedule, at once if the host is in contact. */
    void pollNow() {
        host.schedule().wantPoll();
        if (isPollPossible()) {
            poll();
        }
    }

    /** Whether a poll outside the schedule is requested and the host is callable. */
    boolean isPollPossible() {
        return host.schedule().isPollWanted()
                && link.isConnected()
                && !calls.isPending(Call.VMS)
                && keeper.status().isInContact();
    }
}
