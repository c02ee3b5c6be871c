package org.stillwater.testkit.memory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.store.AuditStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;

/**
 * The audit log in memory, with the semantics of the database. Counts calls; can be made
 * unavailable, made to refuse entries, and made to lose the answer to a batch that it kept.
 * Thread-safe.
 */
public final class InMemoryAuditStore implements AuditStore {

    private final TreeMap<AuditEntry.Position, AuditEntry> entries = new TreeMap<>();
    private @Nullable String unavailable;
    private @Nullable String refusedText;
    private @Nullable String breakingText;
    private @Nullable Error error;
    private boolean maintenanceThrows;
    private boolean answerLost;
    private int calls;
    private int maintenances;

    /** From now on every call finds the database unavailable; null ends it. */
    public synchronized void unavailable(@Nullable String reason) {
        unavailable = reason;
    }

    /** From now on entries with this text are refused; null ends it. */
    public synchronized void refuse(@Nullable String text) {
        refusedText = text;
    }

    /** From now on a batch with an entry that contains this text makes it throw; null ends it. */
    public synchronized void throwWith(@Nullable String text) {
        breakingText = text;
    }

    /** From now on a batch ends with this error; null ends it. */
    public synchronized void failWith(@Nullable Error next) {
        error = next;
    }

    /** Whether maintenance throws from now on. */
    public synchronized void throwInMaintenance(boolean now) {
        maintenanceThrows = now;
    }

    /** The next batch is kept, but the caller does not learn it. */
    public synchronized void loseNextAnswer() {
        answerLost = true;
    }

    /** Everything in the log, oldest first. */
    public synchronized List<AuditEntry> all() {
        return List.copyOf(entries.values());
    }

    /** Calls made so far, reads and maintenance included: the statements of a database. */
    public synchronized int calls() {
        return calls;
    }

    /** Maintenance done so far. */
    public synchronized int maintenances() {
        return maintenances;
    }

    @Override
    public synchronized WriteOutcome append(List<AuditEntry> batch) {
        calls++;
        if (unavailable != null) {
            return new WriteOutcome.Unavailable(unavailable);
        }
        Error failure = error;
        if (failure != null) {
            throw failure;
        }
        String breaking = breakingText;
        if (breaking != null && batch.stream().anyMatch(entry -> entry.text().contains(breaking))) {
            throw new IllegalStateException("a bug");
        }
        int touched = 0;
        List<WriteOutcome.Rejected> rejected = new ArrayList<>();
        for (AuditEntry entry : batch) {
            if (refusedText != null && entry.text().contains(refusedText)) {
                rejected.add(new WriteOutcome.Rejected("" + entry.id(), "refused"));
            } else if (entries.putIfAbsent(entry.position(), entry) == null) {
                touched++;
            }
        }
        if (answerLost) {
            answerLost = false;
            return new WriteOutcome.Unavailable("the answer was lost");
        }
        return new WriteOutcome.Written(touched, rejected);
    }

    @Override
    public synchronized List<AuditEntry> newest(
            AuditFilter filter, AuditEntry.@Nullable Position before, int limit)
            throws StoreUnavailable {
        reach();
        Map<AuditEntry.Position, AuditEntry> older =
                before == null ? entries : entries.headMap(before, false);
        return new TreeMap<>(older)
                .descendingMap().values().stream().filter(filter::matches).limit(limit).toList();
    }

    @Override
    public synchronized Maintenance maintain(Instant from, Instant until, Instant keepFrom)
            throws StoreUnavailable {
        reach();
        if (maintenanceThrows) {
            throw new IllegalStateException("a bug");
        }
        maintenances++;
        entries.headMap(new AuditEntry.Position(keepFrom, Long.MIN_VALUE)).clear();
        return new Maintenance(0, 0);
    }

    private void reach() throws StoreUnavailable {
        calls++;
        if (unavailable != null) {
            throw new StoreUnavailable(unavailable, new IllegalStateException(unavailable));
        }
    }
}
