package org.stillwater.server.api.vm;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.ChangeFeed;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.server.api.rows.Order;
import org.stillwater.server.api.rows.Page;

/**
 * The first VMs of the console's list, trouble first: a page of them does not read the others.
 *
 * <p>It keeps some more VMs than a page has, namely all that come before a bound. A change moves
 * its VM into the kept ones or out of them; a host with reports that become stale or current moves
 * its VMs. When too few are left, or more changed than the feed keeps, all VMs are checked once.
 * That takes a tenth of a processor at most. While nothing changes, nothing is done. Thread-safe.
 */
final class VmFirstRows {

    /** The order in which the console asks first. */
    private static final String ORDER = "trouble,name";

    private static final int MOST = 512;

    /** A pass over so few VMs is as quick. */
    private static final int FEW = 1_000;

    /** After a pass over all, the next one waits for this multiple of its time. */
    private static final int REST = 9;

    private final FleetReader fleet;
    private final EngineClock clock;
    private final Duration staleAfter;

    // Guarded by this.
    private final Order<VmRow> order = new Order<>(VmTable.COLUMNS, ORDER);
    private final TreeMap<Order.Place, VmReading> first = new TreeMap<>(order::compare);
    private final Map<VmId, Order.Place> places = new HashMap<>();
    private final Map<HostId, Boolean> currentHosts = new HashMap<>();
    private Order.@Nullable Place bound; // the first place that is not kept
    private boolean known;
    private long revision;
    private long restUntilNanos;

    VmFirstRows(FleetReader fleet, EngineClock clock, Duration staleAfter) {
        this.fleet = fleet;
        this.clock = clock;
        this.staleAfter = staleAfter;
        this.restUntilNanos = clock.nanoTime();
    }

    /**
     * Fills the first page of all VMs.
     *
     * @return false if it is another order or page, or if too few VMs are known at present: nothing
     *     was taken then
     */
    synchronized boolean fill(Page<VmRow, VmRow.Pinned> page, Order<VmRow> wanted, VmRow row) {
        if (page.after() != null || !wanted.text().equals(ORDER) || !isCurrent(page.limit())) {
            return false;
        }
        for (Map.Entry<Order.Place, VmReading> each : first.entrySet()) {
            if (!page.take(row.scan(each.getValue()), each.getKey())) {
                break;
            }
        }
        return true;
    }

    /** Takes the changes since the last time, before they are too many; from time to time. */
    synchronized void refresh() {
        if (fleet.vmCount() < FEW) {
            known = false;
            return;
        }
        if (!isCurrent(MOST / 2) && clock.nanoTime() - restUntilNanos >= 0) {
            long begun = clock.nanoTime();
            lookAtAll();
            long now = clock.nanoTime();
            restUntilNanos = now + REST * (now - begun);
        }
    }

    /** Whether more VMs than these are known as of now, or all. */
    private boolean isCurrent(int least) {
        known = known && takeChanges();
        return known && (bound == null || first.size() > least);
    }

    private boolean takeChanges() {
        if (fleet.revision() == revision) {
            return true;
        }
        ChangeFeed.Changes changes = fleet.changes().since(revision);
        if (changes == null) {
            return false;
        }
        Set<VmId> touched = new HashSet<>();
        for (Delta delta : changes.deltas()) {
            switch (delta) {
                case Delta.VmAdded added -> touched.add(added.vmId());
                case Delta.VmChanged changed -> touched.add(changed.vmId());
                case Delta.VmRedefined redefined -> touched.add(redefined.vmId());
                case Delta.VmRemoved removed -> touched.add(removed.vmId());
                case Delta.HostAdded added -> host(added.state().definition().id(), touched);
                case Delta.HostChanged changed -> host(changed.hostId(), touched);
                case Delta.HostRemoved removed -> host(removed.hostId(), touched);
                case Delta.VmTagged _, Delta.Audited _, Delta.Alerted _, Delta.Untold _ -> {}
            }
        }
        VmRow row = row();
        touched.forEach(id -> move(id, row));
        revision = changes.revision();
        return true;
    }

    /** Its VMs move when its reports become stale or current. */
    private void host(HostId id, Set<VmId> touched) {
        HostView view = fleet.host(id);
        boolean current = view != null && VmRow.isCurrent(view);
        Boolean before = view == null ? currentHosts.remove(id) : currentHosts.put(id, current);
        if (before == null || before != current) {
            fleet.readingsOn(id).forEach(vm -> touched.add(vm.id()));
        }
    }

    private void move(VmId id, VmRow row) {
        Order.Place before = places.remove(id);
        if (before != null) {
            first.remove(before);
        }
        VmReading vm = fleet.reading(id);
        if (vm != null) {
            offer(row.scan(vm));
        }
    }

    private void offer(VmRow row) {
        VmId id = row.id();
        long upper = id.mostSignificantBits();
        long lower = id.leastSignificantBits();
        if (bound != null && order.compare(row, upper, lower, bound) >= 0) {
            return;
        }
        Order.Place place = order.place(row, upper, lower);
        first.put(place, row.reading());
        places.put(id, place);
        if (first.size() > MOST) {
            Map.Entry<Order.Place, VmReading> last = Objects.requireNonNull(first.pollLastEntry());
            places.remove(last.getValue().id());
            bound = last.getKey();
        }
    }

    private void lookAtAll() {
        first.clear();
        places.clear();
        currentHosts.clear();
        bound = null;
        revision = fleet.revision();
        fleet.hosts()
                .forEach(view ->
                        currentHosts.put(view.state().definition().id(), VmRow.isCurrent(view)));
        VmRow row = row();
        for (VmReading vm : fleet.readings()) {
            offer(row.scan(vm));
        }
        known = true;
    }

    private VmRow row() {
        return new VmRow(fleet, clock.now(), staleAfter);
    }
}
