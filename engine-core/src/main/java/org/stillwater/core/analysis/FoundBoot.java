package org.stillwater.core.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmSpecification.BootDevice;

/**
 * Order in which a found VM boots from its devices. A definition has kinds of devices in order, and
 * ranks of its disks.
 */
final class FoundBoot {

    /** A device with a number in the order. */
    private record Ranked(int order, BootDevice kind, UUID device) {}

    /** By their numbers. */
    private final List<Ranked> ranked = new ArrayList<>();

    /** Adds a device of the definition, if it is in the order. */
    void add(DomainElement device, BootDevice kind, UUID id) {
        DomainElement boot = device.child("boot");
        if (boot != null) {
            int order = boot.number("order", 1, Integer.MAX_VALUE);
            int at = ranked.size();
            while (at > 0 && ranked.get(at - 1).order() > order) {
                at--;
            }
            ranked.add(at, new Ranked(order, kind, id));
        }
    }

    /**
     * Kinds of devices, best first.
     *
     * @param os the element of the operating system, which names kinds where devices have no
     *     numbers
     */
    List<BootDevice> kinds(DomainElement os, FoundNotes notes) {
        List<BootDevice> kinds = new ArrayList<>();
        for (Ranked each : ranked) {
            if (!kinds.contains(each.kind())) {
                kinds.add(each.kind());
            }
        }
        for (DomainElement boot : os.all("boot")) {
            switch (boot.attribute("dev")) {
                case "hd" -> addOnce(kinds, BootDevice.DISK);
                case "cdrom" -> addOnce(kinds, BootDevice.CDROM);
                case "network" -> addOnce(kinds, BootDevice.NETWORK);
                default -> notes.changed("boot from " + boot.attribute("dev"));
            }
        }
        return kinds.isEmpty() ? List.of(BootDevice.DISK) : kinds;
    }

    private static void addOnce(List<BootDevice> kinds, BootDevice kind) {
        if (!kinds.contains(kind)) {
            kinds.add(kind);
        }
    }

    /** The disks with their ranks: none if it boots from the first disk only, as by default. */
    List<VmDisk> ranked(List<VmDisk> disks) {
        List<UUID> order = of(BootDevice.DISK);
        if (order.isEmpty()
                || (order.size() == 1 && order.getFirst().equals(disks.getFirst().id()))) {
            return disks;
        }
        return disks.stream()
                .map(disk -> {
                    int rank = order.indexOf(disk.id());
                    return rank < 0 ? disk : ranked(disk, rank + 1);
                })
                .toList();
    }

    private static VmDisk ranked(VmDisk disk, int rank) {
        return new VmDisk(
                disk.id(),
                disk.name(),
                disk.place(),
                disk.bus(),
                disk.format(),
                rank,
                disk.readOnly(),
                disk.shareable());
    }

    /** Notes an order that a definition does not have. */
    void check(List<VmInterface> nics, FoundNotes notes) {
        List<UUID> linked =
                nics.stream()
                        .filter(nic -> nic.linked() && nic.network() != null)
                        .map(VmInterface::id)
                        .toList();
        List<UUID> network = of(BootDevice.NETWORK);
        notes.changedIf(
                !network.isEmpty() && !network.equals(linked),
                "boot order of interfaces; it becomes that of all connected ones");
        List<BootDevice> kinds = ranked.stream().map(Ranked::kind).toList();
        for (int i = 2; i < kinds.size(); i++) {
            if (kinds.get(i) != kinds.get(i - 1) && kinds.subList(0, i).contains(kinds.get(i))) {
                notes.changed("boot order with disks, CD and interfaces mixed");
                return;
            }
        }
    }

    private List<UUID> of(BootDevice kind) {
        return ranked.stream().filter(each -> each.kind() == kind).map(Ranked::device).toList();
    }
}
