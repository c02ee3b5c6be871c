package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.LunStore;
import org.stillwater.core.store.LunStore.LunSize;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.testkit.Samples;

/** Contract of every {@link LunStore}. A subclass sets a store up before each test. */
public abstract class LunStoreContract {

    private static final VmId VM = Samples.vm(1);
    private static final VmId OTHER = Samples.vm(2);
    private static final String LUN = "36001405f0c2b0a9d1e44b5aa7c3d9e10";

    private LunStore store;

    /**
     * A store that holds these LUNs and no others.
     *
     * @param luns the LUNs, all of size 10 GiB
     * @param vm a VM that has all of them plugged
     * @param other a VM that has all of them, unplugged
     */
    protected abstract LunStore tenGibibytes(List<String> luns, VmId vm, VmId other);

    /** The stored size of a LUN, GiB. */
    protected abstract int sizeOf(String lunId);

    @BeforeEach
    void begin() {
        store = tenGibibytes(List.of(LUN, Samples.AWKWARD), VM, OTHER);
    }

    @Test
    void aDifferentSizeOfAPluggedLunIsSavedOnce() {
        List<LunSize> grown =
                List.of(new LunSize(VM, LUN, 12), new LunSize(VM, Samples.AWKWARD, 10));
        assertThat(store.saveSizes(grown)).isEqualTo(written(1));
        assertThat(store.saveSizes(grown)).isEqualTo(written(0));
        assertThat(sizeOf(LUN)).isEqualTo(12);
    }

    @Test
    void aVmWithoutTheLunDoesNotChangeIt() {
        assertThat(
                        store.saveSizes(
                                List.of(
                                        new LunSize(OTHER, LUN, 12),
                                        new LunSize(Samples.vm(9), LUN, 12),
                                        new LunSize(VM, "not a LUN of ours", 12))))
                .isEqualTo(written(0));
        assertThat(sizeOf(LUN)).isEqualTo(10);
    }

    private static WriteOutcome written(int rows) {
        return new WriteOutcome.Written(rows, List.of());
    }
}
