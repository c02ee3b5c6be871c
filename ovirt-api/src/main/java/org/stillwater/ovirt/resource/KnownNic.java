package org.stillwater.ovirt.resource;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.monitoring.vm.VmView;

/**
 * An interface of a VM.
 *
 * @param vm owner of the interface
 * @param nic as monitoring knows it
 * @param defined as it was defined; null for one that was found
 */
record KnownNic(VmView vm, VmNic nic, @Nullable VmInterface defined) {

    private static final int FAST_ETHERNET = 100;
    private static final int GIGABIT = 1_000;

    static List<KnownNic> of(Scope scope, VmView vm) {
        VmSpecification specification = scope.fleet().specification(vm.id());
        Map<UUID, VmInterface> defined = new HashMap<>();
        if (specification != null) {
            specification.interfaces().forEach(each -> defined.put(each.id(), each));
        }
        return vm.definition().nics().stream()
                .map(nic -> new KnownNic(vm, nic, defined.get(nic.id())))
                .toList();
    }

    /** Model that the guest sees: the defined one, else the one of its nominal speed. */
    String model() {
        if (defined != null) {
            return defined.model().label();
        }
        return nic.speedMegabitsPerSecond() == FAST_ETHERNET
                ? "rtl8139"
                : nic.speedMegabitsPerSecond() == GIGABIT ? "e1000" : "virtio";
    }

    VmStatisticsView.@Nullable Nic numbers(Scope scope) {
        VmStatisticsView statistics = scope.fleet().statistics(vm.id());
        if (statistics != null) {
            for (VmStatisticsView.Nic each : statistics.nics()) {
                if (each.id().equals(nic.id())) {
                    return each;
                }
            }
        }
        return null;
    }
}
