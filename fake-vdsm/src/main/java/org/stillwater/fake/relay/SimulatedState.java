package org.stillwater.fake.relay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.fake.world.WatchedHost;
import org.stillwater.fake.world.WatchedHost.Moment;
import org.stillwater.fake.world.WatchedHost.Vm;
import org.stillwater.relay.state.Cells;
import org.stillwater.relay.state.Checksum;
import org.stillwater.relay.state.Delta;
import org.stillwater.relay.state.HostState;
import org.stillwater.relay.vm.HostCells;
import org.stillwater.relay.vm.NumberCells;
import org.stillwater.relay.vm.VmCells;
import org.stillwater.vdsm.client.VmListText;

/**
 * The state of one simulated host at a simulated relay. Not thread-safe; under the monitor of the
 * host, all reads see one state.
 *
 * <p>How: a real relay keeps every value of every VM, some two kilobytes. Here values are functions
 * of the world and of a virtual moment, so only the moments are kept: of the newest poll, of the
 * numbers of each VM, and of the newest change of all else. A value that a receiver lacks is
 * computed when it is sent. All other values come from the report that the host would give, through
 * the engine's decoder and the relay's translation. So they cannot differ from the values of a
 * relay over a wire.
 */
final class SimulatedState implements HostState {

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final long SHARES = 1L << 20;

    private final WatchedHost host;
    private final long epoch;
    private final long moving;
    private final VmListText reports;
    private final Map<UUID, VmMoments> vms = new HashMap<>();
    private final Map<UUID, Long> removed = new HashMap<>();

    private long version;
    private long floor;
    private int pass;
    private HostCells told = new HostCells(false, 0, 0, 0, "not asked yet");
    private long toldVersion;
    private long polls;

    /** The virtual moment of the newest poll, and its sequence. */
    private long polledAt;

    private long polledVersion;

    /**
     * A state before its first poll.
     *
     * @param epoch of its sequences
     * @param moving share of the VMs with new numbers in each poll, 0 to 1
     * @param reports decodes; used by this thread only
     */
    SimulatedState(WatchedHost host, long epoch, double moving, VmListText reports) {
        this.host = host;
        this.epoch = epoch;
        this.moving = Math.round(moving * SHARES);
        this.reports = reports;
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public long version() {
        return version;
    }

    /**
     * Polls the host.
     *
     * @param session the stream to the engine that stands; 0 for none
     * @param mark the newest mark that came over it; 0 for none
     */
    void poll(long session, long mark) {
        long _ =
                host.reading(now -> {
                    if (notice(now)) {
                        version++;
                        polledAt = now.millis();
                        polledVersion = version;
                        polls++;
                        now.vms(vm -> move(vm, Objects.requireNonNull(vms.get(vm.id()))));
                        tell(new HostCells(true, polls, session, mark, null));
                    }
                    return version;
                });
    }

    /** Takes the changes since the last poll, as events report them. */
    void look() {
        boolean _ = host.reading(this::notice);
    }

    /** Takes the changes of the host and its VMs; returns whether the host answers. */
    private boolean notice(Moment now) {
        String trouble = now.trouble();
        if (trouble != null && !trouble.equals(told.reason())) {
            version++;
            tell(new HostCells(false, polls, told.session(), told.mark(), trouble));
        }
        if (trouble == null || polls > 0) {
            refresh(now);
        }
        return trouble == null;
    }

    private void tell(HostCells cells) {
        told = cells;
        toldVersion = version;
    }

    private void move(Vm vm, VmMoments known) {
        long chance = ((vm.seed() ^ (polls * GOLDEN)) * GOLDEN) >>> 44; // 20 bits
        if (chance < moving) {
            known.numbersAt = polledAt;
            known.numbersVersion = version;
        }
    }

    private void refresh(Moment now) {
        long next = version + 1;
        pass++;
        now.vms(vm -> {
            VmMoments known = vms.get(vm.id());
            long rest = vm.rest();
            if (known == null) {
                known = new VmMoments();
                vms.put(vm.id(), known);
                removed.remove(vm.id());
            } else if (known.rest == rest) {
                known.pass = pass;
                return;
            }
            known.pass = pass;
            known.rest = rest;
            known.restAt = now.millis();
            known.restVersion = next;
            known.numbersAt = known.restAt;
            known.numbersVersion = next;
            known.summed = false;
            known.nics = Math.max(known.nics, vm.nics());
            known.disks = Math.max(known.disks, vm.disks());
            version = next;
        });
        Iterator<Map.Entry<UUID, VmMoments>> each = vms.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<UUID, VmMoments> vm = each.next();
            if (vm.getValue().pass != pass) {
                each.remove();
                removed.put(vm.getKey(), next);
                version = next;
            }
        }
    }

    @Override
    public void acknowledged(long sequence) {
        if (removed.values().removeIf(at -> at <= sequence)) {
            floor = Math.max(floor, sequence);
        }
    }

    @Override
    public Delta since(long base, boolean withSum) {
        return host.reading(now -> {
            // Messages are computed from the world as it is now: both must be one state.
            boolean _ = notice(now);
            long from = base < floor || base > version ? 0 : base;
            List<Delta.Change> changes = new ArrayList<>();
            if (toldVersion > from) {
                changes.add(
                        new Delta.Change(
                                HostCells.id(),
                                told.cells(),
                                from == 0 ? List.of() : told.absent()));
            }
            long[] sum = {sumOfHost()};
            now.vms(vm -> {
                VmMoments known = vms.get(vm.id());
                if (known != null) {
                    sum[0] += change(vm, known, from, withSum, changes);
                }
            });
            List<UUID> gone = new ArrayList<>();
            removed.forEach((id, at) -> {
                if (from > 0 && at > from) {
                    gone.add(id);
                }
            });
            return new Delta(epoch, from, version, changes, gone, withSum ? (Long) sum[0] : null);
        });
    }

    private long sumOfHost() {
        long record = Checksum.ofRecord(HostCells.id());
        return toldVersion == 0 ? 0 : record + told.cells().digest(record);
    }

    /** Adds the changes of a VM, and returns its part of the checksum if {@code withSum} is set. */
    private long change(
            Vm vm, VmMoments known, long from, boolean withSum, List<Delta.Change> changes) {
        boolean all = from == 0 || known.restVersion > from;
        boolean numbers = all || known.numbersVersion > from;
        boolean times = numbers || polledVersion > from;
        Cells rest = all || (withSum && !known.summed) ? rest(vm) : Cells.NONE;
        if (times) {
            Cells moved = moved(vm, known, numbers, all);
            Cells set = all ? rest.patched(moved, List.of()) : moved;
            List<Integer> cleared =
                    all && from > 0 ? NumberCells.absent(set, known.nics, known.disks) : List.of();
            changes.add(new Delta.Change(vm.id(), set, cleared));
        }
        if (!withSum) {
            return 0;
        }
        long record = Checksum.ofRecord(vm.id());
        if (!known.summed) {
            known.restSum = rest.digest(record);
            known.summed = true;
        }
        return record + known.restSum + moved(vm, known, true, true).digest(record);
    }

    private Cells moved(Vm vm, VmMoments known, boolean numbers, boolean idle) {
        Moving moving = new Moving();
        vm.times(Math.max(polledAt, known.restAt), moving);
        if (numbers) {
            vm.numbers(known.numbersAt, idle, moving);
        }
        return moving.cells.build();
    }

    /** The reported values of a VM besides times and numbers. */
    private Cells rest(Vm vm) {
        Translation translation = new Translation();
        int _ = reports.decode(vm.report(), host.displayAddress(), translation);
        return NumberCells.still(translation.cells);
    }

    /** Takes one report as a poll does. */
    private static final class Translation implements VmReportSink {
        private Cells cells = Cells.NONE;

        @Override
        public @Nullable VmRuntime known(VmId vmId, VmSample sample) {
            return null;
        }

        @Override
        public void accept(VmReport report, @Nullable VmSample sample) {
            cells = VmCells.of(report, sample, Cells.NONE);
        }

        @Override
        public void malformed(@Nullable VmId vmId, String why) {
            throw new IllegalStateException("a simulated report is malformed: " + why);
        }
    }

    /** Times and numbers as cells. */
    private static final class Moving implements WatchedHost.Times, WatchedHost.Numbers {
        private final NumberCells cells = new NumberCells();

        @Override
        public void stamp(long millis) {
            cells.stamp(millis);
        }

        @Override
        public void elapsed(long seconds) {
            cells.elapsed(seconds);
        }

        @Override
        public void nic(int index, double seconds) {
            cells.nicTime(index, seconds);
        }

        @Override
        public void cpu(double user, double system) {
            cells.cpu(user, system);
        }

        @Override
        public void memoryUsage(long percent) {
            cells.memoryUsage(percent);
        }

        @Override
        public void memory(long freeKibibytes, long unusedKibibytes) {
            cells.memory(freeKibibytes, unusedKibibytes);
        }

        @Override
        public void nic(int index, long received, long sent) {
            cells.traffic(index, received, sent);
        }

        @Override
        public void disk(
                int index,
                double readRate,
                double writeRate,
                long readOperations,
                long writeOperations,
                double readLatency,
                double writeLatency,
                double flushLatency) {
            cells.work(index, readRate, writeRate, readOperations, writeOperations)
                    .latencies(index, readLatency, writeLatency, flushLatency);
        }
    }
}
