package org.stillwater.server.api.operation;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.core.operation.Operation;
import org.stillwater.server.settings.IfCommandsAreEnabled;

/**
 * Operations that a client follows one by one: each is a batch of its own. The command layer has
 * one listener for all of them. Thread-safe.
 */
@IfCommandsAreEnabled
@Component
final class OperationFollowers {

    private final Map<UUID, List<Batch>> followed = new ConcurrentHashMap<>();

    OperationFollowers(CommandEngine commands) {
        commands.follow(this::told);
    }

    private void told(Operation operation) {
        List<Batch> batches = followed.get(operation.id());
        if (batches != null) {
            batches.forEach(batch -> batch.told(operation));
        }
    }

    /** From now on it receives every step of this operation; to be left in the end. */
    Batch enter(UUID operation) {
        Batch alone = new Batch(operation);
        followed.merge(
                operation,
                List.of(alone),
                (before, _) -> Stream.concat(before.stream(), Stream.of(alone)).toList());
        return alone;
    }

    /** Removes the follower. */
    void leave(Batch alone) {
        followed.computeIfPresent(
                alone.id(),
                (_, before) -> {
                    List<Batch> rest = before.stream().filter(each -> each != alone).toList();
                    return rest.isEmpty() ? null : rest;
                });
    }

    /** How many operations are followed. */
    int size() {
        return followed.size();
    }
}
