package org.stillwater.server.api.operation;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.settings.IfCommandsAreEnabled;

/**
 * Batches that a client read lately. Those that have ended are forgotten, the oldest first, once
 * there are more operations than {@code stillwater.commands.kept-ended}, and read from the database
 * when they are asked for again. Thread-safe.
 */
@IfCommandsAreEnabled
@Component
final class Batches {

    private final CommandEngine commands;
    private final Map<UUID, Batch> batches = new LinkedHashMap<>(); // guarded by itself

    Batches(CommandEngine commands) {
        this.commands = commands;
        commands.follow(this::told);
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

    private void told(Operation operation) {
        UUID id = operation.origin().batch();
        if (id == null) {
            return;
        }
        Batch batch;
        synchronized (batches) {
            batch = batches.get(id);
        }
        if (batch != null) {
            batch.told(operation);
        }
    }

    private void forgetEnded() {
        int left = batches.values().stream().mapToInt(Batch::size).sum();
        Iterator<Batch> oldest = batches.values().iterator();
        while (left > commands.settings().keptEnded() && oldest.hasNext()) {
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
        synchronized (batches) {
            Batch known = batches.get(id);
            if (known != null) {
                return known;
            }
        }
        // The batch receives changes before it is read, so that no step is missed.
        Batch batch = begin(id);
        boolean found = false;
        try {
            List<Operation> all =
                    commands.history(
                            new OperationStore.Filter(
                                    null, null, null, null, id, null, null, most()));
            batch.loaded(all);
            found = batch.size() > 0;
        } finally {
            if (!found) {
                drop(batch);
            }
        }
        return found ? batch : null;
    }

    private int most() {
        return commands.settings().mostInBatch();
    }
}
