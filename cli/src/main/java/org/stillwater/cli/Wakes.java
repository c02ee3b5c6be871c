package org.stillwater.cli;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Signals possible changes: it follows the engine's event stream on a thread of its own and counts
 * only arrivals. A query with the filters of the list then reads the changes, so that a watch shows
 * the same rows as the list. A lost stream is opened again. Waited for by one thread.
 */
final class Wakes implements AutoCloseable {

    /** Between two questions, however many changes arrive: a terminal is not read faster. */
    private static final Duration REST = Duration.ofMillis(200);

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final int MOST_ATTEMPTS = 30;

    private final Engine engine;
    private final String path;
    private final CommandEnvironment here;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean due;
    private boolean closed;
    private @Nullable RuntimeException ended;
    private boolean opened;
    private int attempts;

    /**
     * @param path of the stream below {@code /api/v1}
     */
    Wakes(Engine engine, String path, CommandEnvironment here) {
        this.engine = engine;
        this.path = path;
        this.here = here;
        Thread.ofPlatform().daemon().name("stream").start(this::follow);
    }

    private void follow() {
        while (true) {
            RuntimeException trouble;
            try {
                engine.events(path, this::isOpen, (_, _) -> arrived());
                trouble = new Trouble(Exit.NO_ANSWER, "the engine has ended the stream");
            } catch (RuntimeException e) {
                trouble = e;
            }
            lock.lock();
            try {
                boolean again =
                        opened
                                && ++attempts <= MOST_ATTEMPTS
                                && !(trouble instanceof Trouble known
                                        && known.exitCode() == Exit.NOT_ALLOWED);
                if (closed || !again) {
                    ended = trouble;
                    changed.signalAll();
                    return;
                }
            } finally {
                lock.unlock();
            }
            here.err()
                    .println(
                            "stillwater: the stream is lost ("
                                    + Texts.visible(String.valueOf(trouble.getMessage()))
                                    + "); connecting again");
            try {
                Thread.sleep(Duration.ofSeconds(Math.min(attempts, LONGEST_PAUSE.toSeconds())));
            } catch (InterruptedException _) {
                return;
            }
        }
    }

    private void isOpen() {
        lock.lock();
        try {
            opened = true;
            attempts = 0;
            due = true; // changes while no stream was open
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean arrived() {
        lock.lock();
        try {
            due = true;
            changed.signalAll();
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until something may have changed.
     *
     * @param untilNanos of {@link System#nanoTime}, null for no limit
     * @return false if the time is over
     * @throws Trouble if the stream has ended
     */
    boolean await(@Nullable Long untilNanos) {
        lock.lock();
        try {
            while (!due) {
                if (ended != null) {
                    throw ended;
                }
                if (untilNanos == null) {
                    changed.await();
                } else {
                    long left = untilNanos - System.nanoTime();
                    if (left <= 0) {
                        return false;
                    }
                    boolean _ = changed.await(left, TimeUnit.NANOSECONDS);
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
        rest();
        lock.lock();
        try {
            due = false;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private static void rest() {
        try {
            Thread.sleep(REST);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }
}
