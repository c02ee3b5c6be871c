package org.stillwater.server.api.stream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.unit.DataSize;
import org.stillwater.core.alert.Alert;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringSettings;
import org.stillwater.server.SystemClock;
import org.stillwater.server.api.alert.AlertTopic;
import org.stillwater.server.api.vm.VmLists;
import org.stillwater.server.api.vm.VmOrders;
import org.stillwater.server.api.web.Streams;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.RestSettings;
import org.stillwater.server.settings.StreamSettings;
import org.stillwater.testkit.ScriptedConnector;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryStores;
import org.stillwater.testkit.memory.InMemoryVmStore;
import tools.jackson.databind.json.JsonMapper;

/** Monitoring on stores in memory, and the parts of the interface that a stream needs. */
final class StreamTestEngine {

    static final JsonMapper JSON = JsonMapper.builder().build();

    /** Alerts that no reader requests. */
    static final AlertTopic NO_ALERTS =
            new AlertTopic() {
                @Override
                public List<Alert> firing() {
                    throw new AssertionError("no reader asks for alerts");
                }

                @Override
                public Object item(Alert alert) {
                    throw new AssertionError("no reader asks for alerts");
                }
            };

    private static final RestSettings REST =
            new RestSettings(
                    100, 1000, 10_000, 4, DataSize.ofKilobytes(64), Duration.ofMillis(300));
    private static final CycleSettings CYCLE =
            Binder.get(new StandardEnvironment())
                    .bindOrCreate("stillwater.cycle", CycleSettings.class);

    final SystemClock clock = new SystemClock();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final InMemoryVmStore vms = new InMemoryVmStore();
    final InMemoryHostStore hosts = new InMemoryHostStore(vms);
    final MonitoringEngine engine =
            new MonitoringEngine(
                    MonitoringSettings.DEFAULT,
                    new ScriptedConnector(clock),
                    InMemoryStores.of(hosts, vms),
                    clock,
                    meters);
    final StreamSettings settings;
    final VmLists lists;

    StreamTestEngine(Duration heartBeat) {
        settings =
                new StreamSettings(
                        5,
                        5,
                        5,
                        heartBeat,
                        Duration.ZERO,
                        10,
                        1,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        List.of(),
                        Duration.ofSeconds(1));
        lists =
                new VmLists(
                        engine.fleet(),
                        clock,
                        REST,
                        CYCLE,
                        new VmOrders(engine.fleet(), clock, CYCLE, REST),
                        new Streams(settings, clock, engine.workers(), meters),
                        JSON);
    }
}
