package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.NumaStore;
import org.stillwater.core.store.NumaStore.HostNuma;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.testkit.Samples;

/** Contract of every {@link NumaStore}. A subclass hands out an empty store before each test. */
public abstract class NumaStoreContract {

    private static final HostId HOST = Samples.host(1);
    private static final HostId OTHER = Samples.host(2);

    private NumaStore store;

    /** A store without nodes, beside these hosts. */
    protected abstract NumaStore emptyNuma(List<HostId> hosts);

    /** The stored nodes of a host, by number. */
    protected abstract List<HostNumaNode> nodesOf(HostId host);

    @BeforeEach
    void begin() {
        store = emptyNuma(List.of(HOST, OTHER));
    }

    private static HostNumaNode node(int index, @Nullable Long memory) {
        return new HostNumaNode(index, memory, List.of(0, 2, 4), List.of(10, 21), Map.of());
    }

    @Test
    void theNodesOfAHostAreReplacedAndOnlyDifferencesAreWritten() {
        assertThat(store.replace(List.of(new HostNuma(HOST, List.of(node(0, 64L), node(1, null))))))
                .isEqualTo(written(2));
        assertThat(store.replace(List.of(new HostNuma(HOST, List.of(node(0, 64L), node(1, null))))))
                .isEqualTo(written(0));
        assertThat(nodesOf(HOST)).containsExactly(node(0, 64L), node(1, null));

        assertThat(
                        store.replace(
                                List.of(
                                        new HostNuma(HOST, List.of(node(0, 64L), node(2, 32L))),
                                        new HostNuma(OTHER, List.of(node(0, 1L))))))
                .isEqualTo(written(3));
        assertThat(nodesOf(HOST)).containsExactly(node(0, 64L), node(2, 32L));
        assertThat(nodesOf(OTHER)).containsExactly(node(0, 1L));
    }

    @Test
    void aHostWithoutNodesLosesThem() {
        store.replace(
                List.of(
                        new HostNuma(HOST, List.of(node(0, 64L))),
                        new HostNuma(OTHER, List.of(node(0, 64L)))));
        assertThat(store.replace(List.of(new HostNuma(HOST, List.of())))).isEqualTo(written(1));
        assertThat(nodesOf(HOST)).isEmpty();
        assertThat(nodesOf(OTHER)).hasSize(1);
    }

    @Test
    void aNodeWithoutProcessorsOrDistancesIsKept() {
        HostNumaNode bare = new HostNumaNode(3, 5L, List.of(), List.of(), Map.of());
        store.replace(List.of(new HostNuma(HOST, List.of(bare))));
        assertThat(nodesOf(HOST)).containsExactly(bare);
    }

    private static WriteOutcome written(int rows) {
        return new WriteOutcome.Written(rows, List.of());
    }
}
