package org.stillwater.server.ovirt;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Lets only so many requests of one client be answered at the same time; others wait for their
 * turn, in order, which costs a virtual thread and nothing else. Clients ask with as many
 * connections as they have VMs (chapter 7.1), and must not take the processors from each other and
 * from monitoring. Thread-safe; bounded by the number of requests under way.
 */
final class Admission {

    private final int permits;
    private final Duration patience;
    private final Map<String, Turnstile> turnstiles = new HashMap<>();

    /** One client's slots, and the number of requests that hold a reference. */
    private static final class Turnstile {
        private final Semaphore places;
        private int users;

        Turnstile(int permits) {
            places = new Semaphore(permits, true);
        }
    }

    Admission(int permits, Duration patience) {
        this.permits = permits;
        this.patience = patience;
    }

    /** A slot; to be released. */
    interface Place extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Waits for a slot.
     *
     * @return null if there was none in time
     */
    @org.jspecify.annotations.Nullable
    Place enter(String client) throws InterruptedException {
        Turnstile turnstile;
        synchronized (turnstiles) {
            turnstile = turnstiles.computeIfAbsent(client, _ -> new Turnstile(permits));
            turnstile.users++;
        }
        boolean entered = false;
        try {
            entered = turnstile.places.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            if (!entered) {
                leave(client, turnstile);
            }
        }
        return entered
                ? () -> {
                    turnstile.places.release();
                    leave(client, turnstile);
                }
                : null;
    }

    private void leave(String client, Turnstile turnstile) {
        synchronized (turnstiles) {
            if (--turnstile.users == 0) {
                turnstiles.remove(client);
            }
        }
    }

    /** Clients with requests under way. */
    int clients() {
        synchronized (turnstiles) {
            return turnstiles.size();
        }
    }
}
