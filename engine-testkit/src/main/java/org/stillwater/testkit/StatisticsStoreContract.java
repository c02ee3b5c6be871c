package org.stillwater.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.StatisticsStore;
import org.stillwater.core.port.StatisticsStore.Sample;
import org.stillwater.core.port.WriteOutcome;

/** What every {@link StatisticsStore} does. A subclass sets a store up before each test. */
public abstract class StatisticsStoreContract {

    private static final VmId VM = Samples.vm(1);
    private static final VmId OTHER = Samples.vm(2);

    private StatisticsStore store;

    /** A store without samples, beside these VMs. */
    protected abstract StatisticsStore emptyStatistics(List<VmId> vms);

    /** The stored sample of a VM, null if there is none. */
    protected abstract @Nullable Sample sampleOf(VmId vm);

    @BeforeEach
    void begin() {
        store = emptyStatistics(List.of(VM, OTHER));
    }

    private static Sample sample(VmId vm, long elapsed) {
        return new Sample(vm, 12.5, 0.25, elapsed, 6, 40, 0, "[{\"path\":\"/ü\"}]", 1_024L, 2_048L);
    }

    @Test
    void onlyWhatDiffersIsWritten() {
        assertThat(store.dump(List.of(sample(VM, 1), sample(OTHER, 1)))).isEqualTo(written(2));
        assertThat(store.dump(List.of(sample(VM, 2), sample(OTHER, 1)))).isEqualTo(written(1));
        assertThat(sampleOf(VM)).isEqualTo(sample(VM, 2));
        assertThat(sampleOf(OTHER)).isEqualTo(sample(OTHER, 1));
    }

    @Test
    void whatIsNotKnownReplacesWhatWas() {
        store.dump(List.of(sample(VM, 1)));
        Sample nothing = new Sample(VM, null, null, null, null, null, null, null, null, null);
        assertThat(store.dump(List.of(nothing))).isEqualTo(written(1));
        assertThat(store.dump(List.of(nothing))).isEqualTo(written(0));
        assertThat(sampleOf(VM)).isEqualTo(nothing);
    }

    private static WriteOutcome written(int rows) {
        return new WriteOutcome.Written(rows, List.of());
    }
}
