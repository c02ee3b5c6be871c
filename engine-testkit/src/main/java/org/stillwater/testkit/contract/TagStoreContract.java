package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.TagStore;
import org.stillwater.testkit.Samples;

/** Contract of every {@link TagStore}. A subclass hands out an empty one before each test. */
public abstract class TagStoreContract {

    private static final Tag TOP =
            new Tag(new UUID(1, 1), "top " + Samples.AWKWARD, Samples.AWKWARD, null);
    private static final Tag BELOW = new Tag(new UUID(1, 2), "below", "", TOP.id());
    private static final Tag BESIDE = new Tag(new UUID(1, 3), "beside", "", null);

    private TagStore store;

    /** An empty store, beside these VMs and hosts. */
    protected abstract TagStore empty(List<VmId> vms, List<HostId> hosts) throws StoreUnavailable;

    private static final VmId VM = Samples.storedVm(1).id();
    private static final HostId HOST = new HostId(new UUID(2, 1));

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = empty(List.of(VM), List.of(HOST));
        for (Tag tag : List.of(TOP, BELOW, BESIDE)) {
            assertThat(store.save(tag)).isEqualTo(Saved.SAVED);
        }
    }

    @Test
    void tagsAreSavedAndChanged() throws StoreUnavailable {
        assertThat(store.load().tags()).containsExactlyInAnyOrder(TOP, BELOW, BESIDE);
        assertThat(store.attach(BELOW.id(), VM)).isTrue();
        Tag changed = new Tag(BELOW.id(), "other", "more", BESIDE.id());
        assertThat(store.save(changed)).isEqualTo(Saved.SAVED);
        assertThat(store.load().tags()).containsExactlyInAnyOrder(TOP, changed, BESIDE);
        assertThat(store.load().vms()).isEqualTo(Map.of(VM, Set.of(BELOW.id())));
    }

    @Test
    void aNameIsOfOneTagAndAParentIsThere() throws StoreUnavailable {
        assertThat(store.save(new Tag(new UUID(1, 9), "below", "", null))).isEqualTo(Saved.TAKEN);
        assertThat(store.save(new Tag(BESIDE.id(), "below", "", null))).isEqualTo(Saved.TAKEN);
        assertThat(store.save(new Tag(new UUID(1, 9), "new", "", new UUID(8, 8))))
                .isEqualTo(Saved.UNKNOWN);
        assertThat(store.load().tags()).containsExactlyInAnyOrder(TOP, BELOW, BESIDE);
    }

    @Test
    void vmsAndHostsHaveTags() throws StoreUnavailable {
        assertThat(store.attach(TOP.id(), VM)).isTrue();
        assertThat(store.attach(TOP.id(), VM)).as("again").isTrue();
        assertThat(store.attach(BESIDE.id(), VM)).isTrue();
        assertThat(store.attach(TOP.id(), HOST)).isTrue();
        assertThat(store.attach(new UUID(8, 8), VM)).as("no such tag").isFalse();
        assertThat(store.load().vms()).isEqualTo(Map.of(VM, Set.of(TOP.id(), BESIDE.id())));
        assertThat(store.load().hosts()).isEqualTo(Map.of(HOST, Set.of(TOP.id())));
        assertThat(store.detach(BESIDE.id(), VM)).isTrue();
        assertThat(store.detach(BESIDE.id(), VM)).isFalse();
        assertThat(store.detach(TOP.id(), HOST)).isTrue();
        assertThat(store.load().vms()).isEqualTo(Map.of(VM, Set.of(TOP.id())));
        assertThat(store.load().hosts()).isEmpty();
    }

    @Test
    void aTagGoesWithThoseBelowIt() throws StoreUnavailable {
        assertThat(store.attach(BELOW.id(), VM)).isTrue();
        assertThat(store.attach(BESIDE.id(), VM)).isTrue();
        assertThat(store.remove(TOP.id())).isTrue();
        assertThat(store.remove(TOP.id())).isFalse();
        assertThat(store.load().tags()).containsExactly(BESIDE);
        assertThat(store.load().vms()).isEqualTo(Map.of(VM, Set.of(BESIDE.id())));
    }
}
