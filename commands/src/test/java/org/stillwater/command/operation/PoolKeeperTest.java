package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.command.pool.PoolSettings;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.memory.InMemoryPoolStore;

/** Pools of VMs: kept ready, given to users and taken back (monitoring specification §8). */
class PoolKeeperTest {

    private static final UUID POOL = new UUID(0x4000, 1);

    private final CommandLab lab = new CommandLab().withHosts(3);
    private final InMemoryPoolStore store = new InMemoryPoolStore(lab.vms);

    private static VmPool pool(int n, int size, int prestarted, boolean stateful) {
        return new VmPool(
                new UUID(0x4000, n),
                "pool" + n,
                "",
                ClusterId.DEFAULT,
                stateful,
                size,
                prestarted,
                1,
                null,
                new TreeMap<>());
    }

    private PoolKeeper keeper(VmPool pool) throws StoreUnavailable {
        List<VmId> vms =
                IntStream.rangeClosed(1, pool.size())
                        .peek(lab::withVm)
                        .mapToObj(CommandLab::vmId)
                        .toList();
        store.save(pool);
        store.addMembers(pool.id(), vms);
        lab.settled();
        return started();
    }

    private PoolKeeper started() throws StoreUnavailable {
        PoolKeeper keeper = new PoolKeeper(PoolSettings.DEFAULT, lab.commands, store);
        keeper.start();
        lab.pump();
        return keeper;
    }

    private long up() {
        return lab.engine()
                .fleet()
                .vms()
                .filter(vm -> vm.state().runtime().status() == VmStatus.UP)
                .count();
    }

    private long starts() {
        return lab.commands.operations(operation -> operation.kind() == OperationKind.RUN).size();
    }

    @Test
    @DisplayName("S96 twenty pools that want nothing ahead cost one query, and none later")
    void nothingWanted() throws StoreUnavailable {
        for (int n = 1; n <= 20; n++) {
            store.save(pool(n, 10, 0, true));
        }
        lab.settled();
        int before = store.calls();
        PoolKeeper keeper = started();
        lab.seconds(3_600);
        assertThat(keeper.pools()).hasSize(20);
        assertThat(store.calls() - before).isEqualTo(1);
        assertThat(starts()).isZero();
    }

    @Test
    @DisplayName("S97 a pool that wants 8 and has 2 starts 5, then the one that is missing")
    void batches() throws StoreUnavailable {
        for (int n = 1; n <= 10; n++) {
            lab.withVm(n);
        }
        lab.up(1, 1).up(2, 2);
        store.save(pool(1, 10, 8, true));
        store.addMembers(POOL, IntStream.rangeClosed(1, 10).mapToObj(CommandLab::vmId).toList());
        lab.settled();
        int calls = store.calls();
        started();
        assertThat(starts()).isEqualTo(5);
        lab.seconds(30);
        assertThat(starts()).isEqualTo(6);
        assertThat(up()).isEqualTo(8);
        lab.seconds(1_200);
        assertThat(starts()).isEqualTo(6);
        assertThat(store.calls() - calls).isEqualTo(1);
    }

    @Test
    void aUserGetsAVmThatIsUpAndAnotherTakesItsPlace() throws StoreUnavailable {
        PoolKeeper keeper = keeper(pool(1, 4, 2, true));
        lab.seconds(30);
        assertThat(up()).isEqualTo(2);
        PoolKeeper.Assignment given = keeper.assign(POOL, "eve", CommandLab.TESTER);
        assertThat(given).isInstanceOf(PoolKeeper.Assignment.Given.class);
        VmId vm = ((PoolKeeper.Assignment.Given) given).vm();
        assertThat(lab.engine().fleet().vm(vm).state().runtime().status()).isEqualTo(VmStatus.UP);
        assertThat(keeper.assign(POOL, "eve", CommandLab.TESTER))
                .isInstanceOfSatisfying(
                        PoolKeeper.Assignment.Refused.class,
                        refused -> assertThat(refused.reason()).contains("which is the most"));
        lab.seconds(30);
        assertThat(up()).isEqualTo(3);
        assertThat(keeper.release(vm, CommandLab.TESTER)).isTrue();
        assertThat(keeper.release(vm, CommandLab.TESTER)).isFalse();
        lab.seconds(30);
        assertThat(up()).isEqualTo(3);
    }

    @Test
    void aVmOfAStatelessPoolEndsWithItsUse() throws StoreUnavailable {
        PoolKeeper keeper = keeper(pool(1, 2, 0, false));
        PoolKeeper.Assignment given = keeper.assign(POOL, "eve", CommandLab.TESTER);
        lab.seconds(20);
        VmId vm = ((PoolKeeper.Assignment.Given) given).vm();
        assertThat(lab.engine().fleet().vm(vm).state().runtime().status()).isEqualTo(VmStatus.UP);
        keeper.release(vm, CommandLab.TESTER);
        lab.seconds(5);
        assertThat(lab.engine().fleet().vm(vm).state().runtime().status()).isEqualTo(VmStatus.DOWN);
    }

    private static VmId given(PoolKeeper.Assignment assignment) {
        assertThat(assignment).isInstanceOf(PoolKeeper.Assignment.Given.class);
        return ((PoolKeeper.Assignment.Given) assignment).vm();
    }

    private VmStatus status(VmId vm) {
        return lab.engine().fleet().vm(vm).state().runtime().status();
    }

    @Test
    void aReturnedVmOfAStatelessPoolIsNobodysBeforeItHasEnded() throws StoreUnavailable {
        PoolKeeper keeper = keeper(pool(1, 1, 0, false));
        VmId vm = given(keeper.assign(POOL, "eve", CommandLab.TESTER));
        lab.seconds(20);
        assertThat(keeper.release(vm, CommandLab.TESTER)).isTrue();
        assertThat(status(vm)).isEqualTo(VmStatus.UP);
        assertThat(keeper.assign(POOL, "adam", CommandLab.TESTER))
                .isEqualTo(new PoolKeeper.Assignment.Refused("it has no free VM"));
        lab.seconds(5);
        assertThat(status(vm)).isEqualTo(VmStatus.DOWN);
        assertThat(given(keeper.assign(POOL, "adam", CommandLab.TESTER))).isEqualTo(vm);
        lab.seconds(700);
        assertThat(status(vm)).as("the run of the next user").isEqualTo(VmStatus.UP);
    }

    @Test
    void aVmWithAnOpenConsoleIsGivenToNobody() throws StoreUnavailable {
        lab.withVm(1).withVm(2).up(1, 1).up(2, 2);
        store.save(pool(1, 2, 0, true));
        store.addMembers(POOL, List.of(CommandLab.vmId(1), CommandLab.vmId(2)));
        lab.host(1).console(CommandLab.vmId(1), "198.51.100.7");
        lab.settled();
        PoolKeeper keeper = started();
        lab.seconds(30);
        assertThat(given(keeper.assign(POOL, "eve", CommandLab.TESTER)))
                .isEqualTo(CommandLab.vmId(2));
        assertThat(keeper.assign(POOL, "adam", CommandLab.TESTER))
                .isEqualTo(
                        new PoolKeeper.Assignment.Refused(
                                "each of its free VMs has an open console"));
        lab.host(1).console(CommandLab.vmId(1), "");
        lab.seconds(30);
        assertThat(given(keeper.assign(POOL, "adam", CommandLab.TESTER)))
                .isEqualTo(CommandLab.vmId(1));
    }

    @Test
    void aReturnedVmThatItsHostDoesNotEndIsPoweredOffAgain() throws StoreUnavailable {
        PoolKeeper keeper = keeper(pool(1, 1, 0, false));
        VmId vm = given(keeper.assign(POOL, "eve", CommandLab.TESTER));
        lab.seconds(20);
        lab.centre.refusing((_, order) ->
                order instanceof VmOrder.Destroy
                        ? new HostFailure.Refused(RefusalCode.UNEXPECTED, "not now")
                        : null);
        assertThat(keeper.release(vm, CommandLab.TESTER)).isTrue();
        lab.seconds(60);
        assertThat(status(vm)).isEqualTo(VmStatus.UP);
        assertThat(keeper.assign(POOL, "adam", CommandLab.TESTER))
                .isInstanceOf(PoolKeeper.Assignment.Refused.class);
        lab.centre.refusing((_, _) -> null);
        lab.seconds(310);
        assertThat(status(vm)).isEqualTo(VmStatus.DOWN);
        assertThat(given(keeper.assign(POOL, "adam", CommandLab.TESTER))).isEqualTo(vm);
    }

    @Test
    void aVmThatIsRemovedIsNoLongerOneOfItsPool() throws StoreUnavailable {
        CommandLab removing = new HostLab(1).lab.withVm(1).withVm(2);
        InMemoryPoolStore pools = new InMemoryPoolStore(removing.vms);
        pools.save(pool(1, 2, 0, true));
        pools.addMembers(POOL, List.of(CommandLab.vmId(1), CommandLab.vmId(2)));
        removing.settled();
        PoolKeeper keeper = new PoolKeeper(PoolSettings.DEFAULT, removing.commands, pools);
        keeper.start();
        assertThat(given(keeper.assign(POOL, "eve", CommandLab.TESTER)))
                .isEqualTo(CommandLab.vmId(1));
        removing.seconds(30);
        UUID _ = removing.accepted(1, OperationKind.POWER_OFF);
        removing.seconds(5);
        UUID _ = removing.accepted(1, OperationKind.REMOVE_VM);
        removing.seconds(1);
        assertThat(keeper.pool(POOL).members()).containsOnlyKeys(CommandLab.vmId(2));
        assertThat(given(keeper.assign(POOL, "eve", CommandLab.TESTER)))
                .as("the removed VM counted as one of the user's")
                .isEqualTo(CommandLab.vmId(2));
    }

    @Test
    void aPoolChangesTogetherWithItsVmsOrNotAtAll() throws StoreUnavailable {
        PoolKeeper keeper = keeper(pool(1, 4, 0, true));
        Set<VmId> before = Set.copyOf(keeper.pool(POOL).members().keySet());
        assertThat(before).hasSize(4);
        VmId kept = given(keeper.assign(POOL, "eve", CommandLab.TESTER));
        store.unavailable("it is away");
        assertThatThrownBy(() -> keeper.save(pool(1, 2, 0, false), List.of(kept)))
                .isInstanceOf(StoreUnavailable.class);
        store.unavailable(null);
        assertThat(keeper.pool(POOL).size()).isEqualTo(4);
        assertThat(keeper.pool(POOL).members()).containsOnlyKeys(before);
        keeper.save(pool(1, 2, 0, false), List.of(kept));
        assertThat(keeper.pool(POOL).size()).isEqualTo(2);
        assertThat(keeper.pool(POOL).members()).isEqualTo(Map.of(kept, "eve"));
        assertThat(store.load().getFirst().members()).isEqualTo(Map.of(kept, "eve"));
    }

    @Test
    void moreVmsBecomeMembersWithTheNewSizeOrNotAtAll() throws StoreUnavailable {
        lab.withVm(3);
        PoolKeeper keeper = keeper(pool(1, 2, 0, true));
        VmId kept = given(keeper.assign(POOL, "eve", CommandLab.TESTER));
        VmId third = CommandLab.vmId(3);
        store.unavailable("it is away");
        assertThatThrownBy(() -> keeper.saveWithMore(pool(1, 3, 0, true), List.of(third)))
                .isInstanceOf(StoreUnavailable.class);
        store.unavailable(null);
        assertThat(keeper.pool(POOL).size()).isEqualTo(2);
        assertThat(keeper.pool(POOL).members()).hasSize(2);
        assertThat(keeper.saveWithMore(pool(1, 3, 0, true), List.of(third)))
                .isEqualTo(ClusterStore.Saved.SAVED);
        assertThat(keeper.pool(POOL).size()).isEqualTo(3);
        assertThat(keeper.pool(POOL).members()).hasSize(3).containsEntry(kept, "eve");
        assertThat(store.load().getFirst().members()).containsKey(third);
    }

    @Test
    void aVmThatIsGoneWithoutAnOperationIsNoUsersVm() throws StoreUnavailable {
        PoolKeeper keeper = keeper(pool(1, 2, 0, true));
        VmId gone = given(keeper.assign(POOL, "eve", CommandLab.TESTER));
        lab.seconds(20);
        assertThat(lab.engine().commandAccess().forget(gone)).isTrue();
        assertThat(given(keeper.assign(POOL, "eve", CommandLab.TESTER))).isNotEqualTo(gone);
    }

    @Test
    void aPoolThatFailsRestsUntilTheNextInterval() throws StoreUnavailable {
        lab.centre.failingStarts((_, _) -> true);
        keeper(pool(1, 1, 1, true));
        lab.seconds(250);
        long first = starts();
        assertThat(first).isEqualTo(3);
        lab.seconds(60);
        assertThat(starts()).isGreaterThan(first);
        assertThat(lab.correlations("VM_FAILED_TO_PRESTART_IN_POOL"))
                .isNotEmpty()
                .allMatch(each -> each != null && each.startsWith("pool "));
        lab.centre.failingStarts((_, _) -> false);
        lab.seconds(400);
        assertThat(up()).isEqualTo(1);
    }

    @Test
    void sizeAndWishesChange() throws StoreUnavailable {
        PoolKeeper keeper = keeper(pool(1, 6, 1, true));
        lab.seconds(30);
        assertThat(up()).isEqualTo(1);
        keeper.save(pool(1, 6, 3, true));
        lab.seconds(30);
        assertThat(up()).isEqualTo(3);
        keeper.removeMembers(POOL, List.of(CommandLab.vmId(1), CommandLab.vmId(2)));
        lab.seconds(30);
        assertThat(keeper.pool(POOL).members()).hasSize(4);
        assertThat(keeper.poolOf(CommandLab.vmId(1))).isNull();
        assertThat(keeper.remove(POOL)).isTrue();
        assertThat(keeper.pools()).isEmpty();
    }
}
