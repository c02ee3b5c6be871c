package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmChange;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WorkStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.PlacementField;
import org.stillwater.core.vm.PlacementFields;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRun;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.core.vm.WorkKind;
import org.stillwater.testkit.Samples;

/**
 * Contract of every {@link WorkStore} about the work that {@link VmStore#write} queues. A subclass
 * hands out an empty store before each test.
 */
public abstract class WorkStoreContract {

    private static final VmId VM = Samples.vm(1);
    private static final VmId OTHER = Samples.vm(2);
    private static final Instant NOW = Instant.parse("2026-03-04T05:06:07.123456Z");
    private static final UUID OWNER = new UUID(1, 1);

    private VmStore store;

    /** An empty store of VMs. */
    protected abstract VmStore emptyVms() throws StoreUnavailable;

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyVms();
        List<StoredVm> vms = new ArrayList<>(List.of(Samples.storedVm(1), Samples.storedVm(2)));
        vms.sort(Comparator.comparing(StoredVm::id));
        store.add(vms);
    }

    @Test
    void workIsQueuedWithTheStateItFollowsFromAndFoundAgain() throws StoreUnavailable {
        OpenWork restart = work(VM, WorkKind.HA_RESTART, 3, NOW);
        VmRuntime down = Samples.runtime(1).with(RuntimeField.STATUS, VmStatus.IMAGE_LOCKED);

        WriteOutcome outcome =
                store.write(
                        List.of(
                                VmChange.reported(VM, RuntimeFields.of(RuntimeField.STATUS), down)
                                        .withWork(List.of(restart))));

        assertThat(outcome).isEqualTo(new WriteOutcome.Written(2, List.of(), List.of(restart)));
        assertThat(open()).containsExactly(restart);
    }

    @Test
    void workWithoutAChangeOfStateIsQueuedToo() throws StoreUnavailable {
        OpenWork restart = work(VM, WorkKind.HA_RESTART, 0, NOW);
        assertThat(queue(restart)).containsExactly(restart);
        assertThat(open()).containsExactly(restart);
    }

    @ParameterizedTest
    @EnumSource
    void everythingAboutWorkIsKept(WorkKind kind) throws StoreUnavailable {
        OpenWork withHost = work(VM, kind, Long.MAX_VALUE, NOW);
        OpenWork without =
                new OpenWork(new PendingWork(OTHER, kind, 0, null, ""), NOW.plusSeconds(1));
        queue(withHost);
        queue(without);
        assertThat(open()).containsExactly(withHost, without);
    }

    @Test
    void theOldestWorkComesFirst() throws StoreUnavailable {
        OpenWork late = work(VM, WorkKind.HA_RESTART, 1, NOW.plusSeconds(2));
        OpenWork early = work(OTHER, WorkKind.HA_RESTART, 1, NOW);
        OpenWork between = work(VM, WorkKind.PROCESS_DOWN, 1, NOW.plusSeconds(1));
        queue(late, between);
        queue(early);
        assertThat(open()).containsExactly(early, between, late);
    }

    @ParameterizedTest
    @EnumSource
    void openWorkOfTheSameRunIsNotQueuedTwice(WorkKind kind) throws StoreUnavailable {
        OpenWork first = work(VM, kind, 1, NOW);
        OpenWork again =
                new OpenWork(
                        new PendingWork(VM, kind, 1, Samples.host(2), "another reason"),
                        NOW.plusSeconds(9));
        queue(first);

        assertThat(queue(again)).as("the batch is told what is open").containsExactly(first);

        assertThat(open()).containsExactly(first);
    }

    @Test
    void openWorkOfTheSameVmIsReturned() throws StoreUnavailable {
        OpenWork earlier = work(VM, WorkKind.PROCESS_DOWN, 1, NOW);
        OpenWork elsewhere = work(OTHER, WorkKind.PROCESS_DOWN, 1, NOW);
        OpenWork later = work(VM, WorkKind.PROCESS_DOWN, 2, NOW.plusSeconds(1));
        queue(earlier);
        queue(elsewhere);
        assertThat(queue(later)).containsExactlyInAnyOrder(earlier, later);
    }

    @Test
    void theSameWorkTwiceInOneChangeIsOne() throws StoreUnavailable {
        OpenWork work = work(VM, WorkKind.RERUN, 1, NOW);
        assertThat(queue(work, work)).containsExactly(work);
        assertThat(open()).containsExactly(work);
    }

    @Test
    void kindsRunsAndVmsDoNotStandInEachOthersWay() throws StoreUnavailable {
        queue(
                work(VM, WorkKind.HA_RESTART, 1, NOW),
                work(VM, WorkKind.HA_RESTART, 2, NOW),
                work(VM, WorkKind.PROCESS_DOWN, 1, NOW));
        queue(work(OTHER, WorkKind.HA_RESTART, 1, NOW));
        assertThat(open()).hasSize(4);
    }

    @Test
    void workTakenOverIsClosedAndHasOneOwner() throws StoreUnavailable {
        OpenWork work = work(VM, WorkKind.HA_RESTART, 1, NOW);
        queue(work);

        assertThat(store.takeOver(work.work(), OWNER, NOW)).isTrue();
        assertThat(store.takeOver(work.work(), new UUID(2, 2), NOW)).isFalse();

        assertThat(store.takeOver(work.work(), OWNER, NOW))
                .as("an owner whose answer was lost is told the same")
                .isTrue();
        assertThat(open()).isEmpty();
    }

    @Test
    void workThatWasNeverQueuedCannotBeTakenOver() throws StoreUnavailable {
        assertThat(store.takeOver(work(VM, WorkKind.RERUN, 1, NOW).work(), OWNER, NOW)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void workOncePerRunIsNotQueuedAgainAfterItsTakeOver(WorkKind kind) throws StoreUnavailable {
        OpenWork first = work(VM, kind, 1, NOW);
        OpenWork again = work(VM, kind, 1, NOW.plusSeconds(60));
        queue(first);
        store.takeOver(first.work(), OWNER, NOW);

        List<OpenWork> expected = kind.isOncePerRun() ? List.of() : List.of(again);
        assertThat(queue(again)).isEqualTo(expected);
        assertThat(open()).isEqualTo(expected);
        assertThat(store.takeOver(again.work(), new UUID(2, 2), NOW))
                .isEqualTo(!kind.isOncePerRun());
    }

    @Test
    void workOfARepeatedWriteIsNotOpenedAgain() throws StoreUnavailable {
        OpenWork first = work(VM, WorkKind.RERUN_MIGRATION, 1, NOW);
        queue(first);
        store.takeOver(first.work(), OWNER, NOW);

        queue(first);

        assertThat(open()).isEmpty();
    }

    @Test
    void aNewRunForgetsDoneWorkAndKeepsOpenWork() throws StoreUnavailable {
        OpenWork done = work(VM, WorkKind.HA_RESTART, 1, NOW);
        OpenWork undone = work(VM, WorkKind.PROCESS_DOWN, 1, NOW);
        OpenWork others = work(OTHER, WorkKind.HA_RESTART, 1, NOW);
        queue(done, undone);
        queue(others);
        store.takeOver(done.work(), OWNER, NOW);
        store.takeOver(others.work(), OWNER, NOW);

        store.write(
                List.of(
                        VmChange.placed(
                                VM,
                                PlacementFields.of(PlacementField.RUN_GENERATION),
                                VmPlacement.NOWHERE.withRun(VmRun.NEVER.next().next()))));

        assertThat(open()).containsExactly(undone);
        assertThat(store.takeOver(done.work(), OWNER, NOW)).as("nothing is kept of it").isFalse();
        assertThat(store.takeOver(others.work(), OWNER, NOW)).as("another VM's is").isTrue();
    }

    @Test
    void workOfAVmThatIsGoneIsNotQueued() throws StoreUnavailable {
        VmId gone = Samples.vm(77);
        OpenWork work = work(gone, WorkKind.HA_RESTART, 1, NOW);
        assertThat(
                        store.write(
                                List.of(
                                        VmChange.placed(
                                                        gone,
                                                        PlacementFields.NONE,
                                                        VmPlacement.NOWHERE)
                                                .withWork(List.of(work)))))
                .isEqualTo(new WriteOutcome.Written(0, List.of()));
        assertThat(open()).isEmpty();
    }

    private List<OpenWork> queue(OpenWork... work) {
        WriteOutcome outcome =
                store.write(
                        List.of(
                                VmChange.placed(
                                                work[0].work().vmId(),
                                                PlacementFields.NONE,
                                                VmPlacement.NOWHERE)
                                        .withWork(List.of(work))));
        assertThat(outcome).isInstanceOf(WriteOutcome.Written.class);
        return ((WriteOutcome.Written) outcome).open();
    }

    private List<OpenWork> open() throws StoreUnavailable {
        List<OpenWork> open = new ArrayList<>();
        store.loadWork(open::add);
        return open;
    }

    private static OpenWork work(VmId vm, WorkKind kind, long generation, Instant since) {
        return new OpenWork(
                new PendingWork(
                        vm, kind, generation, Samples.host(1), "because " + Samples.AWKWARD),
                since);
    }
}
