package org.stillwater.monitoring.lock;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.stillwater.monitoring.observe.LockWaitEvent;

/**
 * One lock for each subject that changes just now, so that a change that waits for the database
 * does not hold up changes of another subject. Thread-safe; it holds no more locks than there are
 * changes under way.
 */
public final class KeyedLocks {

    private final String name;
    private final Map<Object, Entry> entries = new HashMap<>(); // guarded by itself

    private static final class Entry {
        final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        int users;
    }

    /** Gives the lock back. */
    @FunctionalInterface
    public interface Held extends AutoCloseable {
        @Override
        void close();
    }

    /** There was no lock in time. */
    public static final class Busy extends Exception {
        private static final long serialVersionUID = 1L;

        Busy(Object key) {
            super("another change of " + key + " is under way and has not ended");
        }
    }

    /**
     * No lock.
     *
     * @param name of them all, as waits show it: a constant
     */
    public KeyedLocks(String name) {
        this.name = name;
    }

    /**
     * No other thread changes this meanwhile, or {@link #share shares} it.
     *
     * @throws Busy if another thread does, for this time
     */
    public Held alone(Object key, Duration patience) throws Busy {
        return hold(key, true, patience);
    }

    /**
     * No thread has this {@link #alone} meanwhile.
     *
     * @throws Busy if another thread has, for this time
     */
    public Held share(Object key, Duration patience) throws Busy {
        return hold(key, false, patience);
    }

    private Held hold(Object key, boolean alone, Duration patience) throws Busy {
        Entry entry;
        synchronized (entries) {
            entry = entries.computeIfAbsent(key, _ -> new Entry());
            entry.users++;
        }
        boolean held = false;
        LockWaitEvent wait = new LockWaitEvent();
        wait.begin();
        try {
            held = alone ? tryAlone(entry, patience) : tryShared(entry, patience);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the caller stops waiting early
        } finally {
            wait.end();
            if (wait.shouldCommit()) {
                wait.name = name;
                wait.held = held;
                wait.commit();
            }
            if (!held) {
                leave(key);
            }
        }
        if (!held) {
            throw new Busy(key);
        }
        return () -> {
            if (alone) {
                entry.lock.writeLock().unlock();
            } else {
                entry.lock.readLock().unlock();
            }
            leave(key);
        };
    }

    private static boolean tryAlone(Entry entry, Duration patience) throws InterruptedException {
        return patience.isZero()
                ? entry.lock.writeLock().tryLock()
                : entry.lock.writeLock().tryLock(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static boolean tryShared(Entry entry, Duration patience) throws InterruptedException {
        return patience.isZero()
                ? entry.lock.readLock().tryLock()
                : entry.lock.readLock().tryLock(patience.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void leave(Object key) {
        synchronized (entries) {
            Entry entry = Objects.requireNonNull(entries.get(key));
            entry.users--;
            if (entry.users == 0) {
                entries.remove(key);
            }
        }
    }
}
