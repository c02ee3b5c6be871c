package org.stillwater.command;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.OperationStore;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.WriteOutcome;
import org.stillwater.monitoring.observe.Complaints;

/**
 * Writes operations, everything that gathered in one statement, and forgets old ones. While the
 * database does not answer they wait, the newest of each. Used by the deciding thread only.
 */
final class OperationSaver {

    private static final int RETENTION_BATCH = 5_000;
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration EXPIRE_EVERY = Duration.ofHours(1);

    private final CommandEngine commands;
    private final CommandSettings settings;
    private final OperationStore store;
    private final EngineClock clock;
    private final StoreLane storeLane;
    private final Complaints complaints;
    private final Map<UUID, Operation> unsaved = new HashMap<>();
    private final Set<UUID> recording = new HashSet<>();
    private @Nullable Long expiredNanos;
    private boolean saving;
    private long saveAtNanos;
    private Duration savePause;

    OperationSaver(CommandEngine commands) {
        this.commands = commands;
        this.settings = commands.settings();
        this.store = commands.operations();
        this.clock = commands.clock();
        this.storeLane = commands.storeLane();
        this.complaints = commands.complaints();
        this.savePause = settings.firstRetry();
    }

    void unsaved(Operation operation) {
        if (unsaved.isEmpty()) {
            saveAtNanos = clock.nanoTime() + settings.saveEvery().toNanos();
        }
        unsaved.put(operation.id(), operation);
    }

    static boolean isWorthSaving(Operation before, Operation after) {
        return before.state() != after.state()
                || !Objects.equals(before.target(), after.target())
                || !before.tried().equals(after.tried());
    }

    boolean save(boolean last) {
        if (unsaved.isEmpty()) {
            return false;
        }
        Collection<Operation> taken = new ArrayList<>(unsaved.values());
        unsaved.clear();
        List<Operation> sorted =
                taken.stream().sorted(java.util.Comparator.comparing(Operation::id)).toList();
        saving = !last;
        storeLane.submit(() -> {
            WriteOutcome outcome = store.save(sorted);
            if (!last) {
                commands.post(() -> saved(sorted, outcome));
            }
        });
        return true;
    }

    private void saved(List<Operation> written, WriteOutcome outcome) {
        saving = false;
        commands.beginnings().goOn();
        switch (outcome) {
            case WriteOutcome.Written result -> {
                savePause = settings.firstRetry();
                for (Operation operation : written) {
                    if (operation.state() == OperationState.RUNNING
                            && recording.remove(operation.id())) {
                        commands.fact(operation.id(), new VmFact.Committed());
                    }
                }
                result.rejected()
                        .forEach(rejected ->
                                complaints.about(
                                        "an operation was not written",
                                        rejected.key() + ": " + rejected.reason()));
            }
            case WriteOutcome.Unavailable(String reason) -> {
                complaints.about("operations not written", reason);
                written.forEach(operation -> unsaved.putIfAbsent(operation.id(), operation));
                saveAtNanos = clock.nanoTime() + savePause.toNanos();
                savePause =
                        savePause.multipliedBy(2).compareTo(settings.longestRetry()) < 0
                                ? savePause.multipliedBy(2)
                                : settings.longestRetry();
            }
        }
    }

    /**
     * Operations that ended long ago are forgotten, once an hour at the most and only when others
     * end: while nothing is done nothing is asked of the database.
     */
    private void expire() {
        Instant before = clock.now().minus(settings.retention());
        storeLane.submit(() -> {
            int removed = 0;
            try {
                removed = store.removeEndedBefore(before, RETENTION_BATCH);
            } catch (StoreUnavailable | RuntimeException e) {
                complaints.about("old operations not removed", String.valueOf(e.getMessage()));
            }
            if (removed == RETENTION_BATCH) {
                commands.post(() -> commands.after(LOOK, this::expire));
            }
        });
    }

    /** Whether an end is not on its way to the database yet. */
    boolean anyEnd() {
        return unsaved.values().stream().anyMatch(Operation::isEnded);
    }

    /** Whether something is on its way. */
    boolean isSaving() {
        return saving;
    }

    /** Writes it at once, and says when it is written: what follows waits for that. */
    void record(Operation operation) {
        recording.add(operation.id());
        unsaved(operation);
        saveAtNanos = clock.nanoTime();
    }

    /** Nobody waits for it to be written any more. */
    void forget(UUID id) {
        recording.remove(id);
    }

    /** Writes what is due. */
    boolean turn(long now) {
        return !unsaved.isEmpty() && !saving && saveAtNanos - now <= 0 && save(false);
    }

    /** How long nothing is to be written, at the most so long. */
    long untilNext(long wait, long now) {
        return !unsaved.isEmpty() && !saving ? Math.min(wait, saveAtNanos - now) : wait;
    }

    /** An operation has ended: old ones are forgotten, once an hour at the most. */
    void expireSoon() {
        if (expiredNanos == null || clock.nanoTime() - expiredNanos > EXPIRE_EVERY.toNanos()) {
            expiredNanos = clock.nanoTime();
            commands.after(settings.saveEvery(), this::expire);
        }
    }
}
