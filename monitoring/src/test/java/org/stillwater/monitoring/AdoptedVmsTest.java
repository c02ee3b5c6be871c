package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** VMs of which another system keeps the truth are known before their rows are there. */
class AdoptedVmsTest {

    private final Lab lab = new Lab();
    private final List<Map<VmId, String>> outcomes = new ArrayList<>();

    @BeforeEach
    void start() throws StoreUnavailable {
        lab.storedHosts(ALPHA).started().settle();
    }

    private static StoredVm fresh(VmId id) {
        return new StoredVm(
                id, Lab.defined(id, VmOrigin.EXTERNAL), VmRuntime.INITIAL, VmPlacement.on(ALPHA));
    }

    private void adopt(VmId... ids) {
        lab.engine
                .commandAccess()
                .adopt(List.of(ids).stream().map(AdoptedVmsTest::fresh).toList(), outcomes::add);
    }

    @Test
    void theirChangesFollowTheirRows() {
        lab.vms.unavailable("away");
        adopt(VM);
        assertThat(lab.status(VM)).isEqualTo(VmStatus.DOWN);
        lab.event(ALPHA, event -> event.running(VM, 9, Lab.status(VmStatus.UP))).settle();
        assertThat(lab.status(VM)).isEqualTo(VmStatus.UP);
        assertThat(lab.vms.vm(VM)).isNull();
        assertThat(outcomes).isEmpty();

        lab.vms.unavailable(null);
        lab.clock.advance(Duration.ofSeconds(2));
        lab.settle();

        assertThat(outcomes).containsExactly(Map.of());
        assertThat(Objects.requireNonNull(lab.vms.vm(VM)).runtime().status())
                .isEqualTo(VmStatus.UP);
    }

    @Test
    void aRefusedVmCostsNoOtherAndIsReported() {
        lab.vms.refuse(OTHER, "no room");
        int calls = lab.vms.calls();
        adopt(VM, OTHER);
        lab.settle();
        assertThat(lab.vms.calls() - calls).as("calls of the store").isOne();
        assertThat(outcomes).containsExactly(Map.of(OTHER, "no room"));
        assertThat(lab.vms.vm(VM)).isNotNull();
        assertThat(lab.vms.vm(OTHER)).isNull();
        assertThat(lab.engine.fleet().vm(OTHER)).as("its owner forgets it").isNotNull();
    }
}
