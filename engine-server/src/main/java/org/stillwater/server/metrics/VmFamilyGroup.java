package org.stillwater.server.metrics;

import static org.stillwater.server.metrics.Exposition.Kind.COUNTER;
import static org.stillwater.server.metrics.Exposition.Kind.GAUGE;

import java.io.IOException;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumbers;

/** Families of VMs, their interfaces and their disks. */
class VmFamilyGroup extends FamilyGroup<VmScrape> {

    /** A number of an interface or a disk, NaN if it is not known. */
    interface OfPart {
        double of(VmNumbers vm, int part);
    }

    /** A whole number of an interface or a disk, or {@link VmNumbers#UNKNOWN}. */
    interface WholeOfPart {
        long of(VmNumbers vm, int part);
    }

    VmFamilyGroup(String prefix, Labels<VmScrape> labels) {
        super(prefix, labels, VmScrape::isCurrent);
    }

    /** A number in percent, as a ratio. */
    final void ofPercent(String name, String help, VmNumber number) {
        current(name, help, vm -> vm.value(number) * (1 / PERCENT));
    }

    /** A number in KiB, in bytes. */
    final void ofKibibytes(String name, String help, VmNumber number) {
        current(name, help, vm -> vm.value(number) * KIBIBYTE);
    }

    final void nicCounter(String name, String help, WholeOfPart number) {
        nic(name, COUNTER, help, whole(number));
    }

    /** A gauge of each interface that the newest report has. */
    final void nicGauge(String name, String help, OfPart number) {
        nic(name, GAUGE, help, number);
    }

    private void nic(String name, Exposition.Kind kind, String help, OfPart number) {
        parts(
                name,
                kind,
                help,
                vm -> vm.numbers().nicCount(),
                VmFamilyGroup::nicLabels,
                (vm, nic) -> vm.numbers().isNicUp(nic) ? number.of(vm.numbers(), nic) : Double.NaN);
    }

    private static Exposition nicLabels(Exposition sample, VmScrape vm, int nic)
            throws IOException {
        var definition = vm.numbers().nicDefinition(nic);
        return sample.label(Label.NIC, definition.name()).label(Label.MAC, definition.mac());
    }

    final void diskCounter(String name, String help, WholeOfPart number) {
        disk(name, COUNTER, help, whole(number));
    }

    final void diskGauge(String name, String help, OfPart number) {
        disk(name, GAUGE, help, number);
    }

    private void disk(String name, Exposition.Kind kind, String help, OfPart number) {
        parts(
                name,
                kind,
                help,
                vm -> vm.numbers().diskCount(),
                (sample, vm, disk) -> sample.label(Label.DISK, vm.numbers().diskName(disk)),
                (vm, disk) -> number.of(vm.numbers(), disk));
    }

    /** The same number as a fraction, NaN if it is not known. */
    static OfPart whole(WholeOfPart number) {
        return (vm, part) -> {
            long value = number.of(vm, part);
            return value == VmNumbers.UNKNOWN ? Double.NaN : value;
        };
    }
}
