package org.stillwater.monitoring.work;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.model.PendingWork;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.EngineClock;
import org.stillwater.core.port.OpenWork;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.core.port.WorkListener;
import org.stillwater.core.port.WorkStore;
import org.stillwater.monitoring.observe.Complaints;

/**
 * Work that is durable and that no command has taken over yet. Without a listener it waits here,
 * and in the database.
 *
 * <p>Thread-safe. Readers do not lock; telling a listener is ordered by a lock, so that it hears of
 * each work once, whenever it comes.
 */
public final class WorkBook {

    private static final Logger LOG = LoggerFactory.getLogger(WorkBook.class);

    private final WorkStore store;
    private final EngineClock clock;
    private final Complaints complaints;
    private final Map<PendingWork.Key, OpenWork> open = new ConcurrentHashMap<>();
    private final ReentrantLock telling = new ReentrantLock();
    private @Nullable WorkListener listener;

    /**
     * An empty book.
     *
     * @param quietPeriod a repeated complaint about a listener is logged once in this time
     */
    public WorkBook(WorkStore store, EngineClock clock, Duration quietPeriod) {
        this.store = store;
        this.clock = clock;
        this.complaints = new Complaints(LOG, clock, quietPeriod, "work");
    }

    /**
     * Finds what was open when the engine stopped.
     *
     * @throws StoreUnavailable if the database cannot be read now
     */
    public void recover() throws StoreUnavailable {
        List<OpenWork> found = new ArrayList<>();
        store.loadWork(found::add);
        found.forEach(this::opened);
    }

    /** Takes work that is durable; nothing happens if it was taken before. */
    public void opened(OpenWork work) {
        telling.lock();
        try {
            if (open.putIfAbsent(work.work().key(), work) == null) {
                tell(work);
            }
        } finally {
            telling.unlock();
        }
    }

    /** From now on this listener is told, and at once of all that is open, oldest first. */
    public void listen(WorkListener next) {
        telling.lock();
        try {
            listener = next;
            open().forEach(this::tell);
        } finally {
            telling.unlock();
        }
    }

    private void tell(OpenWork work) {
        WorkListener told = listener;
        if (told == null) {
            return;
        }
        try {
            told.workOpened(work);
        } catch (RuntimeException e) {
            complaints.about("work listener failed", work + ": " + e, e);
        }
    }

    /**
     * Gives work to an owner, see {@link WorkStore#takeOver}.
     *
     * @throws StoreUnavailable if the database does not answer; the work is shown as open until it
     *     is asked again
     */
    public boolean takeOver(PendingWork work, UUID owner) throws StoreUnavailable {
        OpenWork seen = open.get(work.key());
        boolean taken = store.takeOver(work, owner, clock.now());
        if (seen != null) {
            open.remove(work.key(), seen);
        }
        return taken;
    }

    /** The VM was removed, and its work with it. */
    public void forget(VmId vmId) {
        open.keySet().removeIf(key -> key.vmId().equals(vmId));
    }

    /** Whether work of this key is open. */
    public boolean isOpen(PendingWork.Key key) {
        return open.containsKey(key);
    }

    /** All open work, oldest first. */
    public List<OpenWork> open() {
        return open.values().stream().sorted(OpenWork.OLDEST_FIRST).toList();
    }

    /** Number of open pieces of work. */
    public int size() {
        return open.size();
    }
}
