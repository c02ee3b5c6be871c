package org.stillwater.command.storage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandContext;
import org.stillwater.command.CommandSettings;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostStorage;
import org.stillwater.core.connection.StorageTask;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.monitoring.feed.HostState;

/**
 * Finds the host that manages a storage pool, and follows its tasks to their end. Used by the
 * deciding thread only, which also runs each given callback once.
 */
public final class StoragePoolManager {

    private final CommandContext context;
    private final CommandSettings settings;
    private @Nullable HostId manager;

    public StoragePoolManager(CommandContext context) {
        this.context = context;
        this.settings = context.settings();
    }

    /**
     * Why something was not done.
     *
     * @param hostCode code of the host's answer; 0 if it is not a host's answer
     */
    record Trouble(Code code, String reason, int hostCode) {
        Trouble(Code code, String reason) {
            this(code, reason, 0);
        }

        /** Whether a host may be doing it still. */
        boolean isUncertain() {
            return code == Code.HOST_LOST || code == Code.TIMED_OUT;
        }
    }

    /**
     * Asks hosts in contact one after the other, the likeliest first, which manages the pool; again
     * for as long as a command waits for hosts, because hosts are not in contact yet after a start
     * of the engine.
     */
    public void find(UUID pool, Consumer<HostStorage> found, Consumer<Trouble> failed) {
        find(pool, context.clock().nanoTime() + settings.hostPatience().toNanos(), found, failed);
    }

    private void find(
            UUID pool, long untilNanos, Consumer<HostStorage> found, Consumer<Trouble> failed) {
        List<HostState> hosts = new ArrayList<>();
        context.fleet()
                .hosts()
                .forEach(host -> {
                    if (host.state().status().isInContact()) {
                        hosts.add(host.state());
                    }
                });
        hosts.sort((one, other) -> Integer.compare(rank(one), rank(other)));
        ask(
                pool,
                hosts.iterator(),
                found,
                () -> {
                    if (context.clock().nanoTime() - untilNanos < 0) {
                        context.after(
                                settings.storageLook(),
                                () -> find(pool, untilNanos, found, failed));
                    } else {
                        failed.accept(
                                new Trouble(
                                        Code.NO_HOST,
                                        "no host that is up manages the storage pool " + pool));
                    }
                });
    }

    private int rank(HostState host) {
        if (host.definition().id().equals(manager)) {
            return 0;
        }
        return host.definition().traits().storagePoolManager() ? 1 : 2;
    }

    private void ask(
            UUID pool, Iterator<HostState> hosts, Consumer<HostStorage> found, Runnable none) {
        while (hosts.hasNext()) {
            HostId host = hosts.next().definition().id();
            HostStorage storage = context.vmAccess().storage(host);
            if (storage != null) {
                storage.isManager(
                        pool,
                        answer ->
                                context.post(() -> {
                                    if (answer instanceof HostAnswer.Success<Boolean>(var manages)
                                            && manages) {
                                        manager = host;
                                        found.accept(storage);
                                    } else {
                                        ask(pool, hosts, found, none);
                                    }
                                }));
                return;
            }
        }
        none.run();
    }

    /** Polls a task until it is finished, up to a time limit, and then clears it. */
    public void await(
            HostStorage storage,
            String task,
            Duration limit,
            Runnable done,
            Consumer<Trouble> failed) {
        await(storage, task, limit, context.clock().nanoTime() + limit.toNanos(), done, failed);
    }

    private void await(
            HostStorage storage,
            String task,
            Duration limit,
            long untilNanos,
            Runnable done,
            Consumer<Trouble> failed) {
        storage.task(
                task,
                answer ->
                        context.post(() -> {
                            if (answer instanceof HostAnswer.Success<StorageTask>(var status)
                                    && status.finished()) {
                                finished(storage, task, status, done, failed);
                            } else if (answer
                                    instanceof
                                    HostAnswer.Failed<StorageTask>(HostFailure.Refused refused)) {
                                failed.accept(
                                        new Trouble(
                                                Code.REFUSED, refused.describe(), refused.code()));
                            } else if (context.clock().nanoTime() - untilNanos >= 0) {
                                failed.accept(
                                        new Trouble(
                                                Code.TIMED_OUT,
                                                "the task of the host took longer than %d s"
                                                        .formatted(limit.toSeconds())));
                            } else {
                                context.after(
                                        settings.storageLook(),
                                        () ->
                                                await(
                                                        storage,
                                                        task,
                                                        limit,
                                                        untilNanos,
                                                        done,
                                                        failed));
                            }
                        }));
    }

    private void finished(
            HostStorage storage,
            String task,
            StorageTask status,
            Runnable done,
            Consumer<Trouble> failed) {
        storage.clearTask(
                task,
                _ ->
                        context.post(() -> {
                            if (status.succeeded()) {
                                done.run();
                            } else {
                                failed.accept(
                                        new Trouble(
                                                Code.REFUSED,
                                                "the task of the host failed with code %d: %s"
                                                        .formatted(status.code(), status.message()),
                                                status.code()));
                            }
                        }));
    }

    /** A receiver that passes a host's answer on, on the deciding thread. */
    <T> Consumer<HostAnswer<T>> posted(Consumer<T> done, Consumer<Trouble> failed) {
        return answer -> context.post(() -> take(answer, done, failed));
    }

    /** Passes a host's answer on. */
    static <T> void take(HostAnswer<T> answer, Consumer<T> done, Consumer<Trouble> failed) {
        switch (answer) {
            case HostAnswer.Success<T>(T value) -> done.accept(value);
            case HostAnswer.Failed<T>(HostFailure failure) -> failed.accept(trouble(failure));
        }
    }

    private static Trouble trouble(HostFailure failure) {
        return failure instanceof HostFailure.Refused refused
                ? new Trouble(Code.REFUSED, failure.describe(), refused.code())
                : new Trouble(Code.HOST_LOST, failure.describe());
    }
}
