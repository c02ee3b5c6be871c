package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.feed.Subscription;

/** Heart-beats, by a clock that goes on whenever it is looked at. */
@Timeout(60)
class SubscriptionServerTest {

    private static final Duration HEART_BEAT = Duration.ofMillis(100);
    private static final Duration STEP = Duration.ofMillis(30);
    private static final int MOST_LOOKS = 1_000;

    private final StreamTestEngine lab = new StreamTestEngine(HEART_BEAT);
    private final MonitoringEngine engine = lab.engine;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Busy clock = new Busy();
    private final SubscriptionServer serving =
            new SubscriptionServer(
                    lab.settings,
                    clock,
                    new StreamWriter.Shared(
                            engine.fleet(),
                            lab.lists,
                            new StreamBodies(),
                            new EncodedFrameCaches(lab.meters),
                            new SharedSnapshots(clock),
                            StreamTestEngine.NO_ALERTS,
                            StreamTestEngine.JSON.writer(),
                            lab.settings.snapshotChunk()),
                    () -> {
                        throw new AssertionError("no reader asks for the engine");
                    },
                    _ -> {
                        throw new AssertionError("no reader asks for findings");
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
        private final List<Long> revisions = new ArrayList<>();
        private int messages;

        @Override
        public OutputStream begin(String type, @Nullable Long revision) {
            messages++;
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
            revisions.add(revision);
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

    /** Drops everything, and lets a second reader come while it gets its snapshot. */
    private final class Occupied implements StreamOutput {

        private final Beats second = new Beats();

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
        public void flush() {
            if (ended.get()) {
                return;
            }
            try (Subscription subscription = engine.fleet().changes().subscribe(null, false)) {
                serving.follow(subscription, second, all(), ended);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void heartBeat(long revision) {}
    }

    private StreamFilter all() {
        return new StreamFilter(
                engine.fleet(), Caller.withRole("reader", Role.READER), StreamQuery.EVERYTHING);
    }

    @Test
    void aReaderThatWaitsForItsTurnHasHeartBeatsThatItCannotResumeFrom() throws Exception {
        Occupied first = new Occupied();
        try (Subscription subscription = engine.fleet().changes().subscribe(null, false)) {
            serving.follow(subscription, first, all(), ended);
        }
        assertThat(first.second.revisions).containsExactly(0L, 0L, 0L);
        assertThat(first.second.messages).as("no part of its snapshot").isZero();
    }

    @Test
    void aReaderWithoutChangesHasHeartBeats() throws Exception {
        Beats outlet = new Beats();
        try (Subscription subscription =
                engine.fleet().changes().subscribe(engine.fleet().revision(), false)) {
            serving.follow(subscription, outlet, all(), ended);
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
