package org.stillwater.ovirt.fleet;

import java.util.Comparator;
import java.util.List;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmView;

/** Identities of VMs by name; they are sorted again when a definition has changed. Thread-safe. */
final class VmNameOrder {

    private static final Comparator<VmView> BY_NAME =
            Comparator.comparing((VmView vm) -> vm.definition().name()).thenComparing(VmView::id);

    private final FleetReader fleet;
    private volatile Order order = new Order(-1, List.of());

    /** Identities by name, as of a number of changes of definitions. */
    private record Order(long definitions, List<VmId> ids) {}

    /** The order of the VMs of a fleet. */
    VmNameOrder(FleetReader fleet) {
        this.fleet = fleet;
    }

    /** Identities of all VMs. */
    List<VmId> ids() {
        Order known = order;
        long definitions = fleet.generation().definitions();
        if (known.definitions() != definitions) {
            known = new Order(definitions, fleet.vms().sorted(BY_NAME).map(VmView::id).toList());
            order = known;
        }
        return known.ids();
    }
}
