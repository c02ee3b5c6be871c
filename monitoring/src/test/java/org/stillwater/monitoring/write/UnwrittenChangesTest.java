package org.stillwater.monitoring.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;

class UnwrittenChangesTest {

    private final UnwrittenChanges<VmId, PendingVm> ledger = new UnwrittenChanges<>(VmId::toString);

    @Test
    void aVmThatWaitsAndIsUnderWayCountsOnce() {
        put(1);
        put(2);
        List<PendingVm> batch = ledger.take(10);
        put(2);
        put(3);
        put(3);
        assertThat(ledger.size()).isEqualTo(3);

        batch.forEach(PendingVm::written);
        ledger.settle(batch, _ -> {});
        assertThat(ledger.size()).isEqualTo(2);
        assertThat(ledger.isEmpty()).isFalse();
    }

    @Test
    void returnedChangesMergeWithNewOnes() {
        put(1);
        put(2);
        List<PendingVm> batch = ledger.take(10);
        put(2);

        ledger.settle(batch, _ -> {});

        assertThat(ledger.size()).isEqualTo(2);
        assertThat(ledger.take(10)).extracting(next -> next.id).containsExactly(id(1), id(2));
        assertThat(ledger.size()).isEqualTo(2);
    }

    @Test
    void aRefusedVmDoesNotCountUnlessItChangedMeanwhile() {
        put(1);
        put(2);
        List<PendingVm> batch = ledger.take(10);
        put(2);

        batch.forEach(row -> ledger.refuse(row, "no"));

        assertThat(ledger.size()).isEqualTo(1);
    }

    @Test
    void aForgottenVmCountsUntilItIsNoLongerUnderWay() {
        put(1);
        List<PendingVm> batch = ledger.take(10);
        put(1);

        ledger.forget(id(1));
        assertThat(ledger.size()).isEqualTo(1);

        batch.forEach(PendingVm::written);
        ledger.settle(batch, _ -> {});
        assertThat(ledger.size()).isZero();
        assertThat(ledger.isEmpty()).isTrue();
    }

    private void put(long vm) {
        PendingVm pending = new PendingVm(id(vm), VmRuntime.INITIAL, VmPlacement.NOWHERE, 0);
        pending.fields = RuntimeFields.of(RuntimeField.STATUS);
        ledger.put(pending);
    }

    private static VmId id(long vm) {
        return new VmId(0, vm);
    }
}
