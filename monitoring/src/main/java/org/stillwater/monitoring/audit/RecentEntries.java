package org.stillwater.monitoring.audit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEntry.Position;
import org.stillwater.core.audit.AuditFilter;

/**
 * The newest entries of the log, a bounded number of them, in order. It knows the position down to
 * which it is complete, so that a reader knows when it must look further. Thread-safe; a reader
 * holds the lock for one copy of references.
 */
final class RecentEntries {

    private final @Nullable AuditEntry[] ring;
    private int start;
    private int size;
    private @Nullable Position floor;

    RecentEntries(int capacity) {
        this.ring = new @Nullable AuditEntry[capacity];
    }

    /**
     * Entries of a query that memory has.
     *
     * @param entries matching entries, newest first
     * @param floor newest position at which an entry may be missing; null if none is
     */
    record Found(List<AuditEntry> entries, @Nullable Position floor) {}

    /** Loads durable entries: the newest ones, newest first, as many as requested. */
    synchronized void load(List<AuditEntry> newestFirst, boolean thereMayBeMore) {
        for (AuditEntry entry : newestFirst.reversed()) {
            add(entry);
        }
        if (thereMayBeMore && size > 0) {
            Position oldest = at(0).position();
            floor = new Position(oldest.at(), oldest.id() - 1);
        }
    }

    /** Adds an entry at its position, which is the newest unless the wall clock was set back. */
    synchronized void add(AuditEntry entry) {
        if (floor != null && entry.position().compareTo(floor) <= 0) {
            return;
        }
        if (size == ring.length) {
            AuditEntry oldest = at(0);
            if (entry.position().compareTo(oldest.position()) < 0) {
                floor = entry.position();
                return;
            }
            floor = oldest.position();
            start = (start + 1) % ring.length;
            size--;
        }
        int place = size++;
        while (place > 0 && at(place - 1).position().compareTo(entry.position()) > 0) {
            put(place, at(place - 1));
            place--;
        }
        put(place, entry);
    }

    private AuditEntry at(int place) {
        AuditEntry entry = ring[(start + place) % ring.length];
        if (entry == null) {
            throw new IllegalStateException("no entry at " + place + " of " + size);
        }
        return entry;
    }

    private void put(int place, AuditEntry entry) {
        ring[(start + place) % ring.length] = entry;
    }

    /** Searches the entries in memory. */
    Found find(AuditFilter filter, @Nullable Position before, int limit) {
        List<AuditEntry> oldestFirst = new ArrayList<>();
        Position down;
        synchronized (this) {
            down = floor;
            for (int place = 0; place < size; place++) {
                oldestFirst.add(at(place));
            }
        }
        List<AuditEntry> found = new ArrayList<>(Math.min(limit, oldestFirst.size()));
        for (AuditEntry entry : oldestFirst.reversed()) {
            if (found.size() == limit) {
                break;
            }
            if ((before == null || entry.position().compareTo(before) < 0)
                    && filter.matches(entry)) {
                found.add(entry);
            }
        }
        return new Found(Collections.unmodifiableList(found), down);
    }
}
