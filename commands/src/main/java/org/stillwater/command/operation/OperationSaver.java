package org.stillwater.command.operation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandSettings;
import org.stillwater.command.StoreExecutor;
import org.stillwater.core.command.VmFact;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.store.WriteOutcome.Rejected;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.observe.ThrottledLog;

/**
 * Writes operations, everything that gathered in one statement, and forgets old ones. While the
 * database does not answer they wait, the newest of each. Used by the deciding thread only.
 */
final class OperationSaver {

    private static final int RETENTION_BATCH = 5_000;

    /** Operations of one batch that fail by themselves; if more do, it is the store. */
    private static final int MOST_FAILED = 20;

    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration EXPIRE_EVERY = Duration.ofHours(1);

    private final CommandEngine commands;
    private final CommandContext context;
    private final CommandSettings settings;
    private final OperationStore store;
    private final EngineClock clock;
    private final StoreExecutor storeExecutor;
    private final ThrottledLog warnings;
    private final Map<UUID, Operation> unsaved = new HashMap<>();
    private final Set<UUID> recording = new HashSet<>();
    private final Map<UUID, Aside> setAside = new ConcurrentHashMap<>();
    private @Nullable Long expiredNanos;
    private boolean probing;
    private long probeAtNanos;
    private boolean saving;
    private long saveAtNanos;
    private Duration savePause;

    /** An operation that the store cannot write, and why. */
    private record Aside(Operation operation, String reason) {}

    OperationSaver(CommandEngine commands) {
        this.commands = commands;
        this.context = commands.context();
        this.settings = context.settings();
        this.store = context.store();
        this.clock = context.clock();
        this.storeExecutor = context.storeExecutor();
        this.warnings = context.warnings();
        this.savePause = settings.firstRetry();
        this.probeAtNanos = clock.nanoTime();
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
                || !before.attempts().equals(after.attempts());
    }

    boolean save(boolean last) {
        if (unsaved.isEmpty()) {
            return false;
        }
        List<Operation> sorted =
                unsaved.values().stream()
                        .sorted(java.util.Comparator.comparing(Operation::id))
                        .toList();
        unsaved.clear();
        saving = !last;
        storeExecutor.submit(
                () -> {
                    Attempt attempt = new Attempt();
                    write(sorted, attempt);
                    if (!last) {
                        context.post(() -> saved(sorted, attempt));
                    }
                },
                failure -> {
                    Attempt attempt = new Attempt();
                    attempt.unavailable = reason(failure);
                    if (!last) {
                        context.post(() -> saved(sorted, attempt));
                    }
                });
        return true;
    }

    private static String reason(Throwable failure) {
        return failure instanceof StoreUnavailable
                ? String.valueOf(failure.getMessage())
                : "the store failed: " + failure;
    }

    /** Outcome of one attempt to write operations. */
    private static final class Attempt {
        final Set<UUID> written = new HashSet<>();
        final Map<UUID, String> failed = new HashMap<>();
        final List<Rejected> rejected = new ArrayList<>();
        @Nullable String unavailable;
    }

    /**
     * On the {@link StoreExecutor}: in one statement; if the store fails with some of them, by
     * halves, so that one that cannot be written does not affect the others.
     */
    private void write(List<Operation> all, Attempt attempt) {
        if (attempt.unavailable != null) {
            return;
        }
        try {
            switch (store.save(all)) {
                case WriteOutcome.Written result -> {
                    all.forEach(operation -> attempt.written.add(operation.id()));
                    attempt.rejected.addAll(result.rejected());
                }
                case WriteOutcome.Unavailable(String reason) -> attempt.unavailable = reason;
            }
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            if (all.size() > 1) {
                int middle = all.size() >>> 1;
                write(all.subList(0, middle), attempt);
                write(all.subList(middle, all.size()), attempt);
            } else if (attempt.failed.size() < MOST_FAILED) {
                warnings.about("an operation was not written", e.toString(), e);
                attempt.failed.put(all.getFirst().id(), reason(e));
            } else {
                attempt.unavailable = reason(e); // it is the store, not the operations
            }
        }
    }

    private void saved(List<Operation> tried, Attempt attempt) {
        saving = false;
        commands.admission().goOn();
        attempt.rejected.forEach(rejected ->
                warnings.about(
                        "an operation was not written", rejected.key() + ": " + rejected.reason()));
        boolean any = !attempt.written.isEmpty();
        if (any) {
            context.durability().kept();
            savePause = settings.firstRetry();
        }
        List<Operation> committed = new ArrayList<>();
        for (Operation operation : tried) {
            String failure = attempt.failed.get(operation.id());
            if (attempt.written.contains(operation.id())) {
                setAside.remove(operation.id());
                if (operation.state() == OperationState.RUNNING
                        && recording.remove(operation.id())) {
                    committed.add(operation);
                }
            } else if (failure != null && any) {
                setAside(operation, failure);
            } else {
                unsaved.putIfAbsent(operation.id(), operation);
            }
        }
        String failure =
                attempt.unavailable != null || any || attempt.failed.isEmpty()
                        ? attempt.unavailable
                        : attempt.failed.values().iterator().next();
        if (failure != null) {
            warnings.about("operations not written", failure);
            context.durability().lost(failure);
            saveAtNanos = clock.nanoTime() + savePause.toNanos();
            savePause = doubled(savePause);
        }
        for (Operation operation : committed) {
            boolean _ = context.guarded(() -> context.fact(operation.id(), new VmFact.Committed()));
        }
    }

    private Duration doubled(Duration pause) {
        Duration next = pause.multipliedBy(2);
        return next.compareTo(settings.longestRetry()) < 0 ? next : settings.longestRetry();
    }

    /**
     * The store cannot write this one and can write others: it is tried again later, alone in no
     * other one's way, and until then no other operation begins on its VM, because two of them open
     * in the database would be two orders after a restart.
     */
    private void setAside(Operation operation, String reason) {
        setAside.put(operation.id(), new Aside(operation, reason));
        context.after(
                settings.longestRetry(),
                () -> {
                    Aside aside = setAside.get(operation.id());
                    if (aside != null && aside.operation().equals(operation)) {
                        if (unsaved.isEmpty()) {
                            saveAtNanos = clock.nanoTime();
                        }
                        unsaved.putIfAbsent(operation.id(), operation);
                    }
                });
    }

    /** Why the end of an operation on a VM cannot be written; null if there is none. Any thread. */
    @Nullable String refusal(VmId vm) {
        if (setAside.isEmpty()) {
            return null;
        }
        for (Aside aside : setAside.values()) {
            if (vm.equals(aside.operation().vm())) {
                return "the operation %s cannot be saved: %s"
                        .formatted(aside.operation().id(), aside.reason());
            }
        }
        return null;
    }

    /** Operations that the store cannot write, and why. Any thread. */
    Map<UUID, String> notSaved() {
        Map<UUID, String> all = new HashMap<>();
        setAside.forEach((id, aside) -> all.put(id, aside.reason()));
        return all;
    }

    /**
     * Without writes the engine would not notice that the database accepts operations again:
     * therefore it orders the removal of a row that cannot exist.
     */
    private boolean probe(long now) {
        if (!context.durability().isLost()
                || saving
                || !unsaved.isEmpty()
                || probing
                || probeAtNanos - now > 0) {
            return false;
        }
        probing = true;
        storeExecutor.submit(
                () -> {
                    int _ = store.removeEndedBefore(Instant.EPOCH, 1);
                    context.durability().kept();
                    context.post(this::probed);
                },
                failure -> {
                    context.durability().lost(reason(failure));
                    context.post(this::probed);
                });
        return true;
    }

    private void probed() {
        probing = false;
        probeAtNanos = clock.nanoTime() + LOOK.toNanos();
    }

    /**
     * Operations that ended long ago are forgotten, at most once an hour and only when others end:
     * without operations there is no access to the database.
     */
    private void expire() {
        Instant before = clock.now().minus(settings.retention());
        storeExecutor.submit(
                () -> {
                    if (store.removeEndedBefore(before, RETENTION_BATCH) == RETENTION_BATCH) {
                        context.post(() -> context.after(LOOK, this::expire));
                    }
                },
                failure -> warnings.about("old operations not removed", reason(failure)));
    }

    /** Whether an end is not on its way to the database yet. */
    boolean anyEnd() {
        return unsaved.values().stream().anyMatch(Operation::isEnded);
    }

    /** Whether something is on its way. */
    boolean isSaving() {
        return saving;
    }

    /** Writes it at once and reports its completion, which the next step awaits. */
    void record(Operation operation) {
        recording.add(operation.id());
        unsaved(operation);
        saveAtNanos = clock.nanoTime();
    }

    /** No operation still waits for its write. */
    void forget(UUID id) {
        recording.remove(id);
    }

    /** Writes due operations. */
    boolean turn(long now) {
        return (!unsaved.isEmpty() && !saving && saveAtNanos - now <= 0 && save(false))
                || probe(now);
    }

    /** Time until the next write is due, up to a limit. */
    long untilNext(long wait, long now) {
        if (saving) {
            return wait;
        }
        if (!unsaved.isEmpty()) {
            return Math.min(wait, saveAtNanos - now);
        }
        return context.durability().isLost() && !probing
                ? Math.min(wait, Math.max(LOOK.toNanos() / 10, probeAtNanos - now))
                : wait;
    }

    /** An operation has ended: old ones are forgotten, at most once an hour. */
    void expireSoon() {
        if (expiredNanos == null || clock.nanoTime() - expiredNanos > EXPIRE_EVERY.toNanos()) {
            expiredNanos = clock.nanoTime();
            context.after(settings.saveEvery(), this::expire);
        }
    }
}
