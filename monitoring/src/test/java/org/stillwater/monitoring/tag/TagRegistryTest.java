package org.stillwater.monitoring.tag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.memory.InMemoryTagStore;

class TagRegistryTest {

    private static final Tag TOP = new Tag(new UUID(1, 1), "top", "", null);
    private static final Tag BELOW = new Tag(new UUID(1, 2), "below", "", TOP.id());
    private static final VmId VM = new VmId(2, 1);
    private static final VmId OTHER = new VmId(2, 2);
    private static final HostId HOST = new HostId(new UUID(3, 1));

    private final InMemoryTagStore store = new InMemoryTagStore();
    private final TagRegistry book = new TagRegistry(store);
    private final List<Object> changed = new ArrayList<>();

    @BeforeEach
    void begin() throws StoreUnavailable {
        book.recover();
        assertThat(book.save(TOP)).isEqualTo(Saved.SAVED);
        assertThat(book.save(BELOW)).isEqualTo(Saved.SAVED);
        assertThat(book.attach(BELOW.id(), VM)).isTrue();
        assertThat(book.attach(TOP.id(), HOST)).isTrue();
        book.follow(
                new TagRegistry.Follower() {
                    @Override
                    public void changed(VmId vm) {
                        changed.add(vm);
                    }

                    @Override
                    public void changed(HostId host) {
                        changed.add(host);
                    }
                });
    }

    @Test
    void tagsOfAnotherSystemStandBesideThoseOfUsers() throws StoreUnavailable {
        assertThat(book.told(VM, "lab", List.of("web", "prod"), 9)).isTrue();
        assertThat(book.told(HOST, "lab", List.of("prod"), 9)).isTrue();
        assertThat(book.told(OTHER, "lab", List.of(), 9)).isTrue();
        assertThat(changed).containsExactly(VM, HOST);
        assertThat(book.set(VM).names()).containsExactly("below", "lab:prod", "lab:web");
        assertThat(book.words(VM))
                .containsExactlyInAnyOrder("below", "top", "root", "lab:prod", "lab:web");
        Tag prod = book.named("lab:prod");
        assertThat(prod).isNotNull().isEqualTo(book.tag(prod.id())).isIn(book.tags());
        assertThat(book.source(prod.id())).isEqualTo("lab");
        assertThat(book.source(TOP.id())).isNull();
        assertThat(book.isWithin(prod.id(), prod.id())).isTrue();
        assertThat(book.tags()).hasSize(4);
        assertThat(book.own()).isEqualTo(2);
        assertThat(store.load().vms()).as("nothing is stored").hasSize(1);

        long changes = book.changes();
        assertThat(book.told(VM, "lab", List.of("prod", "web"), 9)).isTrue();
        assertThat(book.changes()).as("the same again is no change").isEqualTo(changes);
        assertThat(book.detach(BELOW.id(), VM)).isTrue();
        assertThat(book.attach(TOP.id(), VM)).isTrue();
        assertThat(book.set(VM).names()).containsExactly("lab:prod", "lab:web", "top");

        assertThat(book.told(VM, "store", List.of("web"), 9)).isTrue();
        assertThat(book.told(VM, "lab", List.of(), 9)).isTrue();
        assertThat(book.set(VM).names()).containsExactly("store:web", "top");
        assertThat(book.named("lab:prod")).as("the host has it").isEqualTo(prod);
        assertThat(book.named("lab:web")).as("nothing has it").isNull();
        book.forget(HOST);
        assertThat(book.named("lab:prod")).isNull();
    }

    @Test
    void anotherSystemHasAsManyTagsAsItMay() {
        assertThat(book.told(VM, "lab", List.of("a", "b", "c"), 2)).isFalse();
        assertThat(book.set(VM).names()).containsExactly("below", "lab:a", "lab:b");
        assertThat(book.told(OTHER, "store", List.of("c"), 2)).isTrue();
        assertThat(book.told(VM, "lab", List.of("a"), 2)).isTrue();
        assertThat(book.told(VM, "lab", List.of("a", "c"), 2)).isTrue();
        assertThat(book.set(VM).names()).containsExactly("below", "lab:a", "lab:c");
    }

    @Test
    void objectsAreFoundByTheirTagsAndTheTagsAbove() {
        assertThat(book.of(VM)).containsExactly(BELOW);
        assertThat(book.words(VM)).containsExactlyInAnyOrder("below", "top", "root");
        assertThat(book.words(HOST)).containsExactlyInAnyOrder("top", "root");
        assertThat(book.words(OTHER)).isEmpty();
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
        assertThat(changed).containsExactlyInAnyOrder(VM, HOST);
    }

    @Test
    void removedObjectsAreForgotten() {
        book.forget(VM);
        assertThat(book.of(VM)).isEmpty();
        assertThat(book.of(HOST)).containsExactly(TOP);
        book.forget(HOST);
        assertThat(book.of(HOST)).isEmpty();
        assertThat(changed).isEmpty();
    }

    @Test
    void refusedTagsAreNotRemembered() {
        store.unavailable("it is away");
        assertThatThrownBy(() -> book.attach(TOP.id(), VM)).isInstanceOf(StoreUnavailable.class);
        assertThatThrownBy(() -> book.remove(TOP.id())).isInstanceOf(StoreUnavailable.class);
        assertThat(book.of(VM)).containsExactly(BELOW);
        assertThat(book.tags()).isEqualTo(List.of(BELOW, TOP));
        assertThat(changed).isEmpty();
    }

    @Test
    void objectsWithTheSameTagsShareOneSet() throws StoreUnavailable {
        assertThat(book.attach(TOP.id(), OTHER)).isTrue();
        assertThat(book.set(OTHER)).isSameAs(book.set(HOST));
        assertThat(book.attach(BELOW.id(), OTHER)).isTrue();
        assertThat(book.attach(TOP.id(), VM)).isTrue();
        assertThat(book.set(OTHER)).isSameAs(book.set(VM));
        assertThat(book.set(VM).names()).containsExactly("below", "top");
        assertThat(book.detach(TOP.id(), VM)).isTrue();
        assertThat(book.detach(BELOW.id(), VM)).isTrue();
        assertThat(book.set(VM)).isSameAs(TagSet.NONE);
        assertThat(book.vms()).containsOnlyKeys(OTHER);
    }

    @Test
    void onlyAChangeOfTagsOrOfTheirNamesIsFollowed() throws StoreUnavailable {
        assertThat(book.attach(BELOW.id(), VM)).isTrue();
        assertThat(book.detach(TOP.id(), VM)).isFalse();
        assertThat(book.save(new Tag(BELOW.id(), "below", "another text", null)))
                .isEqualTo(Saved.SAVED);
        assertThat(book.words(VM)).containsExactlyInAnyOrder("below", "root");
        assertThat(changed).isEmpty();
        assertThat(book.save(new Tag(BELOW.id(), "attic", "", null))).isEqualTo(Saved.SAVED);
        assertThat(book.set(VM).names()).containsExactly("attic");
        assertThat(book.save(new Tag(TOP.id(), "attic", "", null))).isEqualTo(Saved.TAKEN);
        assertThat(changed).containsExactly(VM);
    }

    @Test
    void manyDifferentSetsAreKeptAndFound() throws StoreUnavailable {
        List<Tag> tags = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            Tag tag = new Tag(new UUID(9, i), "tag-" + i, "", null);
            assertThat(book.save(tag)).isEqualTo(Saved.SAVED);
            tags.add(tag);
        }
        // One VM has all sets of eleven tags in turn: more than are kept while nothing uses them.
        for (int bits = 1; bits < 1 << tags.size(); bits++) {
            int flipped = Integer.numberOfTrailingZeros(bits);
            UUID tag = tags.get(flipped).id();
            boolean has = book.set(OTHER).hasAnyOf(Set.of(tag));
            assertThat(has ? book.detach(tag, OTHER) : book.attach(tag, OTHER)).isTrue();
        }
        assertThat(book.set(OTHER).names()).containsExactly("tag-10");
        assertThat(book.set(VM).names()).containsExactly("below");
        assertThat(book.attach(BELOW.id(), OTHER)).isTrue();
        assertThat(book.detach(tags.get(10).id(), OTHER)).isTrue();
        assertThat(book.set(OTHER)).isSameAs(book.set(VM));
        assertThat(book.set(OTHER).hasAny(Set.of("below"))).isTrue();
        assertThat(book.set(OTHER).hasAny(Set.of("Below"))).isFalse();
    }
}
