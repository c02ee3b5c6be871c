package org.stillwater.server.stall;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.host.Stall;
import org.stillwater.monitoring.worker.WorkerSettings;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.StallSettings;
import org.stillwater.testkit.VirtualClock;

class StallWatchTest {

    private static final Duration INTERVAL = Duration.ofMillis(100);

    private final VirtualClock clock = new VirtualClock();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Queue<Runnable> virtual = new ArrayDeque<>();
    private final List<StallWatch.WaitingReports> mailboxes = new ArrayList<>();
    private final Causes causes = new Causes();
    private final List<Event> events = new ArrayList<>();
    private boolean carrierIsFree;
    private final StallWatch watch =
            new StallWatch(
                    new StallSettings(true, INTERVAL, Duration.ofMillis(20), Duration.ofSeconds(1)),
                    clock,
                    () -> mailboxes,
                    causes,
                    (event, host, details) -> events.add(new Event(event, host, details)),
                    new Workers(WorkerSettings.DEFAULT, clock, meters),
                    meters,
                    new VirtualThreads() {
                        @Override
                        public boolean haveAFreeCarrier() {
                            return carrierIsFree;
                        }

                        @Override
                        public void start(Runnable task) {
                            virtual.add(task);
                        }
                    });

    /** The audit events. */
    private record Event(AuditEvent event, HostId host, Map<String, String> details) {
        String detail(String name) {
            return details.get(name);
        }
    }

    /** The work before the waiting work, and the number of queries for it. */
    private static final class Causes implements StallCauses {
        private Stall work = new Stall("nothing", Duration.ZERO, "");
        private List<CarriedThread> carried = List.of();
        private long collectorMillis;
        private int asked;

        @Override
        public Stall ofHost(HostId host) {
            asked++;
            return work;
        }

        @Override
        public List<CarriedThread> carried() {
            asked++;
            return carried;
        }

        @Override
        public long collectorMillis() {
            return collectorMillis;
        }
    }

    /** Heart-beats in time, for so long. */
    private void beat(Duration time) {
        for (long i = 0; i < time.dividedBy(INTERVAL); i++) {
            clock.advance(INTERVAL);
            watch.beat();
            if (!virtual.isEmpty()) {
                virtual.remove().run();
            }
        }
    }

    private double count(String what) {
        return meters.get("stillwater.stalls").tag("what", what).counter().count();
    }

    private double longestNanos(String what) {
        return meters.get("stillwater.stall.longest")
                .tag("what", what)
                .timeGauge()
                .value(TimeUnit.NANOSECONDS);
    }

    @Test
    void heartBeatsInTimeAreNoStalls() {
        for (int i = 0; i < 100; i++) {
            watch.beat();
            clock.advance(Duration.ofMillis(19));
            virtual.remove().run();
            clock.advance(INTERVAL.minusMillis(10));
        }
        assertThat(count("process")).isZero();
        assertThat(count("virtual_threads")).isZero();
        assertThat(longestNanos("process")).isZero();
    }

    @Test
    void aHeartBeatThatComesLateIsAStallOfTheProcess() {
        watch.beat();
        virtual.remove().run();
        clock.advance(INTERVAL.plusMillis(450));
        watch.beat();
        assertThat(count("process")).isEqualTo(1);
        assertThat(longestNanos("process")).isEqualTo(450_000_000);
        clock.advance(Duration.ofMinutes(3));
        assertThat(longestNanos("process")).isZero();
    }

    @Test
    void waitingVirtualThreadsAreExaminedOnceAndCounted() {
        watch.beat();
        for (int i = 0; i < 15; i++) {
            clock.advance(INTERVAL);
            watch.beat();
        }
        assertThat(virtual).hasSize(1);
        virtual.remove().run();
        assertThat(count("virtual_threads")).isEqualTo(1);
        assertThat(longestNanos("virtual_threads")).isEqualTo(1_500_000_000);
        clock.advance(INTERVAL);
        watch.beat();
        assertThat(virtual).hasSize(1);
    }

    @Test
    void noVirtualThreadIsWokenWhileACarrierIsFree() {
        carrierIsFree = true;
        watch.beat();
        assertThat(virtual).isEmpty();

        carrierIsFree = false;
        clock.advance(INTERVAL);
        watch.beat();
        assertThat(virtual).hasSize(1);
        carrierIsFree = true; // the one that was asked still waits
        clock.advance(Duration.ofMillis(1_500));
        watch.beat();
        assertThat(virtual).hasSize(1);
        assertThat(events).extracting(each -> each.detail("what")).contains("all virtual threads");
        virtual.remove().run();
        assertThat(longestNanos("virtual_threads")).isEqualTo(1_500_000_000);
    }

    @Test
    void noCarrierIsFreeWhileVirtualThreadsKeepAllOfThem() throws InterruptedException {
        VirtualThreads threads = VirtualThreads.ofProcess();
        AtomicBoolean released = new AtomicBoolean();
        int carriers =
                ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class)
                        .getParallelism();
        CountDownLatch running = new CountDownLatch(carriers);
        List<Thread> keepers = new ArrayList<>();
        for (int i = 0; i < carriers; i++) {
            keepers.add(
                    Thread.startVirtualThread(() -> {
                        running.countDown();
                        while (!released.get()) {
                            Thread.onSpinWait();
                        }
                    }));
        }
        try {
            // The scheduler can leave a queued thread beside an idle carrier until another one is
            // submitted (JDK-8373118).
            for (int nudges = 0;
                    nudges < 600 && !running.await(100, TimeUnit.MILLISECONDS);
                    nudges++) {
                Thread.startVirtualThread(() -> {});
            }
            assertThat(running.getCount()).isZero();
            assertThat(threads.haveAFreeCarrier()).isFalse();
        } finally {
            released.set(true);
        }
        for (Thread keeper : keepers) {
            keeper.join();
        }
    }

    @Test
    void reportsThatWaitForASecondAreLoggedWithTheStackOfTheirThread() {
        HostId host = new HostId(UUID.randomUUID());
        causes.work =
                new Stall(
                        "an event",
                        Duration.ofMillis(2_500),
                        "\tat java.base/java.lang.Object.wait(Object.java:389)\n"
                            + "\tat app//org.stillwater.monitoring.feed.ChangeFeed.publish(ChangeFeed.java:70)");
        mailboxes.add(new StallWatch.WaitingReports(host, "alpha", clock.nanoTime()));
        beat(Duration.ofMillis(900));
        assertThat(events).isEmpty();

        beat(Duration.ofMillis(1_500));

        assertThat(events).hasSize(1);
        Event event = events.getFirst();
        assertThat(event.event()).isEqualTo(AuditEvent.ENGINE_STALLED);
        assertThat(event.host()).isEqualTo(host);
        assertThat(event.detail("what")).isEqualTo("reports of host alpha");
        assertThat(Long.parseLong(event.detail("millis"))).isBetween(1_000L, 2_400L);
        assertThat(event.detail("cause"))
                .isEqualTo(
                        "Its thread works on an event for 2500 ms, in"
                                + " org.stillwater.monitoring.feed.ChangeFeed.publish.");
        assertThat(event.detail("stack"))
                .isEqualTo(
                        "host-alpha: java.lang.Object.wait(Object.java:389) <"
                            + " org.stillwater.monitoring.feed.ChangeFeed.publish(ChangeFeed.java:70)");
        assertThat(count("mailbox")).isGreaterThanOrEqualTo(2);
    }

    @Test
    void changesOfAPoolThatWaitForASecondAreLogged() {
        mailboxes.add(new StallWatch.WaitingReports(null, "pool xcp", clock.nanoTime()));
        beat(Duration.ofMillis(1_500));

        assertThat(events).hasSize(1);
        assertThat(events.getFirst().host()).isNull();
        assertThat(events.getFirst().detail("what")).isEqualTo("changes of pool xcp");
        assertThat(count("mailbox")).isPositive();
    }

    @Test
    void aHostIsLoggedOnceInAQuietPeriodAndManyHostsAreNotAllLogged() {
        for (int i = 0; i < 1_000; i++) {
            mailboxes.add(
                    new StallWatch.WaitingReports(
                            new HostId(UUID.randomUUID()), "host-" + i, clock.nanoTime()));
        }
        beat(StallWatch.QUIET);
        assertThat(events).hasSize(StallWatch.MOST_TOLD).doesNotHaveDuplicates();
        assertThat(causes.asked).as("dear looks").isEqualTo(StallWatch.MOST_TOLD);

        beat(Duration.ofSeconds(3));
        assertThat(events).hasSize(2 * StallWatch.MOST_TOLD);
        assertThat(causes.asked).isEqualTo(2 * StallWatch.MOST_TOLD);

        mailboxes.clear();
        beat(StallWatch.QUIET.multipliedBy(2));
        assertThat(events).hasSize(2 * StallWatch.MOST_TOLD);
    }

    @Test
    void virtualThreadsThatWaitForASecondAreLoggedWithTheThreadsOnTheirCarriers() {
        causes.carried =
                List.of(
                        new CarriedThread(
                                "host-a",
                                List.of(
                                        "java.base/java.lang.Math.sqrt(Math.java:1)",
                                        "b.C.d(C.java:2)")),
                        new CarriedThread("write-b", List.of()));
        watch.beat();
        for (int i = 0; i < 10; i++) {
            assertThat(events).isEmpty();
            clock.advance(INTERVAL);
            watch.beat();
        }
        assertThat(virtual).as("still waits").hasSize(1);
        assertThat(events).hasSize(1);
        assertThat(events.getFirst().host()).isNull();
        assertThat(events.getFirst().details())
                .containsEntry("what", "all virtual threads")
                .containsEntry("millis", "1000")
                .containsEntry(
                        "cause",
                        "Carriers are kept by: host-a in java.lang.Math.sqrt, write-b in an unknown"
                                + " place.")
                .containsEntry(
                        "stack",
                        "host-a: java.lang.Math.sqrt(Math.java:1) < b.C.d(C.java:2) | write-b");
    }

    @Test
    void aProcessThatStoodStillIsLoggedWithTheCollectorsShare() {
        watch.beat();
        virtual.remove().run();
        causes.collectorMillis = 1_800;
        clock.advance(Duration.ofSeconds(2));
        watch.beat();
        assertThat(events).hasSize(1);
        assertThat(events.getFirst().details())
                .containsEntry("what", "the whole process")
                .containsEntry("millis", "1900")
                .containsEntry("cause", "The garbage collector stopped it for 1800 ms.");
    }

    @Test
    void aStackInAnEventIsBoundedAndEndsWithAWholeFrame() {
        List<String> deep = Collections.nCopies(200, "m/org.stillwater.A.b(A.java:1)");
        String line =
                StackText.line(
                        List.of(new CarriedThread("a", deep), new CarriedThread("b", deep)),
                        AuditEntry.LONGEST_VALUE);
        assertThat(line)
                .hasSizeBetween(900, AuditEntry.LONGEST_VALUE)
                .contains("(A.java:1) | b: org")
                .endsWith("(A.java:1)");
    }

    /** The JVM's own format of a dump. */
    @Test
    void threadsThatHaveACarrierAreFoundInThisProcess() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch runs = new CountDownLatch(1);
        Thread busy =
                Thread.ofVirtual()
                        .name("busy-one")
                        .start(() -> {
                            runs.countDown();
                            while (!stop.get()) {
                                Thread.onSpinWait();
                            }
                        });
        try {
            runs.await();
            assertThat(CarriedThread.present())
                    .filteredOn(each -> each.name().equals("busy-one"))
                    .singleElement()
                    .satisfies(each ->
                            assertThat(StackText.place(each.stack()))
                                    .startsWith("org.stillwater.server.stall.StallWatchTest"));
        } finally {
            stop.set(true);
            busy.join();
        }
    }
}
