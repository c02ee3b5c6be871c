package org.stillwater.core.regression;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.regression.SeriesOwner.Shared;

/** A fleet of 4 hosts with 80 VMs each, on 8 storage domains: a disk for each VM. */
@DisplayName("Findings of a fleet")
class FindingTrackerTest {

    private static final int HOSTS = 4;
    private static final int VMS = 80;
    private static final int WINDOW = 150;
    private static final Duration INTERVAL = Duration.ofMinutes(5);
    private static final long FIRST = 1_000_000;
    private static final FindingOptions OPTIONS = new FindingOptions(INTERVAL, 0.1, 100);

    private final List<SeriesOwner> owners = new ArrayList<>();
    private final FleetSeries series = new FleetSeries(WINDOW, 10_000, FIRST);
    private final List<RecordedChange> recorded = new ArrayList<>();
    private FindingTracker tracker = new FindingTracker(OPTIONS, List.of());
    private Random random = new Random(1);

    FindingTrackerTest() {
        for (int host = 0; host < HOSTS; host++) {
            for (int vm = 0; vm < VMS; vm++) {
                String name = "vm-%d-%02d".formatted(host, vm);
                owners.add(
                        new SeriesOwner(
                                name + "/vda",
                                List.of(
                                        new Shared(SeriesOwner.DISK, name + "/vda"),
                                        new Shared(SeriesOwner.VM, name),
                                        new Shared(SeriesOwner.HOST, "host-" + host),
                                        new Shared(SeriesOwner.STORAGE_DOMAIN, "domain-" + vm % 8),
                                        new Shared(SeriesOwner.CLUSTER, "cluster"))));
            }
        }
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 5);
    }

    private static Instant at(long interval) {
        return Instant.ofEpochMilli(interval * INTERVAL.toMillis());
    }

    /** Lets intervals pass; returns the findings. */
    private List<FindingEvent> pass(int intervals, ToDoubleFunction<SeriesOwner> factor) {
        List<FindingEvent> events = new ArrayList<>();
        for (int i = 0; i < intervals; i++) {
            for (SeriesOwner owner : owners) {
                double noise = Math.exp(0.05 * random.nextGaussian());
                MeasuredSeries one = series.get(RegressionMetric.DISK_READ_LATENCY, owner);
                assertThat(one).isNotNull();
                one.sample(2 * noise * factor.applyAsDouble(owner));
            }
            series.close(series.interval() + 1);
            events.addAll(tracker.advance(series, recorded, _ -> 0, at(series.interval())));
        }
        return events;
    }

    private static ToDoubleFunction<SeriesOwner> slower(Shared where, double factor) {
        return owner -> owner.shared().contains(where) ? factor : 1;
    }

    private static List<Finding> begun(List<FindingEvent> events) {
        return events.stream()
                .filter(FindingEvent.Began.class::isInstance)
                .map(FindingEvent::finding)
                .toList();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("a host that is slower is one finding with its eighty members, within 12 points")
    void host(long seed) {
        random = new Random(seed);
        Shared host = new Shared(SeriesOwner.HOST, "host-2");
        assertThat(begun(pass(40, _ -> 1))).isEmpty();

        List<FindingEvent> events = pass(12, slower(host, 1.3));

        assertThat(begun(events)).extracting(Finding::where).containsExactly(host);
        Finding finding = tracker.open().getFirst();
        assertThat(tracker.open()).hasSize(1);
        assertThat(finding.memberCount()).isGreaterThanOrEqualTo(76);
        assertThat(finding.vms()).isEqualTo(finding.memberCount());
        assertThat(finding.begin()).isBetween(at(FIRST + 39), at(FIRST + 41));
        assertThat(finding.changes())
                .singleElement()
                .satisfies(change -> {
                    assertThat(change.metric()).isEqualTo(RegressionMetric.DISK_READ_LATENCY);
                    assertThat(change.relativeChange()).isBetween(0.24, 0.36);
                    assertThat(change.before()).isBetween(1.95, 2.05);
                    assertThat(change.perHour() / finding.memberCount()).isBetween(0.5, 0.7);
                });
        assertThat(finding.evidence()).hasSize(3);
        assertThat(finding.evidence().getFirst().first()).isBefore(finding.begin());

        assertThat(begun(pass(20, slower(host, 1.3)))).isEmpty();
        assertThat(tracker.open().getFirst().memberCount()).isEqualTo(VMS);
    }

    @Test
    @DisplayName("a finding that lasts for a window keeps its points before the begin")
    void evidenceOutlastsTheWindow() {
        Shared host = new Shared(SeriesOwner.HOST, "host-2");
        pass(60, _ -> 1);

        List<FindingEvent> events = pass(WINDOW + 5, slower(host, 1.5));

        Finding ended = events.getLast().finding();
        assertThat(ended.ending()).isEqualTo(Finding.Ending.ADOPTED);
        assertThat(ended.evidence())
                .hasSize(Finding.MOST_EVIDENCE)
                .allSatisfy(each -> {
                    assertThat(each.values()).hasSize(96).doesNotContainNull();
                    assertThat(each.values().subList(0, 40)).allMatch(value -> value < 2.5);
                    assertThat(each.values().subList(56, 96)).allMatch(value -> value > 2.4);
                });
    }

    @Test
    @DisplayName("a storage domain that is slower is named although its disks are on all hosts")
    void storageDomain() {
        Shared domain = new Shared(SeriesOwner.STORAGE_DOMAIN, "domain-5");
        pass(40, _ -> 1);

        List<FindingEvent> events = pass(12, slower(domain, 1.4));

        assertThat(begun(events)).extracting(Finding::where).containsExactly(domain);
    }

    @Test
    @DisplayName("a disk alone is a finding once no other object can share its step")
    void disk() {
        Shared disk = new Shared(SeriesOwner.DISK, "vm-1-07/vda");
        pass(40, _ -> 1);

        List<FindingEvent> events = pass(12, slower(disk, 1.5));

        assertThat(begun(events)).extracting(Finding::where).containsExactly(disk);
        assertThat(begun(events).getFirst().members()).containsExactly("vm-1-07/vda");
        assertThat(begun(events).getFirst().detectedAt()).isBetween(at(FIRST + 51), at(FIRST + 52));
    }

    @Test
    @DisplayName("evidence has the restarts and migrations of its member")
    void marked() {
        String name = "vm-1-07/vda";
        ToDoubleFunction<SeriesOwner> slow = slower(new Shared(SeriesOwner.DISK, name), 1.5);
        pass(35, _ -> 1);
        MeasuredSeries disk = series.find(RegressionMetric.DISK_READ_LATENCY, name);
        disk.mark(Mark.Kind.MIGRATION);
        pass(5, _ -> 1);
        pass(12, slow);

        Finding.Evidence evidence = tracker.open().getFirst().evidence().getFirst();
        long first = evidence.first().toEpochMilli() / INTERVAL.toMillis();
        Mark moved = new Mark(FIRST + 35 - first, Mark.Kind.MIGRATION);
        assertThat(evidence.marks()).containsExactly(moved);

        for (int i = 0; i < MeasuredSeries.MOST_MARKS; i++) {
            disk.mark(Mark.Kind.RESTART);
            pass(1, slow);
        }
        evidence = tracker.open().getFirst().evidence().getFirst();
        assertThat(evidence.marks())
                .startsWith(moved)
                .doesNotHaveDuplicates()
                .hasSizeGreaterThan(1);
    }

    @Test
    @DisplayName("a finding ends when the old level is back, and is not found again")
    void recovered() {
        Shared host = new Shared(SeriesOwner.HOST, "host-1");
        pass(40, _ -> 1);
        pass(30, slower(host, 1.4));

        List<FindingEvent> events = pass(40, _ -> 1);

        assertThat(events)
                .filteredOn(FindingEvent.Ended.class::isInstance)
                .singleElement()
                .satisfies(event ->
                        assertThat(event.finding().ending()).isEqualTo(Finding.Ending.RECOVERED));
        assertThat(begun(events)).isEmpty();
        assertThat(tracker.open()).isEmpty();
    }

    @Test
    @DisplayName("a level that lasts for a whole window is the usual one")
    void adopted() {
        Shared host = new Shared(SeriesOwner.HOST, "host-1");
        pass(40, _ -> 1);
        pass(15, slower(host, 1.4));

        List<FindingEvent> events = pass(WINDOW, slower(host, 1.4));

        assertThat(events)
                .filteredOn(FindingEvent.Ended.class::isInstance)
                .singleElement()
                .satisfies(event ->
                        assertThat(event.finding().ending()).isEqualTo(Finding.Ending.ADOPTED));
        assertThat(begun(events)).isEmpty();
    }

    @Test
    @DisplayName("another tracker that knows the findings does not find them again")
    void restored() {
        Shared host = new Shared(SeriesOwner.HOST, "host-3");
        pass(40, _ -> 1);
        pass(15, slower(host, 1.4));
        List<Finding> stored = tracker.open();

        tracker = new FindingTracker(OPTIONS, stored);
        List<FindingEvent> events = pass(10, slower(host, 1.4));

        assertThat(begun(events)).isEmpty();
        assertThat(tracker.open()).extracting(Finding::id).containsExactly(stored.getFirst().id());
        assertThat(pass(40, _ -> 1))
                .filteredOn(FindingEvent.Ended.class::isInstance)
                .extracting(event -> event.finding().ending())
                .containsExactly(Finding.Ending.RECOVERED);
    }

    @Test
    @DisplayName("recorded changes near the begin are ranked by the members that they concern")
    void coincidences() {
        Shared host = new Shared(SeriesOwner.HOST, "host-2");
        pass(40, _ -> 1);
        Instant upgrade = at(FIRST + 40).minusSeconds(60);
        recorded.add(
                new RecordedChange(
                        upgrade,
                        RecordedChange.Kind.SOFTWARE,
                        List.of(host),
                        "VDSM 4.50.3 became 4.50.5"));
        recorded.add(
                new RecordedChange(
                        upgrade,
                        RecordedChange.Kind.MIGRATION,
                        List.of(new Shared(SeriesOwner.VM, "vm-2-11")),
                        "VM moved"));
        recorded.add(
                new RecordedChange(
                        upgrade,
                        RecordedChange.Kind.REBOOT,
                        List.of(new Shared(SeriesOwner.HOST, "host-1")),
                        "host booted"));
        recorded.add(
                new RecordedChange(
                        at(FIRST + 5),
                        RecordedChange.Kind.SOFTWARE,
                        List.of(host),
                        "kernel 5.14.0-1 became 5.14.0-2"));

        pass(20, slower(host, 1.4));

        assertThat(tracker.open().getFirst().coincidences())
                .extracting(Coincidence::text, Coincidence::share)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("VDSM 4.50.3 became 4.50.5", 1.0),
                        org.assertj.core.groups.Tuple.tuple("VM moved", 1.0 / VMS));
    }

    @Test
    @DisplayName("a restored finding keeps coincidences that are not recorded any more")
    void restoredCoincidences() {
        Shared host = new Shared(SeriesOwner.HOST, "host-2");
        pass(40, _ -> 1);
        for (String change : List.of("VDSM 4.50.3 became 4.50.5", "QEMU 9.1 became 9.2")) {
            recorded.add(
                    new RecordedChange(
                            at(FIRST + 40).minusSeconds(60),
                            RecordedChange.Kind.SOFTWARE,
                            List.of(host),
                            change));
        }
        pass(20, slower(host, 1.4));
        List<Finding> stored = tracker.open();
        assertThat(stored.getFirst().coincidences()).hasSize(2);

        recorded.removeLast();
        tracker = new FindingTracker(OPTIONS, stored);

        assertThat(pass(10, slower(host, 1.4))).isNotEmpty();
        assertThat(tracker.open().getFirst().coincidences())
                .isEqualTo(stored.getFirst().coincidences());
    }

    @Test
    @DisplayName("a fleet that gets faster has no finding")
    void faster() {
        pass(40, _ -> 1);

        assertThat(pass(40, _ -> 0.7)).isEmpty();
    }

    @Test
    @DisplayName("intervals without load are gaps, and series without load end")
    void gaps() {
        Set<String> idle = new HashSet<>(List.of("vm-0-01/vda"));
        pass(30, _ -> 1);
        int all = series.size();

        pass(WINDOW, owner -> idle.contains(owner.name()) ? 0 : 1);

        assertThat(series.size()).isEqualTo(all - 1);
        assertThat(tracker.open()).isEmpty();
    }

    @Test
    @DisplayName("series beyond the limit are refused and counted")
    void bounded() {
        FleetSeries small = new FleetSeries(WINDOW, 2, FIRST);
        for (SeriesOwner owner : owners.subList(0, 5)) {
            MeasuredSeries _ = small.get(RegressionMetric.DISK_READ_LATENCY, owner);
        }

        assertThat(small.size()).isEqualTo(2);
        assertThat(small.refused()).isEqualTo(3);
    }

    @Test
    @DisplayName("after a pause of more than a window the series begin anew")
    void longPause() {
        pass(30, _ -> 1);

        series.close(series.interval() + WINDOW + 1);

        assertThat(series.size()).isZero();
    }

    @Test
    @DisplayName("unchanged series allocate nothing")
    void noAllocation() {
        pass(1, _ -> 1);
        MeasuredSeries[] all =
                series.all(RegressionMetric.DISK_READ_LATENCY).toArray(MeasuredSeries[]::new);
        steady(all, 200);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().threadId();
        threads.getThreadAllocatedBytes(id);

        long before = threads.getThreadAllocatedBytes(id);
        steady(all, 48);
        long allocated = threads.getThreadAllocatedBytes(id) - before;

        // The iterators of an interval; one object for each of the 15 360 points would be 16 bytes.
        assertThat(allocated / 48 / all.length).isLessThan(8);
    }

    /** Values that go up and down without a step. */
    private void steady(MeasuredSeries[] all, int intervals) {
        for (int i = 0; i < intervals; i++) {
            for (int j = 0; j < all.length; j++) {
                all[j].sample(2 + (i * 7 + j) % 5 * 0.02);
            }
            series.close(series.interval() + 1);
        }
    }
}
