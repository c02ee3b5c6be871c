package org.stillwater.monitoring.regression;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.audit.AuditSeverity;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.RecordedChange;
import org.stillwater.core.regression.RecordedChange.Kind;
import org.stillwater.core.regression.SeriesOwner.Shared;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.audit.AuditReader;

/**
 * Reads the changes of earlier lives of the engine from the audit log, so that a step that began
 * before a restart has its coincidences. It reads one event after the other, {@value #PAGE} entries
 * at a time, each by the log's index of events, and only as far back as a step of the window can
 * begin. It keeps as many changes as the recorder. Confined to one thread.
 */
final class ChangeReadBack {

    /** Entries of one answer. */
    static final int PAGE = 500;

    private static final Logger LOG = LoggerFactory.getLogger(ChangeReadBack.class);

    /** Points before a begin within which a change coincides with it. */
    private static final int LEAD = 5;

    /**
     * An event that shows a change.
     *
     * @param event the event
     * @param kind kind of the change
     * @param text its text, as the recorder has it
     */
    private record Source(AuditEvent event, Kind kind, Function<AuditEntry, String> text) {}

    private static final List<Source> SOURCES =
            List.of(
                    new Source(
                            AuditEvent.HOST_SOFTWARE_CHANGED,
                            Kind.SOFTWARE,
                            entry -> detail(entry, "change")),
                    new Source(AuditEvent.HOST_BOOTED, Kind.REBOOT, _ -> ChangeRecorder.BOOTED),
                    new Source(
                            AuditEvent.HOST_LINK_SPEED_CHANGED,
                            Kind.NETWORK_SPEED,
                            entry ->
                                    ChangeRecorder.LINKED.formatted(
                                            detail(entry, "interface"),
                                            detail(entry, "before"),
                                            detail(entry, "now"))),
                    new Source(
                            AuditEvent.VDS_MAINTENANCE,
                            Kind.MAINTENANCE,
                            _ -> ChangeRecorder.TO_MAINTENANCE),
                    // Other states than maintenance may precede an activation.
                    new Source(AuditEvent.VDS_ACTIVATE, Kind.MAINTENANCE, _ -> "host activated"),
                    new Source(
                            AuditEvent.USER_UPDATE_VM,
                            Kind.DEFINITION,
                            entry -> ChangeRecorder.REDEFINED.formatted(vmName(entry))),
                    new Source(
                            AuditEvent.VM_MIGRATION_DONE,
                            Kind.MIGRATION,
                            _ -> ChangeRecorder.MIGRATED),
                    new Source(
                            AuditEvent.VM_MOVED_UNEXPECTEDLY,
                            Kind.MIGRATION,
                            _ -> ChangeRecorder.MIGRATED),
                    new Source(AuditEvent.USER_RUN_VM, Kind.START, _ -> ChangeRecorder.STARTED),
                    new Source(
                            AuditEvent.VM_STARTED_OUTSIDE_ENGINE,
                            Kind.START,
                            _ -> ChangeRecorder.STARTED));

    private final RegressionMonitor monitor;
    private final AuditReader log;
    private final int most;
    private final Deque<Source> left = new ArrayDeque<>(SOURCES);
    private final PriorityQueue<RecordedChange> newest =
            new PriorityQueue<>(Comparator.comparing(RecordedChange::at));
    private @Nullable Instant until;
    private AuditEntry.@Nullable Position before;

    ChangeReadBack(RegressionMonitor monitor, AuditReader log) {
        this.monitor = monitor;
        this.log = log;
        this.most = monitor.settings().mostChanges();
    }

    /** Whether there is anything left to read. */
    boolean isOpen() {
        return !left.isEmpty();
    }

    /**
     * Reads a page. After the last one the recorder has the changes.
     *
     * @throws StoreUnavailable if the log cannot be read now; the next call reads the same page
     */
    void step() throws StoreUnavailable {
        Instant end = until;
        if (end == null) {
            end = monitor.onChanges(ChangeRecorder::since);
            until = end;
        }
        Source source = left.getFirst();
        AuditFilter filter =
                new AuditFilter(
                        null, null, AuditSeverity.NORMAL, source.event(), earliest(end), end);
        List<AuditEntry> page = log.newest(filter, before, PAGE);
        for (AuditEntry entry : page) {
            keep(source, entry);
        }
        if (page.size() == PAGE && mayHold(page.getLast().at())) {
            before = page.getLast().position();
            return;
        }
        before = null;
        left.removeFirst();
        if (left.isEmpty()) {
            finish();
        }
    }

    private Instant earliest(Instant end) {
        RegressionSettings settings = monitor.settings();
        return end.minus(settings.interval().multipliedBy(settings.window() + LEAD));
    }

    /** Whether a change that is older than this one is among the newest. */
    private boolean mayHold(Instant at) {
        RecordedChange oldest = newest.peek();
        return oldest == null || newest.size() < most || at.isAfter(oldest.at());
    }

    private void keep(Source source, AuditEntry entry) {
        List<Shared> subjects = subjects(source.kind(), entry);
        if (subjects.isEmpty()) {
            return;
        }
        newest.add(
                new RecordedChange(
                        entry.at(), source.kind(), subjects, source.text().apply(entry)));
        if (newest.size() > most) {
            newest.remove();
        }
    }

    private static List<Shared> subjects(Kind kind, AuditEntry entry) {
        VmId vm = entry.vmId();
        HostId host = entry.hostId();
        List<Shared> subjects = new ArrayList<>(2);
        if (vm != null && (kind == Kind.DEFINITION || kind == Kind.MIGRATION)) {
            subjects.add(Owners.vm(vm));
        }
        if (host != null && kind != Kind.DEFINITION) {
            subjects.add(Owners.host(host));
        }
        return subjects;
    }

    private static String vmName(AuditEntry entry) {
        String name = entry.vmName();
        return name == null ? String.valueOf(entry.vmId()) : name;
    }

    private static String detail(AuditEntry entry, String name) {
        return entry.details().getOrDefault(name, "");
    }

    private void finish() {
        List<RecordedChange> past = new ArrayList<>(newest);
        newest.clear();
        past.sort(Comparator.comparing(RecordedChange::at).reversed());
        int added = monitor.onChanges(changes -> changes.remember(past));
        LOG.info(
                "recorded changes read back changes={} from={}",
                added,
                added == 0 ? null : past.get(added - 1).at());
    }
}
