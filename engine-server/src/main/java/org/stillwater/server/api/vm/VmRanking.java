package org.stillwater.server.api.vm;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.server.api.rows.ListHelper;
import org.stillwater.server.api.rows.Order;
import org.stillwater.server.api.rows.Page;

/**
 * VMs by a number of theirs, those with the same number in an order that is kept.
 *
 * <p>A pass over a hundred thousand VMs is a matter of how much memory it touches. This one reads a
 * single number of each, and examines only those that rank before rows of the page; because it goes
 * through the VMs in the order of the other keys, it never compares these. A second thread helps
 * with many VMs, if a processor is free for it. Used by one thread.
 */
final class VmRanking {

    /** Unknown numbers come last in both directions. */
    private static final double UNKNOWN = Double.POSITIVE_INFINITY;

    /** A pass over fewer VMs is quicker than the start of a second thread. */
    private static final int MANY = 10_000;

    /** More than the two threads of a pass: each takes as many as it gets to. */
    private static final int PARTS = 8;

    private static final ListHelper HELPER = new ListHelper();

    private final VmOrders.Kept alike;
    private final Order<VmRow> rest;
    private final VmNumber number;
    private final boolean descending;

    private final int many;

    private VmRanking(
            VmOrders.Kept alike, Order<VmRow> rest, VmNumber number, boolean descending, int many) {
        this.alike = alike;
        this.rest = rest;
        this.number = number;
        this.descending = descending;
        this.many = many;
    }

    /** For this order, null if it is not by a number first or its other keys are not kept. */
    static @Nullable VmRanking of(Order<VmRow> order, VmOrders orders) {
        return of(order, orders, MANY);
    }

    /**
     * The same.
     *
     * @param many a second thread helps from so many VMs on
     */
    static @Nullable VmRanking of(Order<VmRow> order, VmOrders orders, int many) {
        VmNumber number = VmTable.number(order.first());
        if (number == null) {
            return null;
        }
        Order<VmRow> rest = order.rest(VmTable.COLUMNS);
        VmOrders.Kept alike = orders.of(rest);
        return alike == null
                ? null
                : new VmRanking(alike, rest, number, order.isFirstDescending(), many);
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
     * @param wanted used by two threads at a time
     * @param row used by the caller; a second thread has another one
     * @param counting whether all that are wanted are counted
     * @return how many are wanted, if they are counted
     */
    int fill(Page<VmRow, VmRow.Pinned> page, Predicate<VmRow> wanted, VmRow row, boolean counting) {
        Order.Place after = page.after();
        // One more than the page has: whether there is another page.
        Search search =
                new Search(
                        wanted,
                        after == null ? Double.NEGATIVE_INFINITY : rank(after.value(0)),
                        after == null ? 0 : alike.after(rest, after.rest()),
                        page.limit() + 1,
                        counting);
        int size = alike.size();
        List<Candidate> found = new ArrayList<>();
        int[] total = {0};
        Consumer<Part> gather =
                part -> {
                    found.addAll(part.best());
                    total[0] += part.total();
                };
        boolean helped =
                size >= many
                        && HELPER.inOrder(
                                PARTS,
                                number ->
                                        among(
                                                search,
                                                part(number, size),
                                                part(number + 1, size),
                                                row.another()),
                                gather);
        if (!helped) {
            gather.accept(among(search, 0, size, row));
        }
        found.sort(Candidate.EARLIER);
        for (Candidate each : found.subList(0, Math.min(search.most(), found.size()))) {
            page.take(
                    row.scan(alike.vm(each.index())),
                    alike.place(each.index()).behind(value(each.rank())));
        }
        return total[0];
    }

    private static int part(int number, int size) {
        return (int) ((long) number * size / PARTS);
    }

    /**
     * What a page needs.
     *
     * @param from the rank behind which the page begins, with {@code fromIndex} among equal ranks
     * @param most how many candidates suffice
     */
    private record Search(
            Predicate<VmRow> wanted, double from, int fromIndex, int most, boolean counting) {}

    /** The best of some VMs, in no order, and how many of these VMs are wanted. */
    private record Part(Collection<Candidate> best, int total) {}

    /** Looks at the VMs of some indexes. */
    private Part among(Search search, int begin, int end, VmRow row) {
        PriorityQueue<Candidate> best = new PriorityQueue<>(Candidate.EARLIER.reversed());
        double worst = Double.NaN; // of enough candidates; no rank is as large
        int total = 0;
        for (int i = begin; i < end; i++) {
            VmReading vm = alike.vm(i);
            double rank = rank(vm);
            boolean better =
                    !(rank >= worst)
                            && (rank > search.from()
                                    || (rank == search.from() && i >= search.fromIndex()));
            if ((better || search.counting()) && search.wanted().test(row.scan(vm))) {
                total++;
                if (better) {
                    best.add(new Candidate(rank, i));
                    if (best.size() > search.most()) {
                        best.remove();
                    }
                    worst = best.size() == search.most() ? best.element().rank() : Double.NaN;
                }
            }
        }
        return new Part(best, total);
    }

    private double rank(VmReading vm) {
        if (number.isFraction()) {
            return ranked(vm.fraction(number));
        }
        long whole = vm.whole(number);
        return whole == VmNumbers.UNKNOWN ? UNKNOWN : ranked((double) whole);
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
