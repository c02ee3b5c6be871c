package org.stillwater.monitoring.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

class VmStatusCountsTest {

    private static final VmStatus[] STATUSES = VmStatus.values();
    private static final VmStatic DEFINITION =
            new VmStatic("vm", VmOrigin.EXTERNAL, false, 1024, 512, 1, 1, 1, List.of());

    private final VmRegistry registry = new VmRegistry(0);

    private static VmState state(VmStatus status) {
        return new VmState(
                VmRuntime.INITIAL.with(RuntimeField.STATUS, status),
                VmPlacement.NOWHERE,
                0,
                Instant.EPOCH,
                0);
    }

    private VmManager add(long id, VmStatus status) {
        assertThat(registry.register(new VmId(1, id), DEFINITION, state(status), _ -> {})).isTrue();
        VmManager vm = registry.find(new VmId(1, id));
        assertThat(vm).isNotNull();
        return vm;
    }

    private static void change(VmManager vm, Runnable change) {
        vm.lock();
        try {
            change.run();
        } finally {
            vm.unlock();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void theCountsAreThoseOfAPassOverAllVms(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<VmManager> vms = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            VmStatus status = STATUSES[random.nextInt(STATUSES.length)];
            if (vms.isEmpty() || random.nextInt(4) == 0) {
                vms.add(add(i, status));
            } else {
                VmManager vm = vms.get(random.nextInt(vms.size()));
                if (random.nextInt(5) == 0) {
                    change(vm, () -> registry.remove(vm, 0));
                    vms.remove(vm);
                } else {
                    change(vm, () -> vm.publish(state(status)));
                }
            }
            Map<VmStatus, Integer> wanted = new EnumMap<>(VmStatus.class);
            vms.forEach(vm -> wanted.merge(vm.state().runtime().status(), 1, Integer::sum));
            assertThat(registry.byStatus()).isEqualTo(wanted);
            Set<VmStatus> some = EnumSet.of(status, VmStatus.UP);
            assertThat(registry.size(some))
                    .isEqualTo(some.stream().mapToInt(each -> wanted.getOrDefault(each, 0)).sum());
        }
    }

    @Test
    void aRemovedVmThatStillChangesIsNotCounted() {
        VmManager vm = add(1, VmStatus.UP);
        change(vm, () -> registry.remove(vm, 0));
        change(vm, () -> registry.remove(vm, 0));
        change(vm, () -> vm.publish(state(VmStatus.DOWN)));
        assertThat(registry.byStatus()).isEmpty();
    }

    @Test
    void aVmThatIsThereAlreadyCountsOnce() {
        VmManager vm = add(1, VmStatus.UP);
        assertThat(registry.register(vm.id(), DEFINITION, state(VmStatus.DOWN), _ -> {})).isFalse();
        assertThat(registry.byStatus()).isEqualTo(Map.of(VmStatus.UP, 1));
    }
}
