package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.unit.DataSize;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.Stores;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringSettings;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.server.SystemClock;
import org.stillwater.server.api.alert.AlertTopic;
import org.stillwater.server.api.vm.VmLists;
import org.stillwater.server.api.vm.VmOrders;
import org.stillwater.server.api.web.StreamIds;
import org.stillwater.server.api.web.Streams;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.RestSettings;
import org.stillwater.server.settings.StreamSettings;
import org.stillwater.testkit.ScriptedConnector;
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
import org.stillwater.testkit.memory.InMemoryVmStore;
import tools.jackson.databind.json.JsonMapper;

/** What readers get about a VM that was removed before they came to its last changes. */
@Timeout(60)
class StreamWriterTest {

    private static final HostId ALPHA = new HostId(new UUID(0, 1));
    private static final HostId BETA = new HostId(new UUID(0, 2));
    private static final VmId REMOVED = new VmId(1, 1);
    private static final Caller READER = Caller.withRole("reader", Role.READER);

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final RestSettings REST =
            new RestSettings(
                    100, 1000, 10_000, 4, DataSize.ofKilobytes(64), Duration.ofMillis(300));
    private static final CycleSettings CYCLE =
            Binder.get(new StandardEnvironment())
                    .bindOrCreate("stillwater.cycle", CycleSettings.class);
    private static final StreamSettings STREAM =
            new StreamSettings(
                    5,
                    5,
                    5,
                    Duration.ofSeconds(1),
                    Duration.ZERO,
                    10,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    List.of(),
                    Duration.ofSeconds(1));

    private final SystemClock clock = new SystemClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryHostStore hosts = new InMemoryHostStore(vms);
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
                            new InMemoryHistoryStore()),
                    clock,
                    meters);
    private final StreamWriter.Shared shared =
            new StreamWriter.Shared(
                    engine.fleet(),
                    new VmLists(
                            engine.fleet(),
                            clock,
                            REST,
                            CYCLE,
                            new VmOrders(engine.fleet(), clock, CYCLE, REST),
                            new Streams(STREAM, clock, engine.workers(), meters),
                            JSON),
                    new StreamBodies(),
                    new EncodedFrameCaches(meters),
                    new SharedSnapshots(clock),
                    new AlertTopic() {
                        @Override
                        public List<Alert> firing() {
                            throw new AssertionError("no reader asks for alerts");
                        }

                        @Override
                        public Object item(Alert alert) {
                            throw new AssertionError("no reader asks for alerts");
                        }
                    },
                    JSON.writer(),
                    10);

    @BeforeEach
    void start() throws Exception {
        hosts.put(new HostDefinition(ALPHA, "alpha", "192.0.2.1", 54321), HostStatus.MAINTENANCE);
        engine.start();
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    /** What a reader gets when it comes to the stop of the VM and to its removal. */
    private String told(Caller reader, @Nullable String host, HostId ranOn) throws IOException {
        StreamFilter filter =
                new StreamFilter(
                        engine.fleet(),
                        reader,
                        new StreamQuery(
                                "vm", null, null, host, null, null, null, null, null, null));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (StreamWriter writer =
                StreamWriter.open(shared, new EventOutlet(out, new StreamIds("life")), filter)) {
            writer.deltas(
                    List.of(
                            new Delta.VmChanged(
                                    5,
                                    0,
                                    REMOVED,
                                    RuntimeFields.of(RuntimeField.STATUS),
                                    true,
                                    ranOn,
                                    ClusterId.DEFAULT,
                                    new VmState(
                                            VmRuntime.INITIAL,
                                            VmPlacement.NOWHERE,
                                            5,
                                            Instant.EPOCH,
                                            0)),
                            new Delta.VmRemoved(6, 0, REMOVED, ClusterId.DEFAULT, null)));
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static void assertRemovedOnce(String told) {
        assertThat(told).containsOnlyOnce("\"change\":\"removed\",\"id\":\"" + REMOVED + "\"");
    }

    @Test
    void aReaderOfAHostLosesAVmThatLeftTheHostBeforeItsRemoval() throws Exception {
        assertRemovedOnce(told(READER, "alpha", ALPHA));
        assertThat(told(READER, "alpha", BETA)).as("it was on another host").isEmpty();
    }

    @Test
    void aReaderOfAllHostsGetsTheRemovalOnce() throws Exception {
        assertRemovedOnce(told(READER, null, ALPHA));
    }

    @Test
    void soDoesAReaderOfTheCluster() throws Exception {
        Caller ofCluster =
                new Caller(
                        "of-cluster",
                        Set.of(new Grant(Role.READER, new Scope.OfCluster(ClusterId.DEFAULT))));
        assertRemovedOnce(told(ofCluster, "alpha", ALPHA));
    }
}
