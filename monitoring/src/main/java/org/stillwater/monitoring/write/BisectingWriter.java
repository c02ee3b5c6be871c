package org.stillwater.monitoring.write;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.store.WriteOutcome.Rejected;
import org.stillwater.core.store.WriteOutcome.Unavailable;
import org.stillwater.core.store.WriteOutcome.Written;

/**
 * Writes batches of rows so that a row that makes the store throw, which is a bug, does not prevent
 * the others from being written.
 *
 * <p>If the store throws, the rows are written in halves, down to single rows that make it throw,
 * each half in its own transaction. Such a row is refused if the store works for another row of the
 * batch. Otherwise the store itself may be broken: then no row is refused, and the search for a
 * writable row ends after as many failures as it needs to find one. The next attempt searches
 * elsewhere: each order of halves leads to another row, so that broken rows hide writable ones from
 * some attempts only.
 *
 * <p>Rows are refused without that evidence in two cases: a row that is the whole batch, if the
 * store threw three consecutive times with it; and a few rows that are the whole batch, if it threw
 * three consecutive times while other rows of the same database were written ({@link #elsewhere}).
 * If the store is unavailable, no row is refused. Rows written before that are written again,
 * without effect.
 *
 * <p>Not thread-safe: for a writing thread.
 *
 * @param <C> a row's change
 */
public final class BisectingWriter<C> {

    /** How often the store may throw with the same rows only before these are refused. */
    private static final int ATTEMPTS = 3;

    /** Number of rows above which the store itself is at fault if a whole batch fails. */
    private static final int FEW = 8;

    private final Function<C, String> key;
    private final Function<List<C>, WriteOutcome> store;
    private final boolean refusesAlone;

    /** The row with which the store threw as the only one of its batch, and how often in a row. */
    private @Nullable String alone;

    private int failedAlone;

    /**
     * Consecutive attempts in which the store threw and wrote no row; it selects the order of
     * halves.
     */
    private int inVain;

    private boolean lastInVain;

    /** Attempts in vain, in a row, while other rows of the database were written. */
    private int othersWritten;

    // Of the attempt under way.
    private int failuresLeft;
    private boolean works;
    private boolean written;
    private boolean away;
    private @Nullable Throwable bug;

    /**
     * A writer without failures.
     *
     * @param key a row's key as text, in the store's form
     * @param store writes rows; must tolerate repetition
     * @param refusesAlone whether a row is refused by the store's exceptions alone
     */
    public BisectingWriter(
            Function<C, String> key, Function<List<C>, WriteOutcome> store, boolean refusesAlone) {
        this.key = key;
        this.store = store;
        this.refusesAlone = refusesAlone;
    }

    /** Writes rows; those that cannot be written are among the refused ones. */
    public WriteOutcome write(List<C> rows) {
        failuresLeft = 2 + Integer.SIZE - Integer.numberOfLeadingZeros(rows.size());
        works = othersWritten >= ATTEMPTS && rows.size() <= FEW;
        written = false;
        away = false;
        bug = null;
        lastInVain = false;
        if (rows.isEmpty()) {
            return new Written(0, List.of());
        }
        WriteOutcome outcome = halves(rows, inVain);
        Throwable thrown = bug;
        lastInVain = thrown != null && !works && !away;
        if (thrown == null || rows.size() > 1) {
            alone = null;
        }
        if (!lastInVain) {
            inVain = 0;
            return outcome;
        }
        if (rows.size() == 1 && isToBlame(key.apply(rows.getFirst()))) {
            alone = null;
            inVain = 0;
            lastInVain = false;
            return outcome;
        }
        inVain++;
        return new Unavailable("the store failed: " + thrown);
    }

    /** Whether the store failed too often with this row alone: the row is refused. */
    private boolean isToBlame(String row) {
        failedAlone = row.equals(alone) ? failedAlone + 1 : 1;
        alone = row;
        return refusesAlone && failedAlone >= ATTEMPTS;
    }

    /** Exception of the store in the last attempt; null if none. */
    public @Nullable Throwable bug() {
        return bug;
    }

    /** Whether the store threw in the last attempt, and no row was written or refused. */
    public boolean isInVain() {
        return lastInVain;
    }

    /** Whether the store answered in the last attempt that it is unavailable. */
    boolean isAway() {
        return away;
    }

    /** Whether the store wrote any row in the last attempt. */
    boolean hasWritten() {
        return written;
    }

    /**
     * Ends a round in which other rows of the same database may have been written, and these too.
     *
     * @param others whether the database took other rows
     */
    void elsewhere(boolean others) {
        othersWritten = lastInVain && others ? othersWritten + 1 : 0;
        lastInVain = false;
    }

    /**
     * Writes rows, in halves if need be.
     *
     * @param order its lowest bit selects the first half
     */
    private WriteOutcome halves(List<C> rows, int order) {
        try {
            WriteOutcome outcome = store.apply(rows);
            switch (outcome) {
                case Written _ -> {
                    works = true;
                    written = true;
                }
                case Unavailable _ -> away = true;
            }
            return outcome;
        } catch (RuntimeException | StackOverflowError | LinkageError e) {
            bug = e;
            if (!works && --failuresLeft == 0) {
                return new Unavailable("the store failed: " + e);
            }
            if (rows.size() == 1) {
                String row = key.apply(rows.getFirst());
                return new Written(0, List.of(new Rejected(row, "the store failed: " + e)));
            }
        }
        int middle = rows.size() / 2;
        List<C> low = rows.subList(0, middle);
        List<C> high = rows.subList(middle, rows.size());
        boolean lowFirst = (order & 1) == 0;
        WriteOutcome first = halves(lowFirst ? low : high, order >>> 1);
        if (!(first instanceof Written before)) {
            return first;
        }
        return switch (halves(lowFirst ? high : low, order >>> 1)) {
            case Written more -> before.and(more);
            case Unavailable away -> away;
        };
    }
}
