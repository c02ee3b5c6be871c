package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.unit.DataSize;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.store.Stores;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringSettings;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.server.SystemClock;
import org.stillwater.server.api.alert.AlertTopic;
import org.stillwater.server.api.vm.VmLists;
import org.stillwater.server.api.vm.VmOrders;
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

/** Heart-beats, by a clock that goes on whenever it is looked at. */
@Timeout(60)
class SubscriptionServerTest {

    private static final Duration HEART_BEAT = Duration.ofMillis(100);
    private static final Duration STEP = Duration.ofMillis(30);
    private static final int MOST_LOOKS = 1_000;

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
                    HEART_BEAT,
                    Duration.ZERO,
                    10,
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(1),
                    List.of(),
                    Duration.ofSeconds(1));

    private final SystemClock real = new SystemClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryHostStore hosts = new InMemoryHostStore(vms);
    private final MonitoringEngine engine =
            new MonitoringEngine(
                    MonitoringSettings.DEFAULT,
                    new ScriptedConnector(real),
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
                    real,
                    meters);
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Busy clock = new Busy();
    private final SubscriptionServer serving =
            new SubscriptionServer(
                    STREAM,
                    clock,
                    engine.fleet(),
                    new VmLists(
                            engine.fleet(),
                            real,
                            REST,
                            CYCLE,
                            new VmOrders(engine.fleet(), real, CYCLE, REST),
                            new Streams(STREAM, real, engine.workers(), meters),
                            JSON),
                    new StreamBodies(),
                    new EncodedFrameCaches(meters),
                    JSON,
                    () -> {
                        throw new AssertionError("no reader asks for the engine");
                    },
                    _ -> {
                        throw new AssertionError("no reader asks for findings");
                    },
                    new AlertTopic() {
                        @Override
                        public List<Alert> firing() {
                            throw new AssertionError("no reader asks for alerts");
                        }

                        @Override
                        public Object item(Alert alert) {
                            throw new AssertionError("no reader asks for alerts");
                        }
                    });

    /** Between two looks at it, something happens that the stream does not report. */
    private final class Busy implements EngineClock {

        private long nanos;
        private int looks;

        @Override
        public Instant now() {
            return Instant.EPOCH.plusNanos(nanos);
        }

        @Override
        public long nanoTime() {
            engine.fleet().changes().nextRevision();
            looks++;
            if (looks >= MOST_LOOKS) {
                ended.set(true);
            }
            nanos += STEP.toNanos();
            return nanos;
        }
    }

    /** Takes heart-beats, and ends with the third one. */
    private final class Beats implements StreamOutput {

        private final List<Long> beats = new ArrayList<>();

        @Override
        public OutputStream begin(String type, @Nullable Long revision) {
            return OutputStream.nullOutputStream();
        }

        @Override
        public boolean isTyped() {
            return false;
        }

        @Override
        public void end() {}

        @Override
        public void send(byte[] bytes, int[] ends, int begin, int from, int to) {}

        @Override
        public StreamOutput onto(ByteArrayOutputStream memory) {
            return this;
        }

        @Override
        public void flush() {}

        @Override
        public void heartBeat(long revision) {
            beats.add(clock.nanos);
            ended.set(beats.size() == 3);
        }
    }

    @BeforeEach
    void start() throws Exception {
        engine.start();
    }

    @AfterEach
    void stop() {
        engine.close();
    }

    @Test
    void aReaderWithoutChangesHasHeartBeats() throws Exception {
        StreamFilter all =
                new StreamFilter(
                        engine.fleet(),
                        Caller.withRole("reader", Role.READER),
                        StreamQuery.EVERYTHING);
        Beats outlet = new Beats();
        try (Subscription subscription =
                engine.fleet().changes().subscribe(engine.fleet().revision(), false)) {
            serving.follow(subscription, outlet, all, ended);
        }
        assertThat(outlet.beats).as("though the clock was looked at often").hasSize(3);
        for (int i = 1; i < outlet.beats.size(); i++) {
            assertThat(outlet.beats.get(i) - outlet.beats.get(i - 1))
                    .isBetween(
                            HEART_BEAT.toNanos(), HEART_BEAT.plus(STEP.multipliedBy(3)).toNanos());
        }
    }

    /** A subscription that is over does not wait for its spacing. */
    @Test
    void aPauseEndsWithItsSubscription() throws Exception {
        StreamQuery query =
                new StreamQuery(null, null, null, null, null, null, null, "5000", null, null);
        StreamFilter filter =
                new StreamFilter(engine.fleet(), Caller.withRole("reader", Role.READER), query);
        assertThat(filter.spacing()).isEqualTo(Duration.ofSeconds(5));
        assertThat(filter.forCaller(Caller.withRole("other", Role.READER)).spacing())
                .isEqualTo(Duration.ofSeconds(5));
        Subscription over;
        try (Subscription subscription =
                engine.fleet().changes().subscribe(engine.fleet().revision(), false)) {
            over = subscription;
        }
        over.pause(Duration.ofDays(1));
        assertThat(over.isOver()).isTrue();
    }
}
