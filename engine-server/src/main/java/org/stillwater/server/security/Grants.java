package org.stillwater.server.security;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Scope;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.feed.SubscriberLagged;
import org.stillwater.monitoring.feed.Subscription;

/**
 * Forgets what was granted on VMs and clusters that are gone, as the database does by itself. Costs
 * nothing while no VM changes. Thread-safe.
 */
@Component
class Grants implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Grants.class);
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final MonitoringEngine engine;
    private final Accounts accounts;
    private volatile @Nullable Thread follower;

    Grants(MonitoringEngine engine, Accounts accounts) {
        this.engine = engine;
        this.accounts = accounts;
    }

    @EventListener
    void gone(Gone gone) {
        accounts.forget(new Scope.OfCluster(gone.cluster()));
    }

    private void follow() {
        while (isRunning()) {
            try (Subscription changes = engine.subscribe(null, false)) {
                while (isRunning() && !changes.isOver()) {
                    for (Delta delta : changes.next(PATIENCE).deltas()) {
                        if (delta instanceof Delta.VmRemoved removed) {
                            accounts.forget(new Scope.OfVm(removed.vmId()));
                        }
                    }
                }
                return;
            } catch (SubscriberLagged _) {
                readAgain();
            } catch (InterruptedException _) {
                return; // the engine stops
            }
        }
    }

    private void readAgain() {
        try {
            accounts.reload();
        } catch (StoreUnavailable e) {
            // They are on what is not there, so they let nobody do anything.
            log.debug("Grants on what is gone are kept: {}", e.getMessage());
        }
    }

    @Override
    public synchronized void start() {
        if (follower == null) {
            follower = Thread.ofVirtual().name("grants").unstarted(this::follow);
            follower.start();
        }
    }

    @Override
    public synchronized void stop() {
        Thread present = follower;
        follower = null;
        if (present != null) {
            present.interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return follower != null;
    }

    /** After the engine, which has read its VMs then. */
    @Override
    public int getPhase() {
        return 1;
    }
}
