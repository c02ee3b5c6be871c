package org.stillwater.monitoring.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;

/** Polls in any order find the VMs that the registry has. */
class PollOrderTest {

    private static final VmId VM = new VmId(7, 7);

    private final VmRegistry registry = new VmRegistry(0);
    private final PollOrder order = new PollOrder(registry);

    private void register(VmId id) {
        VmStatic definition =
                new VmStatic("vm", VmOrigin.OVIRT, false, 1024, 0, 1, 1, 1, List.of());
        VmState state = new VmState(VmRuntime.INITIAL, VmPlacement.NOWHERE, 0, Instant.EPOCH, 0);
        registry.register(id, definition, state, _ -> {});
    }

    private void poll(List<VmId> reported) {
        order.begin();
        for (VmId id : reported) {
            assertThat(order.find(id)).as("%s", id).isSameAs(registry.find(id));
        }
    }

    @Test
    void aVmThatWasRemovedIsNotFoundAtItsPlace() {
        register(VM);
        poll(List.of(VM));
        VmManager before = registry.find(VM);
        assertThat(before).isNotNull();
        registry.remove(before, 0);
        poll(List.of(VM));
        register(VM);
        poll(List.of(VM));
        assertThat(registry.find(VM)).isNotNull().isNotSameAs(before);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void pollsInAnyOrderFindTheVmsOfTheRegistry(long seed) {
        Random random = new Random(seed);
        List<VmId> reported = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            reported.add(new VmId(seed, i));
        }
        for (int round = 0; round < 500; round++) {
            VmId any = reported.get(random.nextInt(reported.size()));
            switch (random.nextInt(8)) {
                case 0 -> register(any);
                case 1 -> {
                    VmManager known = registry.find(any);
                    if (known != null) {
                        registry.remove(known, 0);
                    }
                }
                case 2 -> Collections.swap(reported, 0, random.nextInt(reported.size()));
                case 3 -> reported.addFirst(reported.removeLast());
                default -> {}
            }
            poll(reported.subList(0, 1 + random.nextInt(reported.size())));
        }
        assertThat(registry.size()).as("some are known").isPositive();
    }
}
