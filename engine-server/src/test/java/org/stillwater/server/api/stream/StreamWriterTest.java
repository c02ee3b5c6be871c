package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.RuntimeFields;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.server.api.web.StreamIds;

/** What readers get about a VM that was removed before they came to its last changes. */
@Timeout(60)
class StreamWriterTest {

    private static final HostId ALPHA = new HostId(new UUID(0, 1));
    private static final HostId BETA = new HostId(new UUID(0, 2));
    private static final VmId REMOVED = new VmId(1, 1);
    private static final Caller READER = Caller.withRole("reader", Role.READER);

    private final StreamTestEngine lab = new StreamTestEngine(Duration.ofSeconds(1));
    private final MonitoringEngine engine = lab.engine;
    private final StreamWriter.Shared shared =
            new StreamWriter.Shared(
                    engine.fleet(),
                    lab.lists,
                    new StreamBodies(),
                    new EncodedFrameCaches(lab.meters),
                    new SharedSnapshots(lab.clock),
                    StreamTestEngine.NO_ALERTS,
                    StreamTestEngine.JSON.writer(),
                    10);

    @BeforeEach
    void start() throws Exception {
        lab.hosts.put(
                new HostDefinition(ALPHA, "alpha", "192.0.2.1", 54321), HostStatus.MAINTENANCE);
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
