package org.stillwater.xapi.client;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** Does everything at once on the thread that requests it, so that a seed decides every order. */
public final class CallersThread extends AbstractExecutorService {

    private volatile boolean ended;

    @Override
    public void execute(Runnable command) {
        if (ended) {
            throw new RejectedExecutionException("ended");
        }
        command.run();
    }

    @Override
    public void shutdown() {
        ended = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        ended = true;
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return ended;
    }

    @Override
    public boolean isTerminated() {
        return ended;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return ended;
    }
}
