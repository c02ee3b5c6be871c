package org.stillwater.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.contract.VmStoreContract;

class InMemoryVmStoreTest extends VmStoreContract {

    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryHostStore hosts = new InMemoryHostStore();

    @Override
    protected VmStore emptyVms() {
        return vms;
    }

    @Override
    protected HostStore hosts() {
        return hosts;
    }

    @Test
    void anAbsentDatabaseAndARefusedRowCanBePlayed() {
        vms.unavailable("gone");
        assertThat(vms.add(List.of(Samples.storedVm(5))))
                .isEqualTo(new WriteOutcome.Unavailable("gone"));
        vms.unavailable(null);
        vms.refuse(Samples.vm(5), "no");
        assertThat(vms.add(List.of(Samples.storedVm(5))))
                .isEqualTo(
                        new WriteOutcome.Written(
                                0,
                                List.of(
                                        new WriteOutcome.Rejected(
                                                Samples.vm(5).toString(), "no"))));
        assertThat(vms.vm(Samples.vm(5))).isNull();
    }
}
