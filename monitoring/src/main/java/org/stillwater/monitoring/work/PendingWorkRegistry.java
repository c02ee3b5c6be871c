package org.stillwater.monitoring.work;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.HostWorkStore;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WorkListener;
import org.stillwater.core.store.WorkStore;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.monitoring.observe.ThrottledLog;
import org.stillwater.monitoring.write.DurableWork;

/**
 * Durable work that no command has taken yet. Without a listener it waits here and in the database.
 *
 * <p>Thread-safe. Readers do not lock; a lock orders the calls of a listener, so that it gets each
 * work once, at any time of its registration.
 */
public final class PendingWorkRegistry implements DurableWork, PendingWorkQueue {

    private static final Logger LOG = LoggerFactory.getLogger(PendingWorkRegistry.class);

    private final WorkStore store;
    private final HostWorkStore hostStore;
    private final EngineClock clock;
    private final ThrottledLog warnings;
    private final Map<PendingWork.Key, OpenWork> open = new ConcurrentHashMap<>();
    private final Map<HostWork.Key, OpenHostWork> openAboutHosts = new ConcurrentHashMap<>();
    private final ReentrantLock telling = new ReentrantLock();
    private final List<WorkListener> listeners = new ArrayList<>(2);

    /**
     * An empty book.
     *
     * @param quietPeriod a repeated complaint about a listener is logged once in this time
     */
    public PendingWorkRegistry(
            WorkStore store, HostWorkStore hostStore, EngineClock clock, Duration quietPeriod) {
        this.store = store;
        this.hostStore = hostStore;
        this.clock = clock;
        this.warnings = new ThrottledLog(LOG, clock, quietPeriod, "work");
    }

    /**
     * Loads the work that was open when the engine stopped. Work that monitoring must decide again
     * stays in the database: the same decision opens it again, the end of its episode removes it.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    public void recover() throws StoreUnavailable {
        List<OpenWork> found = new ArrayList<>();
        List<OpenHostWork> aboutHosts = new ArrayList<>();
        store.loadWork(found::add);
        hostStore.loadHostWork(aboutHosts::add);
        found.forEach(this::opened);
        long held = 0;
        for (OpenHostWork work : aboutHosts) {
            if (work.work().kind().isDecidedAnew()) {
                held++;
            } else {
                opened(work);
            }
        }
        if (held > 0) {
            LOG.info("pending work of hosts is checked again before a command gets it: {}", held);
        }
    }

    /** Takes durable work; has no effect on work that was taken before. */
    @Override
    public void opened(OpenWork work) {
        telling.lock();
        try {
            if (open.putIfAbsent(work.work().key(), work) == null) {
                listeners.forEach(listener -> tell(listener, work));
            }
        } finally {
            telling.unlock();
        }
    }

    /**
     * Takes durable work; has no effect on work that was taken before. Earlier attempts are no
     * longer open.
     */
    @Override
    public void opened(OpenHostWork work) {
        telling.lock();
        try {
            openAboutHosts.values().removeIf(earlier -> earlier.work().isReplacedBy(work.work()));
            if (openAboutHosts.putIfAbsent(work.work().key(), work) == null) {
                listeners.forEach(listener -> tell(listener, work));
            }
        } finally {
            telling.unlock();
        }
    }

    @Override
    public void episodeReached(HostId host, long episode) {
        openAboutHosts.keySet().removeIf(key -> key.host().equals(host) && key.episode() < episode);
    }

    @Override
    public void listen(WorkListener next) {
        telling.lock();
        try {
            listeners.add(next);
            open().forEach(work -> tell(next, work));
            openAboutHosts().forEach(work -> tell(next, work));
        } finally {
            telling.unlock();
        }
    }

    private void tell(WorkListener listener, OpenWork work) {
        try {
            listener.workOpened(work);
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            warnings.about("work listener failed", work + ": " + e, e);
        }
    }

    private void tell(WorkListener listener, OpenHostWork work) {
        try {
            listener.hostWorkOpened(work);
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            warnings.about("work listener failed", work + ": " + e, e);
        }
    }

    @Override
    public boolean takeOver(PendingWork work, UUID owner) throws StoreUnavailable {
        OpenWork seen = open.get(work.key());
        boolean taken = store.takeOver(work, owner, clock.now());
        if (seen != null) {
            open.remove(work.key(), seen);
        }
        return taken;
    }

    /** Work was taken without {@link #takeOver}, in one transaction with other changes. */
    public void taken(PendingWork work) {
        open.remove(work.key());
    }

    /** The same about work about a host. */
    public void taken(HostWork work) {
        openAboutHosts.remove(work.key());
    }

    @Override
    public boolean takeOver(HostWork work, UUID owner) throws StoreUnavailable {
        OpenHostWork seen = openAboutHosts.get(work.key());
        boolean taken = hostStore.takeOverHost(work, owner, clock.now());
        if (seen != null) {
            openAboutHosts.remove(work.key(), seen);
        }
        return taken;
    }

    /** The host was removed, and its work with it. */
    public void forget(HostId host) {
        episodeReached(host, Long.MAX_VALUE);
    }

    /** The VM was removed, and its work with it. */
    public void forget(VmId vmId) {
        open.keySet().removeIf(key -> key.vmId().equals(vmId));
    }

    /** Whether work of this key is open. */
    public boolean isOpen(PendingWork.Key key) {
        return open.containsKey(key);
    }

    @Override
    public List<OpenWork> open() {
        return open.values().stream().sorted(OpenWork.OLDEST_FIRST).toList();
    }

    @Override
    public List<OpenHostWork> openAboutHosts() {
        return openAboutHosts.values().stream().sorted(OpenHostWork.OLDEST_FIRST).toList();
    }

    /** Whether work of this key is open. */
    public boolean isOpen(HostWork.Key key) {
        return openAboutHosts.containsKey(key);
    }

    /** Number of open pieces of work about VMs. */
    public int size() {
        return open.size();
    }

    /** Number of open pieces of work about hosts. */
    public int sizeAboutHosts() {
        return openAboutHosts.size();
    }
}
