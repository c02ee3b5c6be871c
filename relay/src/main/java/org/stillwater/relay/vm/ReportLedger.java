package org.stillwater.relay.vm;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.relay.state.Cells;
import org.stillwater.relay.state.HostLedger;

/**
 * Writes a host's reports about its VMs into its ledger. Not thread-safe; the caller commits.
 *
 * <p>The state is that of the newest complete poll, updated by later events. Three rules keep it
 * correct in every order of arrival:
 *
 * <ul>
 *   <li>Of two reports about a VM in one connection, the one with the later stamp of the host
 *       applies. Stamps of different connections are never compared: the host may have booted in
 *       between.
 *   <li>A VM that is missing in a poll is removed, unless an event after the poll's request
 *       reported it.
 *   <li>A poll with an unreadable record updates the VMs that it contains, does not count as
 *       complete, and removes no VM.
 * </ul>
 */
public final class ReportLedger {

    private final HostLedger ledger;
    private final Consumer<String> complaints;
    private final Map<UUID, Origin> origins = new HashMap<>();
    private final Map<UUID, VmRuntime> runtimes = new HashMap<>();
    private int connections;
    private long events;

    /** Origin of a record: the connection and the newest event about it; 0 for none. */
    private record Origin(int connection, long event) {}

    /**
     * The counters at the request of a poll.
     *
     * @param connection counts connections and their losses
     * @param events counts events
     */
    public record Asked(int connection, long events) {}

    /**
     * A writer for a ledger without reports.
     *
     * @param complaints receives one sentence about each unreadable record
     */
    public ReportLedger(HostLedger ledger, Consumer<String> complaints) {
        this.ledger = ledger;
        this.complaints = complaints;
    }

    /** The connection to the host was opened or lost. */
    public void connectionChanged() {
        connections++;
    }

    /** The request of a poll is sent now. */
    public Asked asked() {
        return new Asked(connections, events);
    }

    /** Whether a poll's answer belongs to the present connection. */
    public boolean isPresent(Asked asked) {
        return asked.connection() == connections;
    }

    /**
     * Applies the answer to a poll of the present connection.
     *
     * @return whether it is complete
     * @throws MalformedReport if its end could not be read; the records before it are applied
     */
    public boolean polled(Asked asked, VmReports reports) throws MalformedReport {
        Intake intake = new Intake(true);
        reports.decode(intake);
        if (intake.understood) {
            forgetUnmentioned(intake.mentioned, asked.events());
        }
        return intake.understood;
    }

    /**
     * Applies an event.
     *
     * @throws MalformedReport if its end could not be read; the records before it are applied
     */
    public void event(VmReports reports) throws MalformedReport {
        events++;
        reports.decode(new Intake(false));
    }

    private void forgetUnmentioned(Set<UUID> mentioned, long eventsBefore) {
        for (UUID id : ledger.ids()) {
            if (!id.equals(HostCells.id()) && !mentioned.contains(id)) {
                Origin origin = origins.get(id);
                boolean heardOfSince =
                        origin != null
                                && origin.connection() == connections
                                && origin.event() > eventsBefore;
                if (!heardOfSince) {
                    ledger.remove(id);
                    origins.remove(id);
                    runtimes.remove(id);
                }
            }
        }
    }

    /** Applies the VMs of one message. */
    private final class Intake implements VmReportSink {
        final Set<UUID> mentioned = new HashSet<>();
        final boolean complete;
        boolean understood = true;

        Intake(boolean complete) {
            this.complete = complete;
        }

        @Override
        public @Nullable VmRuntime known(VmId vmId, VmSample sample) {
            Cells before = ledger.get(vmId.toUuid());
            if (before != null) {
                SampleCells.known(before, sample);
            }
            return runtimes.get(vmId.toUuid());
        }

        @Override
        public void accept(VmReport report, @Nullable VmSample sample) {
            UUID id = report.vmId().toUuid();
            mentioned.add(id);
            Cells told = ledger.get(id);
            Cells before = told == null ? Cells.NONE : told;
            Origin known = origins.get(id);
            Origin origin = known != null && known.connection() == connections ? known : null;
            if (origin != null && isOlder(report, before)) {
                return;
            }
            ledger.put(id, VmCells.of(report, complete ? sample : null, before));
            long polledEvent = origin == null ? 0 : origin.event();
            long event = complete ? polledEvent : events;
            origins.put(id, new Origin(connections, event));
            if (report instanceof VmReport.Running running) {
                runtimes.put(id, running.runtime());
            }
        }

        private static boolean isOlder(VmReport report, Cells before) {
            return report.hostStampMillis() != VmReport.NO_STAMP
                    && VmCells.stampMillis(before) != VmReport.NO_STAMP
                    && report.hostStampMillis() < VmCells.stampMillis(before);
        }

        @Override
        public void malformed(@Nullable VmId vmId, String why) {
            understood = false;
            complaints.accept("vm=" + vmId + ": " + why);
        }
    }
}
