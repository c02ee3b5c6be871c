package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.hostId;
import static org.stillwater.monitoring.Lab.vmId;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.Stores;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.testkit.Samples;
import org.stillwater.testkit.ScriptedConnector;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryAuditStore;
import org.stillwater.testkit.memory.InMemoryClusterStore;
import org.stillwater.testkit.memory.InMemoryDeviceStore;
import org.stillwater.testkit.memory.InMemoryExternalDataStore;
import org.stillwater.testkit.memory.InMemoryHistoryStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryJobStore;
import org.stillwater.testkit.memory.InMemoryLunStore;
import org.stillwater.testkit.memory.InMemoryNumaStore;
import org.stillwater.testkit.memory.InMemoryStatisticsStore;
import org.stillwater.testkit.memory.InMemoryTagStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

/** Changes of tags have revisions, and tags go with their objects. */
class TaggedObjectsTest {

    private static final VmId VM = vmId(1);
    private static final HostId HOST = hostId(1);
    private static final int MOST_STEPS = 100;
    private static final Tag TAG = new Tag(new UUID(5, 1), "web", "", null);

    private final VirtualClock clock = new VirtualClock();
    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryHostStore hosts = new InMemoryHostStore(vms);
    private final InMemoryTagStore store = new InMemoryTagStore();
    private final MonitoringEngine engine =
            new MonitoringEngine(
                    MonitoringSettings.DEFAULT,
                    new ScriptedConnector(clock),
                    new Stores(
                            hosts,
                            vms,
                            new InMemoryDeviceStore(vms),
                            new InMemoryExternalDataStore(vms),
                            new InMemoryAuditStore(),
                            new InMemoryJobStore(_ -> null),
                            new InMemoryLunStore(),
                            new InMemoryNumaStore(),
                            new InMemoryStatisticsStore(),
                            new InMemoryClusterStore(hosts::refersTo),
                            new InMemoryHistoryStore(),
                            store),
                    clock,
                    new SimpleMeterRegistry());
    private final SteppedEngine stepped = new SteppedEngine(engine);
    private final TagRegistry tags = engine.fleet().tags();
    private long seen;

    @BeforeEach
    void start() throws StoreUnavailable {
        vms.put(new StoredVm(VM, Samples.definition(1), VmRuntime.INITIAL, VmPlacement.NOWHERE));
        hosts.put(Lab.definition(HOST), HostStatus.MAINTENANCE);
        assertThat(store.save(TAG)).isEqualTo(Saved.SAVED);
        stepped.start();
        settle();
        seen = engine.fleet().revision();
    }

    @AfterEach
    void stop() {
        stepped.close();
    }

    private void settle() {
        boolean more = true;
        for (int i = 0; i < MOST_STEPS && more; i++) {
            more = stepped.pump();
        }
        assertThat(more).isFalse();
    }

    private List<Delta> changes() {
        settle();
        var changes = engine.fleet().changes().since(seen);
        assertThat(changes).isNotNull();
        seen = changes.revision();
        return changes.deltas();
    }

    @Test
    void aVmWithOtherTagsHasAnotherRevisionAndNoOtherDefinition() throws StoreUnavailable {
        assertThat(tags.attach(TAG.id(), VM)).isTrue();
        assertThat(changes())
                .singleElement()
                .isInstanceOfSatisfying(
                        Delta.VmTagged.class,
                        tagged -> {
                            assertThat(tagged.vmId()).isEqualTo(VM);
                            assertThat(tagged.state().revision()).isEqualTo(tagged.revision());
                            assertThat(engine.fleet().reading(VM).state())
                                    .isEqualTo(tagged.state());
                        });
        assertThat(tags.attach(TAG.id(), VM)).as("again").isTrue();
        assertThat(changes()).isEmpty();
        assertThat(tags.save(new Tag(TAG.id(), "Web", "", null))).isEqualTo(Saved.SAVED);
        assertThat(changes()).singleElement().isInstanceOf(Delta.VmTagged.class);
        assertThat(tags.detach(TAG.id(), VM)).isTrue();
        assertThat(changes()).singleElement().isInstanceOf(Delta.VmTagged.class);
    }

    @Test
    void aHostWithOtherTagsIsPublishedAgain() throws StoreUnavailable {
        assertThat(tags.attach(TAG.id(), HOST)).isTrue();
        assertThat(engine.fleet().revision()).as("at once").isGreaterThan(seen);
        assertThat(changes())
                .filteredOn(Delta.HostChanged.class::isInstance)
                .singleElement()
                .isInstanceOfSatisfying(
                        Delta.HostChanged.class,
                        changed -> assertThat(changed.hostId()).isEqualTo(HOST));
    }

    @Test
    void tagsGoWithTheirVm() throws StoreUnavailable {
        assertThat(tags.attach(TAG.id(), VM)).isTrue();
        assertThat(engine.commandAccess().forget(VM)).isTrue();
        assertThat(tags.vms()).isEmpty();
        assertThat(tags.tags()).containsExactly(TAG);
    }
}
