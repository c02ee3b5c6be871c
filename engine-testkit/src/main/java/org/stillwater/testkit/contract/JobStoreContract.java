package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.JobStore;
import org.stillwater.core.store.JobStore.StoredJob;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.BlockJobType;
import org.stillwater.core.vm.JobState;
import org.stillwater.core.vm.JobType;
import org.stillwater.core.vm.VmJob;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.Samples;

/** Contract of every {@link JobStore}. A subclass hands out an empty store before each test. */
public abstract class JobStoreContract {

    private static final VmId UP = Samples.vm(1);
    private static final VmId DOWN = Samples.vm(2);
    private static final VmId NOBODY = Samples.vm(3);

    private JobStore store;

    /** A store without jobs, beside these VMs and no others. */
    protected abstract JobStore emptyJobs(Map<VmId, VmStatus> vms) throws StoreUnavailable;

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyJobs(Map.of(UP, VmStatus.UP, DOWN, VmStatus.DOWN));
    }

    private static VmJob job(long id, VmId vm, long cursor) {
        return new VmJob(
                new UUID(7, id),
                vm,
                JobState.NORMAL,
                JobType.BLOCK,
                BlockJobType.COMMIT,
                0,
                cursor,
                21_474_836_480L,
                new UUID(8, id));
    }

    @Test
    void aSavedJobIsLoadedWithItsVmsStatus() throws StoreUnavailable {
        assertThat(store.save(List.of(job(2, UP, 5), job(1, DOWN, 0)))).isEqualTo(written(2));
        assertThat(store.loadAll())
                .containsExactlyInAnyOrder(
                        new StoredJob(job(2, UP, 5), VmStatus.UP),
                        new StoredJob(job(1, DOWN, 0), VmStatus.DOWN));
    }

    @Test
    void aJobWithoutADiskIsKeptUnchanged() throws StoreUnavailable {
        VmJob odd =
                new VmJob(
                        new UUID(7, 1),
                        UP,
                        JobState.UNKNOWN,
                        JobType.UNKNOWN,
                        BlockJobType.UNKNOWN,
                        Long.MAX_VALUE,
                        Long.MAX_VALUE,
                        Long.MAX_VALUE,
                        null);
        store.save(List.of(odd));
        assertThat(store.save(List.of(odd))).isEqualTo(written(0));
        assertThat(store.loadAll()).containsExactly(new StoredJob(odd, VmStatus.UP));
    }

    @Test
    void aVmThatIsNotThereHasNoJobs() throws StoreUnavailable {
        assertThat(store.save(List.of(job(1, NOBODY, 5), job(2, UP, 5)))).isEqualTo(written(1));
        assertThat(store.loadAll()).containsExactly(new StoredJob(job(2, UP, 5), VmStatus.UP));
    }

    @Test
    void onlyDifferencesAreWritten() throws StoreUnavailable {
        store.save(List.of(job(1, UP, 5), job(2, UP, 5)));
        assertThat(store.save(List.of(job(1, UP, 6), job(2, UP, 5), job(3, UP, 5))))
                .isEqualTo(written(2));
        assertThat(store.save(List.of(job(1, UP, 6)))).isEqualTo(written(0));
        assertThat(store.loadAll())
                .extracting(stored -> stored.job().cursorCurrent())
                .containsExactlyInAnyOrder(6L, 5L, 5L);
    }

    @Test
    void missingJobsAreDeletedAlready() throws StoreUnavailable {
        store.save(List.of(job(1, UP, 5), job(2, UP, 5)));
        assertThat(store.delete(List.of(job(1, UP, 5).key(), job(9, UP, 5).key())))
                .isEqualTo(written(1));
        assertThat(store.delete(List.of(job(1, UP, 5).key()))).isEqualTo(written(0));
        assertThat(store.loadAll()).hasSize(1);
    }

    /** Hosts choose the identities: none may change or end the job of another host's VM. */
    @Test
    void twoVmsMayHaveAJobOfTheSameIdentity() throws StoreUnavailable {
        store.save(List.of(job(1, UP, 5)));
        assertThat(store.save(List.of(job(1, DOWN, 6)))).isEqualTo(written(1));
        assertThat(store.loadAll())
                .containsExactlyInAnyOrder(
                        new StoredJob(job(1, UP, 5), VmStatus.UP),
                        new StoredJob(job(1, DOWN, 6), VmStatus.DOWN));

        assertThat(store.delete(List.of(job(1, DOWN, 6).key()))).isEqualTo(written(1));
        assertThat(store.loadAll()).containsExactly(new StoredJob(job(1, UP, 5), VmStatus.UP));
    }

    private static WriteOutcome written(int rows) {
        return new WriteOutcome.Written(rows, List.of());
    }
}
