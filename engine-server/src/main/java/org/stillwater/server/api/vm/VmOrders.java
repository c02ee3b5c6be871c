package org.stillwater.server.api.vm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;
import org.stillwater.core.id.VmId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumberColumn;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.server.api.rows.Order;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.RestSettings;

/**
 * VMs in the orders that readers request again and again, so that a page out of a hundred thousand
 * VMs reads a few hundred of them.
 *
 * <p>An order that is requested a second time is made by a thread behind all requests; a caller
 * meanwhile is answered by a pass over all VMs. From then on the changes since the last request
 * move the VMs that they are about. Orders by numbers that change with every cycle are not kept:
 * they would be built again for every page; see {@link VmRanking}. Bounded by a setting, and so
 * that no more than a tenth of one processor is spent on making orders, however many are requested;
 * thread-safe.
 */
@Component
public class VmOrders implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(VmOrders.class);

    /** A pass over so few VMs is as quick. */
    private static final int FEW = 1_000;

    /** Share of changed VMs above which the order is built again. */
    private static final int PART = 8;

    /** After an order was made, the next one waits for this multiple of its time. */
    private static final int REST = 9;

    private final FleetReader fleet;
    private final EngineClock clock;
    private final CycleSettings cycle;
    private final int most;
    private final VmFirstRows firstRows;
    private final Map<String, Slot> slots;
    private final Executor maker;
    private final AtomicBoolean making = new AtomicBoolean();
    private volatile long restUntilNanos;

    @Autowired
    public VmOrders(
            FleetReader fleet, EngineClock clock, CycleSettings cycle, RestSettings settings) {
        this(
                fleet,
                clock,
                cycle,
                settings,
                Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().daemon().name("vm-orders").factory()));
    }

    /**
     * @param maker makes orders, one at a time; closed with this if it can be
     */
    VmOrders(
            FleetReader fleet,
            EngineClock clock,
            CycleSettings cycle,
            RestSettings settings,
            Executor maker) {
        this.maker = maker;
        this.restUntilNanos = clock.nanoTime();
        this.fleet = fleet;
        this.clock = clock;
        this.cycle = cycle;
        this.most = settings.keptOrders();
        this.firstRows = new VmFirstRows(fleet, clock, cycle.interval().multipliedBy(2));
        this.slots =
                new LinkedHashMap<>(16, 0.75f, true) {
                    @Override
                    protected boolean removeEldestEntry(Map.Entry<String, Slot> eldest) {
                        return size() > most;
                    }
                };
    }

    /** The first VMs of the console's list. */
    VmFirstRows firstRows() {
        return firstRows;
    }

    /** Slot of one order. */
    private static final class Slot {
        private @Nullable Kept kept;
        private boolean asked;
    }

    /** All VMs in one order, as new as a revision. Immutable. */
    static final class Kept {

        private final long revision;
        private final VmReading[] vms;
        private final Order.Place[] places;
        private final long[] lowers;
        private final VmRow.Names names;
        private final LastColumn column;

        private Kept(
                long revision,
                VmReading[] vms,
                Order.Place[] places,
                long[] lowers,
                VmRow.Names names) {
            this(revision, vms, places, lowers, names, new LastColumn(vms));
        }

        private Kept(
                long revision,
                VmReading[] vms,
                Order.Place[] places,
                long[] lowers,
                VmRow.Names names,
                LastColumn column) {
            this.revision = revision;
            this.vms = vms;
            this.places = places;
            this.lowers = lowers;
            this.names = names;
            this.column = column;
        }

        /** The same VMs in the same order, as new as another revision. */
        private Kept at(long later) {
            return new Kept(later, vms, places, lowers, names, column);
        }

        /**
         * A number of the VMs, in their order; null if the number is requested for the first time,
         * or if the VMs have no columns.
         */
        @Nullable VmNumberColumn column(VmNumber number) {
            return column.of(number);
        }

        int size() {
            return vms.length;
        }

        VmReading vm(int index) {
            return vms[index];
        }

        Order.Place place(int index) {
            return places[index];
        }

        /** Index of the first VM behind a position; 0 without one. */
        int after(Order<VmRow> order, Order.@Nullable Place place) {
            return place == null ? 0 : firstBehind(order, places, places.length, place);
        }
    }

    /**
     * The column of the number that was last requested twice in a row. Another number replaces it,
     * so that an order has one column. Thread-safe.
     */
    private static final class LastColumn {

        private final VmReading[] vms;
        private @Nullable VmNumber last; // guarded by this
        private @Nullable VmNumberColumn made; // guarded by this

        private LastColumn(VmReading[] vms) {
            this.vms = vms;
        }

        private synchronized @Nullable VmNumberColumn of(VmNumber number) {
            if (number != last) {
                last = number;
                made = null;
            } else if (made == null) {
                made = VmNumberColumn.of(vms, number);
            }
            return made;
        }
    }

    private static int firstBehind(
            Order<VmRow> order, Order.Place[] places, int size, Order.Place place) {
        int from = 0;
        int to = size;
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (order.compare(places[middle], place) <= 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    /** The VMs in this order as of now; null if it is not kept, so that all must be checked. */
    @Nullable Kept of(Order<VmRow> order) {
        if (most == 0
                || order.usesStatistics()
                || order.uses(VmTable.TROUBLE) // a host changes it for all its VMs
                || fleet.readings().size() < FEW) {
            return null;
        }
        Slot slot;
        synchronized (slots) {
            slot = slots.computeIfAbsent(order.text(), _ -> new Slot());
        }
        synchronized (slot) {
            Kept kept = slot.kept == null ? null : upToDate(order, slot.kept);
            slot.kept = kept;
            if (kept == null && slot.asked) {
                make(slot, order.text());
            }
            slot.asked = true;
            return kept;
        }
    }

    private void make(Slot slot, String text) {
        if (clock.nanoTime() - restUntilNanos < 0 || !making.compareAndSet(false, true)) {
            return;
        }
        try {
            maker.execute(() -> makeNow(slot, text));
        } catch (RejectedExecutionException _) {
            making.set(false); // the engine stops
        }
    }

    private void makeNow(Slot slot, String text) {
        long begun = clock.nanoTime();
        try {
            Kept made = all(new Order<>(VmTable.COLUMNS, text));
            synchronized (slot) {
                slot.kept = made;
            }
        } catch (RuntimeException e) {
            LOG.warn("VMs are not kept in the order {}: {}", text, e.toString());
        } finally {
            long now = clock.nanoTime();
            restUntilNanos = now + REST * (now - begun);
            making.set(false);
        }
    }

    private record Entry(VmReading vm, Order.Place place) {}

    private Kept all(Order<VmRow> order) {
        long revision = fleet.revision();
        List<? extends VmReading> readings = fleet.readings();
        VmRow row = row();
        Entry[] entries = new Entry[readings.size()];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = entry(order, row, readings.get(i));
        }
        Arrays.sort(entries, (one, other) -> order.compare(one.place(), other.place()));
        VmReading[] vms = new VmReading[entries.length];
        Order.Place[] places = new Order.Place[entries.length];
        long[] lowers = new long[entries.length];
        for (int i = 0; i < entries.length; i++) {
            vms[i] = entries[i].vm();
            places[i] = entries[i].place();
            lowers[i] = places[i].lower();
        }
        return new Kept(revision, vms, places, lowers, row.names());
    }

    private VmRow row() {
        return new VmRow(fleet, clock.now(), cycle.interval().multipliedBy(2));
    }

    private static Entry entry(Order<VmRow> order, VmRow row, VmReading vm) {
        row.scan(vm);
        return new Entry(
                vm,
                order.place(row, vm.id().mostSignificantBits(), vm.id().leastSignificantBits()));
    }

    private @Nullable Kept upToDate(Order<VmRow> order, Kept kept) {
        long now = fleet.revision();
        if (now == kept.revision) {
            return kept.names.clustersAreCurrent(fleet) ? kept : null;
        }
        ChangeFeed.Changes changes = fleet.changes().since(kept.revision);
        if (changes == null || !kept.names.areCurrent(fleet)) {
            return null;
        }
        Set<VmId> touched = new HashSet<>();
        for (Delta delta : changes.deltas()) {
            switch (delta) {
                case Delta.VmAdded added -> touched.add(added.vmId());
                case Delta.VmRedefined redefined -> touched.add(redefined.vmId());
                case Delta.VmRemoved removed -> touched.add(removed.vmId());
                case Delta.VmChanged changed -> {
                    if (order.usesStates()) {
                        touched.add(changed.vmId());
                    }
                }
                case Delta.VmTagged tagged -> {
                    if (order.usesStates()) {
                        touched.add(tagged.vmId()); // it has another revision
                    }
                }
                case Delta.HostAdded _,
                        Delta.HostChanged _,
                        Delta.HostRemoved _,
                        Delta.Audited _,
                        Delta.Alerted _,
                        Delta.Untold _ -> {}
            }
        }
        if (touched.size() > Math.max(FEW, kept.size() / PART)) {
            return null;
        }
        return touched.isEmpty()
                ? kept.at(changes.revision())
                : moved(order, kept, touched, changes.revision());
    }

    /** Takes the VMs that changed out, and puts them in where they belong now. */
    private Kept moved(Order<VmRow> order, Kept kept, Set<VmId> touched, long revision) {
        Longs suspects = new Longs(touched.size());
        touched.forEach(id -> suspects.add(id.leastSignificantBits()));
        int size = kept.size();
        VmReading[] vms = new VmReading[size];
        Order.Place[] places = new Order.Place[size];
        int rest = 0;
        for (int i = 0; i < size; i++) {
            if (!suspects.contains(kept.lowers[i]) || !touched.contains(kept.vms[i].id())) {
                vms[rest] = kept.vms[i];
                places[rest++] = kept.places[i];
            }
        }
        VmRow row = row();
        List<Entry> fresh = new ArrayList<>(touched.size());
        for (VmId id : touched) {
            VmReading vm = fleet.reading(id);
            if (vm != null) {
                fresh.add(entry(order, row, vm));
            }
        }
        fresh.sort((one, other) -> order.compare(one.place(), other.place()));
        VmReading[] allVms = new VmReading[rest + fresh.size()];
        Order.Place[] allPlaces = new Order.Place[allVms.length];
        int from = 0;
        int to = 0;
        for (Entry entry : fresh) {
            int until = firstBehind(order, places, rest, entry.place());
            System.arraycopy(vms, from, allVms, to, until - from);
            System.arraycopy(places, from, allPlaces, to, until - from);
            to += until - from;
            from = until;
            allVms[to] = entry.vm();
            allPlaces[to++] = entry.place();
        }
        System.arraycopy(vms, from, allVms, to, rest - from);
        System.arraycopy(places, from, allPlaces, to, rest - from);
        long[] lowers = new long[allPlaces.length];
        for (int i = 0; i < lowers.length; i++) {
            lowers[i] = allPlaces[i].lower();
        }
        return new Kept(revision, allVms, allPlaces, lowers, kept.names.and(row.names()));
    }

    @Override
    public void close() {
        if (maker instanceof ExecutorService service) {
            service.shutdownNow();
        }
    }

    /** A set of longs that makes no object for each. */
    private static final class Longs {

        private final long[] table;
        private boolean zero;

        Longs(int size) {
            this.table = new long[Integer.highestOneBit(Math.max(8, size)) << 2];
        }

        private int slot(long value) {
            int at = (int) ((value * 0x9E3779B97F4A7C15L) >>> 32) & (table.length - 1);
            while (table[at] != 0 && table[at] != value) {
                at = (at + 1) & (table.length - 1);
            }
            return at;
        }

        void add(long value) {
            if (value == 0) {
                zero = true;
            } else {
                table[slot(value)] = value;
            }
        }

        boolean contains(long value) {
            return value == 0 ? zero : table[slot(value)] == value;
        }
    }
}
