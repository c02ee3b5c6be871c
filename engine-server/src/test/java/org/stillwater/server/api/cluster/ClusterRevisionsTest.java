package org.stillwater.server.api.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.ClusterId;
import org.stillwater.server.api.cluster.ClusterRevisions.Present;
import org.stillwater.server.api.cluster.ClusterRevisions.Seen;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

class ClusterRevisionsTest {

    private static final ClusterId EAST = new ClusterId(new UUID(1, 1));
    private static final ClusterId WEST = new ClusterId(new UUID(1, 2));

    private final AtomicLong revision = new AtomicLong(100);
    private final ClusterRevisions revisions =
            new ClusterRevisions(revision::get, revision::incrementAndGet);

    private static JsonNode tree(String name) {
        return JsonNodeFactory.instance.objectNode().put("name", name);
    }

    private static Supplier<Map<ClusterId, JsonNode>> east(String name) {
        return () -> Map.of(EAST, tree(name));
    }

    private static Supplier<Map<ClusterId, JsonNode>> both(String east) {
        return () -> Map.of(EAST, tree(east), WEST, tree("west"));
    }

    @Test
    void unchangedClustersHaveNoNewRevision() {
        assertThat(revisions.look(east("east")).oldest()).isEqualTo(100);
        revision.set(150);
        assertThat(revisions.look(east("east")))
                .isEqualTo(
                        new Present(150, 100, Map.of(EAST, new Seen(tree("east"), 100)), Map.of()));
    }

    @Test
    void aChangeHasANewRevision() {
        revisions.look(both("east"));
        Present next = revisions.look(both("renamed"));
        assertThat(next.revision()).isEqualTo(101);
        assertThat(next.clusters())
                .containsEntry(EAST, new Seen(tree("renamed"), 101))
                .containsEntry(WEST, new Seen(tree("west"), 100));
        assertThat(revisions.look(both("renamed")).revision()).isEqualTo(101);
    }

    @Test
    void changesDuringAReadAreNotSeen() {
        revisions.look(both("east"));
        Present next =
                revisions.look(() -> {
                    revision.set(300);
                    return both("east").get();
                });
        assertThat(next.revision()).isEqualTo(100);
    }

    @Test
    void removalsAreRememberedUntilTheReturn() {
        revisions.look(both("east"));
        assertThat(revisions.look(east("east")).gone()).containsEntry(WEST, 101L);
        Present back = revisions.look(both("east"));
        assertThat(back.gone()).isEmpty();
        assertThat(back.clusters()).containsEntry(WEST, new Seen(tree("west"), 102));
    }
}
