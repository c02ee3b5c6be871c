package org.stillwater.server.api.operation;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.lock.KeyedLocks;
import org.stillwater.server.settings.IfCommandsAreEnabled;
import org.stillwater.server.settings.RestSettings;

/**
 * Batches that a client read lately. Those that have ended are forgotten, the oldest first, once
 * there are more operations than {@code stillwater.commands.kept-ended}, and read from the database
 * when they are requested again. Thread-safe.
 */
@IfCommandsAreEnabled
@Component
final class Batches {

    private final History history;
    private final int keptEnded;
    private final Duration patience;
    private final KeyedLocks reads = new KeyedLocks("reads of batches");
    private final Map<UUID, Batch> batches = new LinkedHashMap<>(); // guarded by itself

    /** Batches that are being read, which receive changes already. Guarded by the others. */
    private final Map<UUID, Batch> unread = new HashMap<>();

    /** Operations of a batch in the database, none for an unknown one. */
    @FunctionalInterface
    interface History {
        List<Operation> of(UUID batch) throws StoreUnavailable;
    }

    @Autowired
    Batches(CommandEngine commands, RestSettings rest) {
        this(
                id ->
                        commands.history(
                                new OperationStore.Filter(
                                        null,
                                        null,
                                        null,
                                        null,
                                        id,
                                        null,
                                        null,
                                        commands.settings().mostInBatch())),
                commands.settings().keptEnded(),
                rest.orderPatience());
        commands.follow(this::told);
    }

    /**
     * Batches that no operation is reported to yet.
     *
     * @param patience longest wait for another request that reads the same batch
     */
    Batches(History history, int keptEnded, Duration patience) {
        this.history = history;
        this.keptEnded = keptEnded;
        this.patience = patience;
    }

    /** A batch with operations that are about to be requested. */
    Batch begin(UUID id) {
        Batch batch = new Batch(id);
        synchronized (batches) {
            forgetEnded();
            batches.put(id, batch);
        }
        return batch;
    }

    /** Nothing of it was accepted. */
    void drop(Batch batch) {
        synchronized (batches) {
            batches.remove(batch.id());
        }
    }

    /**
     * Waits for the answers of a batch. Without them its client does not know it, so it is not kept
     * without operations; what begins of it is read from the database on request.
     */
    <T> T answered(Batch batch, Supplier<T> answers) {
        boolean answered = false;
        try {
            T all = answers.get();
            answered = true;
            return all;
        } finally {
            if (!answered) {
                drop(batch);
            }
        }
    }

    /** An operation went on. */
    void told(Operation operation) {
        UUID id = operation.origin().batch();
        if (id == null) {
            return;
        }
        Batch batch;
        synchronized (batches) {
            Batch known = batches.get(id);
            batch = known == null ? unread.get(id) : known;
        }
        if (batch != null) {
            batch.told(operation);
        }
    }

    private void forgetEnded() {
        int left = batches.values().stream().mapToInt(Batch::size).sum();
        Iterator<Batch> oldest = batches.values().iterator();
        while (left > keptEnded && oldest.hasNext()) {
            Batch batch = oldest.next();
            if (batch.isEnded()) {
                left -= batch.size();
                oldest.remove();
            }
        }
    }

    /**
     * The batch of this id; null if there is none. May read the database.
     *
     * @throws StoreUnavailable if it is not in memory and cannot be read
     */
    @Nullable Batch find(UUID id) throws StoreUnavailable {
        Batch known = known(id);
        if (known != null) {
            return known;
        }
        // Other requests wait: without its operations a batch would look ended.
        try (KeyedLocks.Held _ = reads.alone(id, patience)) {
            Batch read = known(id);
            return read == null ? read(id) : read;
        } catch (KeyedLocks.Busy e) {
            throw new StoreUnavailable("another request waits for the batch", e);
        }
    }

    private @Nullable Batch known(UUID id) {
        synchronized (batches) {
            return batches.get(id);
        }
    }

    private @Nullable Batch read(UUID id) throws StoreUnavailable {
        Batch batch = new Batch(id);
        synchronized (batches) {
            unread.put(id, batch); // before it is read, so that no step is missed
        }
        boolean found = false;
        try {
            batch.loaded(history.of(id));
            found = batch.size() > 0;
        } finally {
            synchronized (batches) {
                unread.remove(id);
                if (found) {
                    forgetEnded();
                    batches.put(id, batch);
                }
            }
        }
        return found ? batch : null;
    }
}
