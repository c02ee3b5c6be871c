package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.model.Listing;
import org.stillwater.ovirt.model.Statistic.Value;

/** Statistics of VMs, their interfaces and disks, in the order of chapter 3.8. */
final class VmStatisticsReadings {

    private static final long KIBIBYTE = 1L << 10;
    private static final double BITS_PER_MEGABIT = 1e6;
    private static final int LATENCY_DIGITS = 9;

    private VmStatisticsReadings() {}

    /** The sixteen of a VM. */
    static List<Reading> of(Scope scope, VmView vm) {
        VmStatisticsView numbers = scope.fleet().statistics(vm.id());
        long memory =
                EffectiveDefinition.running(scope.fleet(), vm).memoryMebibytes()
                        * VmResource.MEBIBYTE;
        List<Reading> readings = new ArrayList<>(16);
        readings.add(new Reading(Measure.MEMORY_INSTALLED, Numbers.of(memory)));
        if (numbers == null) {
            unknown(readings);
            return readings;
        }
        Integer used = numbers.usageMemoryPercent();
        readings.add(
                new Reading(
                        Measure.VM_MEMORY_USED,
                        Numbers.of(used == null ? 0 : memory * used / 100)));
        double guest = numbers.cpuUserPercent();
        double hypervisor = numbers.cpuSystemPercent();
        readings.add(new Reading(Measure.CPU_GUEST, Numbers.of(guest)));
        readings.add(new Reading(Measure.CPU_HYPERVISOR, Numbers.of(hypervisor)));
        readings.add(
                new Reading(Measure.CPU_TOTAL, Numbers.orZero(Numbers.of(guest + hypervisor))));
        Integer progress = numbers.migrationProgressPercent();
        readings.add(
                new Reading(
                        Measure.MIGRATION_PROGRESS, Numbers.of(progress == null ? 0 : progress)));
        long buffered = kibibytes(numbers.memoryBufferedKibibytes());
        long cached = kibibytes(numbers.memoryCachedKibibytes());
        long free = kibibytes(numbers.memoryFreeKibibytes());
        Long unused = numbers.memoryUnusedKibibytes();
        readings.add(new Reading(Measure.MEMORY_BUFFERED, Numbers.of(buffered)));
        readings.add(new Reading(Measure.MEMORY_CACHED, Numbers.of(cached)));
        readings.add(new Reading(Measure.VM_MEMORY_FREE, Numbers.of(free)));
        readings.add(
                new Reading(
                        Measure.MEMORY_UNUSED,
                        Numbers.of(
                                unused == null
                                        ? Math.max(0, free - buffered - cached)
                                        : kibibytes(unused))));
        readings.add(new Reading(Measure.NETWORK_TOTAL, Numbers.of(numbers.usageNetworkPercent())));
        readings.add(new Reading(Measure.DISKS_USAGE, Numbers.text(numbers.disksUsage())));
        Long elapsed = numbers.elapsedSeconds();
        boolean runs = vm.state().runtime().status().isRunningOrPaused();
        readings.add(
                new Reading(
                        Measure.ELAPSED_TIME, Numbers.of(elapsed == null || !runs ? 0 : elapsed)));
        readings.add(new Reading(Measure.CPU_HISTORY, Numbers.newestFirst(numbers.cpuHistory())));
        readings.add(
                new Reading(Measure.MEMORY_HISTORY, Numbers.newestFirst(numbers.memoryHistory())));
        readings.add(
                new Reading(
                        Measure.NETWORK_HISTORY, Numbers.newestFirst(numbers.networkHistory())));
        return readings;
    }

    /** The readings of a VM that was never polled: rule 16 wants four values. */
    private static void unknown(List<Reading> readings) {
        Listing<Value> zero = Numbers.of(0L);
        Listing<Value> none = Numbers.none();
        readings.add(new Reading(Measure.VM_MEMORY_USED, zero));
        readings.add(new Reading(Measure.CPU_GUEST, none));
        readings.add(new Reading(Measure.CPU_HYPERVISOR, none));
        readings.add(new Reading(Measure.CPU_TOTAL, zero));
        readings.add(new Reading(Measure.MIGRATION_PROGRESS, zero));
        readings.add(new Reading(Measure.MEMORY_BUFFERED, zero));
        readings.add(new Reading(Measure.MEMORY_CACHED, zero));
        readings.add(new Reading(Measure.VM_MEMORY_FREE, zero));
        readings.add(new Reading(Measure.MEMORY_UNUSED, zero));
        readings.add(new Reading(Measure.NETWORK_TOTAL, none));
        readings.add(new Reading(Measure.DISKS_USAGE, none));
        readings.add(new Reading(Measure.ELAPSED_TIME, zero));
        readings.add(new Reading(Measure.CPU_HISTORY, none));
        readings.add(new Reading(Measure.MEMORY_HISTORY, none));
        readings.add(new Reading(Measure.NETWORK_HISTORY, none));
    }

    private static long kibibytes(@Nullable Long value) {
        return value == null ? 0 : value * KIBIBYTE;
    }

    /** The eight of an interface of a VM. */
    static List<Reading> of(Scope scope, KnownNic nic) {
        VmStatisticsView.Nic numbers = nic.numbers(scope);
        long speed = numbers == null ? 0 : numbers.speedMegabitsPerSecond();
        List<Reading> readings = new ArrayList<>(8);
        rates(
                readings,
                speed,
                numbers == null ? null : numbers.receiveRatePercent(),
                numbers == null ? null : numbers.sendRatePercent());
        readings.add(
                new Reading(
                        Measure.ERRORS_RX,
                        Numbers.of(numbers == null ? null : numbers.receiveDropped())));
        readings.add(
                new Reading(
                        Measure.ERRORS_TX,
                        Numbers.of(numbers == null ? null : numbers.sendDropped())));
        readings.add(
                new Reading(
                        Measure.DATA_RX,
                        Numbers.of(numbers == null ? null : numbers.receivedBytes())));
        readings.add(
                new Reading(
                        Measure.DATA_TX, Numbers.of(numbers == null ? null : numbers.sentBytes())));
        return readings;
    }

    /** Rates of an interface. */
    static void rates(
            List<Reading> readings,
            long speedMegabits,
            @Nullable Double receivePercent,
            @Nullable Double sendPercent) {
        readings.add(new Reading(Measure.RATE_RX, rate(speedMegabits, receivePercent, 8)));
        readings.add(new Reading(Measure.RATE_TX, rate(speedMegabits, sendPercent, 8)));
        readings.add(new Reading(Measure.BITS_RX, rate(speedMegabits, receivePercent, 1)));
        readings.add(new Reading(Measure.BITS_TX, rate(speedMegabits, sendPercent, 1)));
    }

    private static Listing<Value> rate(
            long speedMegabits, @Nullable Double percent, int bitsPerUnit) {
        return percent == null
                ? Numbers.none()
                : Numbers.of(speedMegabits * BITS_PER_MEGABIT * percent / 100 / bitsPerUnit);
    }

    /** The seven of a disk; two of a LUN. */
    static List<Reading> of(KnownDisk disk) {
        VmStatisticsView.Disk numbers = disk.numbers();
        if (disk.lun() != null) {
            Listing<Value> zero = Numbers.of(0L);
            return List.of(
                    new Reading(Measure.DISK_READ, zero), new Reading(Measure.DISK_WRITE, zero));
        }
        double unknown = Double.NaN;
        return List.of(
                new Reading(
                        Measure.DISK_READ,
                        Numbers.of(numbers == null ? unknown : numbers.readBytesPerSecond())),
                new Reading(
                        Measure.DISK_WRITE,
                        Numbers.of(numbers == null ? unknown : numbers.writeBytesPerSecond())),
                new Reading(
                        Measure.DISK_READ_OPS,
                        Numbers.of(numbers == null ? null : numbers.readOperations())),
                new Reading(
                        Measure.DISK_WRITE_OPS,
                        Numbers.of(numbers == null ? null : numbers.writeOperations())),
                new Reading(
                        Measure.READ_LATENCY,
                        Numbers.of(
                                numbers == null ? unknown : numbers.readLatencySeconds(),
                                LATENCY_DIGITS)),
                new Reading(
                        Measure.WRITE_LATENCY,
                        Numbers.of(
                                numbers == null ? unknown : numbers.writeLatencySeconds(),
                                LATENCY_DIGITS)),
                new Reading(
                        Measure.FLUSH_LATENCY,
                        Numbers.of(
                                numbers == null ? unknown : numbers.flushLatencySeconds(),
                                LATENCY_DIGITS)));
    }
}
