package org.stillwater.server.security;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Scope;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.feed.SubscriberLagged;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;

/**
 * Forgets grants on removed VMs and clusters, as the database does by itself. Costs nothing while
 * no VM changes. Thread-safe.
 */
@Component
class Grants implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Grants.class);
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final FleetReader fleet;
    private final Accounts accounts;
    private final Workers workers;
    private volatile boolean running;
    private @Nullable SupervisedWorker worker; // guarded by this

    Grants(FleetReader fleet, Accounts accounts, Workers workers) {
        this.workers = workers;
        this.fleet = fleet;
        this.accounts = accounts;
    }

    @EventListener
    void gone(ClusterRemoved gone) {
        accounts.forget(new Scope.OfCluster(gone.cluster()));
    }

    /** The follower's loop: waits for changes, and forgets grants on removed objects. */
    private final class Loop implements SupervisedWorker.Work {
        private @Nullable Subscription changes;
        private List<Delta> deltas = List.of();

        @Override
        public boolean await() throws InterruptedException {
            if (!running) {
                return end();
            }
            Subscription present = changes;
            if (present == null) {
                present = fleet.changes().subscribe(null, false);
                changes = present;
            }
            if (present.isOver()) {
                return end();
            }
            try {
                deltas = present.next(PATIENCE).deltas();
            } catch (SubscriberLagged _) {
                boolean _ = end();
                deltas = List.of();
                readAgain();
            }
            return true;
        }

        @Override
        public void perform() {
            for (Delta delta : deltas) {
                if (delta instanceof Delta.VmRemoved removed) {
                    accounts.forget(new Scope.OfVm(removed.vmId()));
                }
            }
        }

        private boolean end() {
            Subscription present = changes;
            changes = null;
            if (present != null) {
                present.close();
            }
            return false;
        }
    }

    private void readAgain() {
        try {
            accounts.reload();
        } catch (StoreUnavailable e) {
            // They are on missing objects, so they allow nothing.
            log.debug("Grants on removed objects are kept: {}", e.getMessage());
        }
    }

    @Override
    public synchronized void start() {
        if (!running) {
            running = true;
            worker = workers.worker("grants", new Loop());
            worker.start();
        }
    }

    @Override
    public synchronized void stop() {
        running = false;
        if (worker != null) {
            boolean _ = worker.stop(Duration.ZERO);
            worker = null;
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** After the engine, which has read its VMs then. */
    @Override
    public int getPhase() {
        return 1;
    }
}
