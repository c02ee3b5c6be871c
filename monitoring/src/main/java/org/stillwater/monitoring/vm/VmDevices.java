package org.stillwater.monitoring.vm;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Memory's data about the devices of one VM: a hash and a digest of the saved ones, and the right
 * to change them now. The devices themselves are read from the database when one of them may have
 * changed. Thread-safe.
 *
 * <p>The devices lock belongs to its taker, not to a thread: monitoring takes it when a list of
 * devices arrived and gives it back when the outcome is durable; a command that plugs or unplugs
 * holds it meanwhile. Monitoring never waits for it: it reads the list again in a later cycle.
 */
public final class VmDevices {

    private volatile String hash = "";
    private volatile boolean adoptsNextHash;

    // Written under this.
    private volatile long digest;

    // Guarded by this.
    private boolean locked;
    private @Nullable Underway underway;

    /** Device changes of commands under way: one object, which hardly any VM has at a time. */
    private record Underway(Map<UUID, Long> changedNanos, Set<UUID> memoryUnplugs) {

        boolean isEmpty() {
            return changedNanos.isEmpty() && memoryUnplugs.isEmpty();
        }
    }

    VmDevices() {}

    /**
     * Whether the devices that this hash stands for are the saved ones. An equal text takes the
     * place of the known one: the host's next reports have the same instance, which is compared
     * without a look at its characters, and a second copy for each VM is spared.
     */
    @SuppressWarnings("ReferenceEquality") // the question is whether it is one instance
    public boolean isCurrent(String reported) {
        String known = hash;
        if (reported == known) {
            return true;
        }
        return reported.equals(known) && adopt(reported);
    }

    /** False if the hash has changed meanwhile. */
    private synchronized boolean adopt(String equal) {
        if (!equal.equals(hash)) {
            return false;
        }
        hash = equal;
        return true;
    }

    /** The host's token for the devices that are saved; empty if none. */
    public String hash() {
        return hash;
    }

    /** Digest of the list that the saved devices were compared with last; 0 if none was. */
    public long digest() {
        return digest;
    }

    /** The devices that this hash stands for are saved. */
    public synchronized void saved(String newHash, long newDigest) {
        hash = newHash;
        digest = newDigest;
        adoptsNextHash = false;
    }

    /** The devices are read at the next report with any hash. */
    public synchronized void forget() {
        hash = "";
        digest = 0;
        adoptsNextHash = false;
    }

    /**
     * An import took the devices from a complete list without a known hash: the hash that is
     * reported next belongs to them and is saved without reading them again (monitoring
     * specification §4.12.3, UPDATE_HASH).
     */
    public synchronized void takenFromList() {
        hash = "";
        digest = 0;
        adoptsNextHash = true;
    }

    /** Whether the hash that is reported next belongs to the saved devices. */
    public boolean adoptsNextHash() {
        return adoptsNextHash;
    }

    /** Takes the devices lock if it is free. */
    public synchronized boolean tryLock() {
        if (locked) {
            return false;
        }
        locked = true;
        return true;
    }

    /** Waits for the devices lock; for commands, never for monitors. */
    public synchronized void lock() throws InterruptedException {
        while (locked) {
            wait();
        }
        locked = true;
    }

    /** Gives the devices lock back. */
    public synchronized void unlock() {
        locked = false;
        notifyAll();
    }

    /** Whether the devices lock is held. */
    public synchronized boolean isLocked() {
        return locked;
    }

    /**
     * A command that holds the devices lock plugged, unplugged, added or removed a device: earlier
     * lists of a host do not concern it.
     *
     * @param nanos when, on the engine's monotonic clock
     */
    public synchronized void changed(UUID device, long nanos) {
        underway().changedNanos.put(device, nanos);
        digest = 0;
    }

    /** Whether a command changed the device at this time or later. */
    public synchronized boolean changedSince(UUID device, long nanos) {
        Long at = underway == null ? null : underway.changedNanos.get(device);
        return at != null && at - nanos >= 0;
    }

    /** Forgets changes that every list from now on knows of. */
    public synchronized void forgetChangesBefore(long nanos) {
        if (underway != null) {
            underway.changedNanos.values().removeIf(at -> at - nanos < 0);
            dropUnderwayIfEmpty();
        }
    }

    /** The guest got the request to give a memory module back. */
    public synchronized void memoryUnplugStarted(UUID module) {
        underway().memoryUnplugs.add(module);
    }

    /** The module is gone, or stays after all. */
    public synchronized void memoryUnplugEnded(UUID module) {
        if (underway != null) {
            underway.memoryUnplugs.remove(module);
            dropUnderwayIfEmpty();
        }
    }

    /** The guest restarted: modules that it did not give back stay. */
    public synchronized void memoryUnplugsForgotten() {
        if (underway != null) {
            underway.memoryUnplugs.clear();
            dropUnderwayIfEmpty();
        }
    }

    /** Whether the guest got the request to give this memory module back. */
    public synchronized boolean isMemoryUnplugging(UUID module) {
        return underway != null && underway.memoryUnplugs.contains(module);
    }

    private Underway underway() {
        if (underway == null) {
            underway = new Underway(new HashMap<>(4), new HashSet<>(2));
        }
        return underway;
    }

    private void dropUnderwayIfEmpty() {
        if (underway != null && underway.isEmpty()) {
            underway = null;
        }
    }
}
