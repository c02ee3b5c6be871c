package org.stillwater.relay.state;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The last state of one host at a relay, with its changes since any sequence. Not thread-safe.
 *
 * <p>Every cell has the sequence of its last change. There is no queue: a receiver needs all cells
 * with a sequence later than its own, and a cell that changed several times is sent once. So
 * back-pressure merges changes, the state bounds the memory, and a receiver can resume at any
 * sequence. A removed record or cell leaves a mark until the receiver has acknowledged it. Marks
 * are bounded: a receiver with a sequence before the oldest dropped mark gets the whole state.
 *
 * <p>Changes take effect together, with {@link #commit()}: a delta never contains half of a report.
 */
public final class HostLedger implements HostState {

    private final long epoch;
    private final Deadband deadband;
    private final int mostMarks;
    private final Map<UUID, Row> rows = new LinkedHashMap<>();
    private final Map<UUID, Long> removed = new HashMap<>();
    private int clearedCells;
    private long version;
    private boolean dirty;

    /** Marks of removals up to this sequence may be missing. */
    private long floor;

    /** One record. A cell with the value null was removed at its version. */
    private static final class Row {
        int[] keys = new int[0];
        @Nullable Value[] values = new @Nullable Value[0];
        long[] versions = new long[0];
        long changed;
    }

    /**
     * A ledger without records, at sequence 0.
     *
     * @param epoch distinguishes this ledger from earlier ones of the same host
     * @param deadband changes too small to be sent
     * @param mostMarks most stored marks of removed records and cells
     */
    public HostLedger(long epoch, Deadband deadband, int mostMarks) {
        this.epoch = epoch;
        this.deadband = deadband;
        this.mostMarks = mostMarks;
    }

    @Override
    public long epoch() {
        return epoch;
    }

    /** The sequence of the last commit; 0 before the first. */
    @Override
    public long version() {
        return version;
    }

    /** Records in the state. */
    public int size() {
        return rows.size();
    }

    /** Identities of the records. */
    public Set<UUID> ids() {
        return Set.copyOf(rows.keySet());
    }

    /** Makes these the cells of a record. */
    public void put(UUID id, Cells now) {
        Row row = rows.get(id);
        if (row == null) {
            row = new Row();
            rows.put(id, row);
            row.changed = version + 1;
            dirty = true;
            if (removed.remove(id) != null) {
                // A receiver that has the old record must not keep its cells.
                forgetMarksUpTo(version + 1);
            }
        }
        if (merge(row, now)) {
            row.changed = version + 1;
            dirty = true;
        }
    }

    private boolean merge(Row row, Cells now) {
        boolean changed = false;
        int added = 0;
        int at = 0;
        for (int i = 0; i < now.size(); i++) {
            while (at < row.keys.length && row.keys[at] < now.key(i)) {
                changed |= clear(row, at++);
            }
            if (at < row.keys.length && row.keys[at] == now.key(i)) {
                changed |= set(row, at++, now.value(i));
            } else {
                added++;
            }
        }
        while (at < row.keys.length) {
            changed |= clear(row, at++);
        }
        if (added > 0) {
            grow(row, now, added);
        }
        return changed || added > 0;
    }

    private boolean set(Row row, int at, Value now) {
        Value told = row.values[at];
        if (told != null && !deadband.isExceeded(row.keys[at], told, now)) {
            return false;
        }
        if (told == null) {
            clearedCells--;
        }
        row.values[at] = now;
        row.versions[at] = version + 1;
        return true;
    }

    private boolean clear(Row row, int at) {
        if (row.values[at] == null) {
            return false;
        }
        row.values[at] = null;
        row.versions[at] = version + 1;
        clearedCells++;
        return true;
    }

    private void grow(Row row, Cells now, int added) {
        int size = row.keys.length + added;
        int[] keys = new int[size];
        @Nullable Value[] values = new @Nullable Value[size];
        long[] versions = new long[size];
        int from = 0;
        int i = 0;
        for (int to = 0; to < size; to++) {
            boolean isOld =
                    from < row.keys.length && (i == now.size() || row.keys[from] <= now.key(i));
            if (isOld) {
                if (i < now.size() && row.keys[from] == now.key(i)) {
                    i++;
                }
                keys[to] = row.keys[from];
                values[to] = row.values[from];
                versions[to] = row.versions[from++];
            } else {
                keys[to] = now.key(i);
                values[to] = now.value(i++);
                versions[to] = version + 1;
            }
        }
        row.keys = keys;
        row.values = values;
        row.versions = versions;
    }

    /** Removes a record, if it exists. */
    public void remove(UUID id) {
        Row row = rows.remove(id);
        if (row != null) {
            for (Value value : row.values) {
                clearedCells -= value == null ? 1 : 0;
            }
            removed.put(id, version + 1);
            dirty = true;
        }
    }

    /** Removes all records except these. */
    public void retain(Set<UUID> ids) {
        Set<UUID> gone = new HashSet<>(rows.keySet());
        gone.removeAll(ids);
        gone.forEach(this::remove);
    }

    /** The cells of a record in the sent form; null for none. */
    public @Nullable Cells get(UUID id) {
        Row row = rows.get(id);
        return row == null ? null : cells(row, 0);
    }

    /**
     * Applies the changes since the last commit together.
     *
     * @return the new sequence of the state
     */
    public long commit() {
        if (dirty) {
            version++;
            dirty = false;
            if (removed.size() + clearedCells > mostMarks) {
                forgetMarksUpTo(version);
            }
        }
        return version;
    }

    /** A receiver has this sequence: marks up to it are no longer needed. */
    @Override
    public void acknowledged(long sequence) {
        if (sequence > floor && sequence <= version && !dirty) {
            forgetMarksUpTo(sequence);
        }
    }

    private void forgetMarksUpTo(long sequence) {
        floor = sequence;
        removed.values().removeIf(at -> at <= sequence);
        if (clearedCells > 0) {
            rows.values().forEach(row -> forgetCells(row, sequence));
        }
    }

    private void forgetCells(Row row, long sequence) {
        int kept = 0;
        for (int i = 0; i < row.keys.length; i++) {
            if (row.values[i] != null || row.versions[i] > sequence) {
                kept++;
            }
        }
        if (kept == row.keys.length) {
            return;
        }
        clearedCells -= row.keys.length - kept;
        int[] keys = new int[kept];
        @Nullable Value[] values = new @Nullable Value[kept];
        long[] versions = new long[kept];
        int to = 0;
        for (int i = 0; i < row.keys.length; i++) {
            if (row.values[i] != null || row.versions[i] > sequence) {
                keys[to] = row.keys[i];
                values[to] = row.values[i];
                versions[to++] = row.versions[i];
            }
        }
        row.keys = keys;
        row.values = values;
        row.versions = versions;
    }

    /**
     * All changes after a sequence; the whole state if that sequence is 0, belongs to another
     * ledger, or is older than the stored marks.
     *
     * @param withSum whether it contains the checksum of the whole state
     * @throws IllegalStateException between a change and its commit
     */
    @Override
    public Delta since(long base, boolean withSum) {
        if (dirty) {
            throw new IllegalStateException("changes are not committed");
        }
        long from = base < floor || base > version ? 0 : base;
        List<Delta.Change> changes = new ArrayList<>();
        rows.forEach((id, row) -> {
            if (row.changed > from) {
                changes.add(
                        new Delta.Change(
                                id, cells(row, from), from == 0 ? List.of() : cleared(row, from)));
            }
        });
        List<UUID> gone = new ArrayList<>();
        if (from > 0) {
            removed.forEach((id, at) -> {
                if (at > from) {
                    gone.add(id);
                }
            });
        }
        return new Delta(epoch, from, version, changes, gone, withSum ? (Long) sum() : null);
    }

    private static Cells cells(Row row, long after) {
        Cells.Draft draft = new Cells.Draft();
        for (int i = 0; i < row.keys.length; i++) {
            Value value = row.values[i];
            if (value != null && row.versions[i] > after) {
                draft.put(row.keys[i], value);
            }
        }
        return draft.build();
    }

    private static List<Integer> cleared(Row row, long after) {
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < row.keys.length; i++) {
            if (row.values[i] == null && row.versions[i] > after) {
                keys.add(row.keys[i]);
            }
        }
        return keys;
    }

    /** The checksum of the whole state. */
    public long sum() {
        long sum = 0;
        for (Map.Entry<UUID, Row> each : rows.entrySet()) {
            long record = Checksum.ofRecord(each.getKey());
            Row row = each.getValue();
            sum += record;
            for (int i = 0; i < row.keys.length; i++) {
                Value value = row.values[i];
                if (value != null) {
                    sum += Checksum.ofCell(record, Checksum.mix(row.keys[i]), value.digest());
                }
            }
        }
        return sum;
    }
}
