package org.stillwater.server.api.vm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.IntToDoubleFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumberColumn;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.server.api.rows.Order;
import org.stillwater.server.api.rows.Page;

/**
 * VMs by a number of theirs, those with the same number in an order that is kept.
 *
 * <p>A pass over a hundred thousand VMs is a matter of how much memory it touches. This one reads a
 * single number of each, from a {@link VmNumberColumn} where the same number was requested before,
 * and examines only those that rank before rows of the page; because it goes through the VMs in the
 * order of the other keys, it never compares these. Used by one thread.
 */
final class VmRanking {

    /** Unknown numbers come last in both directions. */
    private static final double UNKNOWN = Double.POSITIVE_INFINITY;

    private final VmOrders.Kept alike;
    private final Order<VmRow> rest;
    private final VmNumber number;
    private final boolean descending;

    private VmRanking(VmOrders.Kept alike, Order<VmRow> rest, VmNumber number, boolean descending) {
        this.alike = alike;
        this.rest = rest;
        this.number = number;
        this.descending = descending;
    }

    /** For this order, null if it is not by a number first or its other keys are not kept. */
    static @Nullable VmRanking of(Order<VmRow> order, VmOrders orders) {
        VmNumber number = VmTable.number(order.first());
        if (number == null) {
            return null;
        }
        Order<VmRow> rest = order.rest(VmTable.COLUMNS);
        VmOrders.Kept alike = orders.of(rest);
        return alike == null ? null : new VmRanking(alike, rest, number, order.isFirstDescending());
    }

    /**
     * A VM that may be on the page.
     *
     * @param rank smaller is earlier
     * @param index among all VMs in the order of the other keys
     */
    private record Candidate(double rank, int index) {

        private static final Comparator<Candidate> EARLIER =
                Comparator.comparingDouble(Candidate::rank).thenComparingInt(Candidate::index);
    }

    /** How many VMs there are. */
    int size() {
        return alike.size();
    }

    /**
     * Fills a page.
     *
     * @param counting whether all that are wanted are counted
     * @return how many are wanted, if they are counted
     */
    int fill(Page<VmRow, VmRow.Pinned> page, Predicate<VmRow> wanted, VmRow row, boolean counting) {
        VmNumberColumn column = alike.column(number);
        if (column == null || !column.tryHold()) {
            return fill(page, wanted, row, counting, index -> number(alike.vm(index)));
        }
        try {
            return fill(page, wanted, row, counting, column::value);
        } finally {
            column.release();
        }
    }

    private int fill(
            Page<VmRow, VmRow.Pinned> page,
            Predicate<VmRow> wanted,
            VmRow row,
            boolean counting,
            IntToDoubleFunction numbers) {
        Order.Place after = page.after();
        double from = after == null ? Double.NEGATIVE_INFINITY : rank(after.value(0));
        int fromIndex = after == null ? 0 : alike.after(rest, after.rest());
        // One more than the page has: whether there is another page.
        int most = page.limit() + 1;
        PriorityQueue<Candidate> best = new PriorityQueue<>(Candidate.EARLIER.reversed());
        double worst = Double.NaN; // of a full page; no rank is as large
        int total = 0;
        for (int i = 0; i < alike.size(); i++) {
            double rank = ranked(numbers.applyAsDouble(i));
            boolean better = !(rank >= worst) && (rank > from || (rank == from && i >= fromIndex));
            if ((better || counting) && wanted.test(row.scan(alike.vm(i)))) {
                total++;
                if (better) {
                    best.add(new Candidate(rank, i));
                    if (best.size() > most) {
                        best.remove();
                    }
                    worst = best.size() == most ? best.element().rank() : Double.NaN;
                }
            }
        }
        List<Candidate> ordered = new ArrayList<>(best);
        ordered.sort(Candidate.EARLIER);
        for (Candidate each : ordered) {
            page.take(
                    row.scan(alike.vm(each.index())),
                    alike.place(each.index()).behind(value(each.rank())));
        }
        return total;
    }

    /** NaN if it is not known. */
    private double number(VmReading vm) {
        if (number.isFraction()) {
            return vm.fraction(number);
        }
        long whole = vm.whole(number);
        return whole == VmNumbers.UNKNOWN ? Double.NaN : whole;
    }

    private double rank(@Nullable Object value) {
        return value instanceof Double given ? ranked(given) : UNKNOWN;
    }

    /** Adding zero makes one zero of both. */
    private double ranked(double value) {
        return Double.isFinite(value) ? (descending ? -value : value) + 0.0 : UNKNOWN;
    }

    private @Nullable Object value(double rank) {
        return rank == UNKNOWN ? null : (Object) ((descending ? -rank : rank) + 0.0);
    }
}
