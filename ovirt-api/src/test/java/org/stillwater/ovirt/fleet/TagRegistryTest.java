package org.stillwater.ovirt.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.Tag;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.ClusterStore.Saved;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.testkit.InMemoryTagStore;

class TagRegistryTest {

    private static final Tag TOP = new Tag(new UUID(1, 1), "top", "", null);
    private static final Tag BELOW = new Tag(new UUID(1, 2), "below", "", TOP.id());
    private static final VmId VM = new VmId(2, 1);
    private static final HostId HOST = new HostId(new UUID(3, 1));

    private final InMemoryTagStore store = new InMemoryTagStore();
    private final TagRegistry book = new TagRegistry(store);

    @BeforeEach
    void begin() throws StoreUnavailable {
        book.recover();
        assertThat(book.save(TOP)).isEqualTo(Saved.SAVED);
        assertThat(book.save(BELOW)).isEqualTo(Saved.SAVED);
        assertThat(book.attach(BELOW.id(), VM)).isTrue();
        assertThat(book.attach(TOP.id(), HOST)).isTrue();
    }

    @Test
    void whatHasATagIsFoundByItAndByThoseAboveIt() {
        assertThat(book.of(VM)).containsExactly(BELOW);
        assertThat(book.words(VM)).containsExactlyInAnyOrder("below", "top", "root");
        assertThat(book.words(HOST)).containsExactlyInAnyOrder("top", "root");
        assertThat(book.words(new VmId(2, 2))).isEmpty();
    }

    @Test
    void anotherEngineFindsEverythingAgain() throws StoreUnavailable {
        TagRegistry other = new TagRegistry(store);
        other.recover();
        assertThat(other.tags()).containsExactly(BELOW, TOP);
        assertThat(other.of(VM)).containsExactly(BELOW);
        assertThat(other.of(HOST)).containsExactly(TOP);
    }

    @Test
    void aTagGoesWithThoseBelowIt() throws StoreUnavailable {
        long before = book.changes();
        assertThat(book.remove(TOP.id())).isTrue();
        assertThat(book.tags()).isEmpty();
        assertThat(book.of(VM)).isEmpty();
        assertThat(book.of(HOST)).isEmpty();
        assertThat(book.changes()).isGreaterThan(before);
    }

    @Test
    void whatIsGoneIsForgotten() {
        book.keepOnly(vm -> !vm.equals(VM), _ -> true);
        assertThat(book.of(VM)).isEmpty();
        assertThat(book.of(HOST)).containsExactly(TOP);
    }

    @Test
    void whatTheDatabaseDoesNotTakeIsNotRemembered() {
        store.unavailable("it is away");
        assertThatThrownBy(() -> book.attach(TOP.id(), VM)).isInstanceOf(StoreUnavailable.class);
        assertThatThrownBy(() -> book.remove(TOP.id())).isInstanceOf(StoreUnavailable.class);
        assertThat(book.of(VM)).containsExactly(BELOW);
        assertThat(book.tags()).isEqualTo(List.of(BELOW, TOP));
    }
}
