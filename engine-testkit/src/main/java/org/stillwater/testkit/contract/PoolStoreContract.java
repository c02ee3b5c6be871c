package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.PoolStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmStore;
import org.stillwater.testkit.Samples;

/** Contract of every {@link PoolStore}. A subclass hands out empty stores before each test. */
public abstract class PoolStoreContract {

    private static final UUID POOL = new UUID(1, 1);
    private static final UUID OTHER = new UUID(1, 2);

    private PoolStore store;

    /** An empty store of VMs, and of pools that {@link #pools} hands out. */
    protected abstract VmStore emptyVms() throws StoreUnavailable;

    /** The store of pools of those VMs. */
    protected abstract PoolStore pools();

    @BeforeEach
    void begin() throws StoreUnavailable {
        List<StoredVm> vms =
                LongStream.rangeClosed(1, 3)
                        .mapToObj(Samples::storedVm)
                        .sorted(Comparator.comparing(StoredVm::id))
                        .toList();
        emptyVms().add(vms);
        store = pools();
    }

    @Test
    void everyValueOfAPoolIsSavedAndChanged() throws StoreUnavailable {
        VmPool full =
                new VmPool(
                        POOL,
                        "desks " + Samples.AWKWARD,
                        Samples.AWKWARD,
                        ClusterId.DEFAULT,
                        true,
                        100_000,
                        7,
                        3,
                        "{\"name\": \"desk-?\",  \"memory\":1}",
                        new TreeMap<>());
        VmPool plain =
                new VmPool(
                        POOL,
                        "plain",
                        "",
                        ClusterId.DEFAULT,
                        false,
                        0,
                        0,
                        1,
                        null,
                        new TreeMap<>());
        assertThat(store.load()).isEmpty();
        assertThat(store.save(full)).isEqualTo(Saved.SAVED);
        assertThat(store.load()).containsExactly(full);
        assertThat(store.save(plain)).isEqualTo(Saved.SAVED);
        assertThat(store.load()).containsExactly(plain);
    }

    @Test
    void aNameIsTakenOnce() throws StoreUnavailable {
        store.save(pool(POOL, "a"));
        assertThat(store.save(pool(OTHER, "a"))).isEqualTo(Saved.TAKEN);
        assertThat(store.save(pool(OTHER, "b"))).isEqualTo(Saved.SAVED);
        assertThat(store.save(pool(OTHER, "a"))).isEqualTo(Saved.TAKEN);
        assertThat(store.load()).containsExactlyInAnyOrder(pool(POOL, "a"), pool(OTHER, "b"));
    }

    @Test
    void aVmIsInOnePoolAtTheMost() throws StoreUnavailable {
        store.save(pool(POOL, "a"));
        store.save(pool(OTHER, "b"));
        assertThat(store.addMembers(POOL, List.of(vm(1), vm(2), vm(99)))).isEqualTo(2);
        assertThat(store.addMembers(OTHER, List.of(vm(2), vm(3)))).isEqualTo(1);
        assertThat(store.addMembers(new UUID(9, 9), List.of(vm(1)))).isZero();
        assertThat(store.addMembers(POOL, List.of())).isZero();
        assertThat(members(POOL)).containsOnlyKeys(vm(1), vm(2));
        assertThat(members(OTHER)).containsOnlyKeys(vm(3));
    }

    @Test
    void membersStayWhenAPoolChanges() throws StoreUnavailable {
        store.save(pool(POOL, "a"));
        store.addMembers(POOL, List.of(vm(1)));
        store.assign(vm(1), "ada");
        store.save(pool(POOL, "b"));
        assertThat(members(POOL)).containsEntry(vm(1), "ada");
    }

    @Test
    void aPoolAndItsVmsAreSavedTogether() throws StoreUnavailable {
        assertThat(store.save(pool(OTHER, "other"), List.of(vm(3)))).isEqualTo(Saved.SAVED);
        assertThat(store.save(pool(POOL, "a"), List.of(vm(2), vm(1)))).isEqualTo(Saved.SAVED);
        assertThat(members(POOL)).containsOnlyKeys(vm(1), vm(2));
        assertThat(store.assign(vm(1), "ada")).isTrue();
        assertThat(store.save(pool(POOL, "b"), List.of(vm(1), vm(3), vm(99))))
                .isEqualTo(Saved.SAVED);
        assertThat(members(POOL)).containsOnlyKeys(vm(1)).containsEntry(vm(1), "ada");
        assertThat(store.save(pool(POOL, "other"), List.of())).isEqualTo(Saved.TAKEN);
        assertThat(members(POOL)).as("neither is saved").containsOnlyKeys(vm(1));
        assertThat(store.save(pool(POOL, "b"))).isEqualTo(Saved.SAVED);
        assertThat(members(POOL)).containsOnlyKeys(vm(1));
        assertThat(store.save(pool(POOL, "b"), List.of())).isEqualTo(Saved.SAVED);
        assertThat(members(POOL)).isEmpty();
    }

    @Test
    void membersThatAreTakenOutAreFreeForAnother() throws StoreUnavailable {
        store.save(pool(POOL, "a"));
        store.save(pool(OTHER, "b"));
        store.addMembers(POOL, List.of(vm(1), vm(2)));
        store.assign(vm(1), "ada");
        store.removeMembers(OTHER, List.of(vm(1)));
        assertThat(members(POOL)).hasSize(2);
        store.removeMembers(POOL, List.of(vm(1), vm(3)));
        assertThat(members(POOL)).containsOnlyKeys(vm(2));
        assertThat(store.addMembers(OTHER, List.of(vm(1)))).isEqualTo(1);
        assertThat(members(OTHER)).containsEntry(vm(1), null);
    }

    @Test
    void aVmHasOneUser() throws StoreUnavailable {
        store.save(pool(POOL, "a"));
        store.addMembers(POOL, List.of(vm(1)));
        assertThat(store.assign(vm(1), "ada")).isTrue();
        assertThat(store.assign(vm(1), "ada")).as("after a lost answer").isTrue();
        assertThat(store.assign(vm(1), "bob")).isFalse();
        assertThat(members(POOL)).containsEntry(vm(1), "ada");
        assertThat(store.assign(vm(1), null)).isTrue();
        assertThat(members(POOL)).containsEntry(vm(1), null);
        assertThat(store.assign(vm(1), "bob")).isTrue();
        assertThat(store.assign(vm(2), "bob")).as("in no pool").isFalse();
        assertThat(store.assign(vm(2), null)).as("in no pool").isFalse();
    }

    @Test
    void aPoolGoesWithoutItsVms() throws StoreUnavailable {
        store.save(pool(POOL, "a"));
        store.save(pool(OTHER, "b"));
        store.addMembers(POOL, List.of(vm(1)));
        assertThat(store.remove(POOL)).isTrue();
        assertThat(store.remove(POOL)).isFalse();
        assertThat(store.load()).containsExactly(pool(OTHER, "b"));
        assertThat(store.addMembers(OTHER, List.of(vm(1)))).isEqualTo(1);
    }

    private SortedMap<VmId, @Nullable String> members(UUID id) throws StoreUnavailable {
        return store.load().stream()
                .filter(pool -> pool.id().equals(id))
                .findFirst()
                .orElseThrow()
                .members();
    }

    private static VmPool pool(UUID id, String name) {
        return new VmPool(id, name, "", ClusterId.DEFAULT, false, 10, 2, 1, null, new TreeMap<>());
    }

    private static VmId vm(long seed) {
        return Samples.vm(seed);
    }
}
