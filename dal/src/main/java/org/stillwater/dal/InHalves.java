package org.stillwater.dal;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.store.WriteOutcome.Unavailable;
import org.stillwater.core.store.WriteOutcome.Written;

/**
 * Writes the two halves of a batch at the same time: one by the caller, the other by a thread that
 * ends with the call. PostgreSQL uses one processor for each connection, so a single writer cannot
 * use two.
 */
final class InHalves {

    private InHalves() {}

    /**
     * Writes a batch; returns when both halves have ended.
     *
     * @param write writes one half in a transaction of its own
     * @return the outcome of both halves; if one half is unavailable, so is the batch, although the
     *     other half may be durable
     * @throws RuntimeException or an error of a half, the caller's own first
     */
    static <T> WriteOutcome write(List<T> rows, Function<List<T>, WriteOutcome> write) {
        int middle = rows.size() / 2;
        FutureTask<WriteOutcome> upper =
                new FutureTask<>(() -> write.apply(rows.subList(middle, rows.size())));
        Thread.ofVirtual().name("upper-half").start(upper);
        WriteOutcome lower;
        try {
            lower = write.apply(rows.subList(0, middle));
        } catch (Throwable e) {
            awaitEnd(upper);
            throw e;
        }
        awaitEnd(upper);
        return both(lower, result(upper));
    }

    private static WriteOutcome both(WriteOutcome lower, WriteOutcome upper) {
        return switch (lower) {
            case Unavailable unavailable -> unavailable;
            case Written first ->
                    switch (upper) {
                        case Written second -> first.and(second);
                        case Unavailable unavailable -> unavailable;
                    };
        };
    }

    /** Waits even while interrupted, like a writer that waits for its own half. */
    private static void awaitEnd(FutureTask<?> half) {
        boolean interrupted = false;
        while (!half.isDone()) {
            try {
                half.get();
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException e) {
                break; // result throws it
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The result of a half that has ended. */
    private static <R> R result(FutureTask<R> half) {
        if (half.state() == Future.State.SUCCESS) {
            return half.resultNow();
        }
        switch (half.exceptionNow()) {
            case RuntimeException failure -> throw failure;
            case Error failure -> throw failure;
            case Throwable failure -> throw new IllegalStateException(failure);
        }
    }
}
