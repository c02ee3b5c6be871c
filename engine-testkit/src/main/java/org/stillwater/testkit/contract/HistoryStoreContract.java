package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.history.HistoryMetric;
import org.stillwater.core.history.HistoryMetric.Subject;
import org.stillwater.core.history.HistoryPoint;
import org.stillwater.core.history.HistoryTier;
import org.stillwater.core.store.HistoryStore;
import org.stillwater.core.store.HistoryStore.Interval;
import org.stillwater.core.store.HistoryStore.Recorded;
import org.stillwater.core.store.HistoryStore.Retention;
import org.stillwater.core.store.HistoryStore.RollUps;
import org.stillwater.core.store.HistoryStore.RolledUp;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.testkit.memory.InMemoryHistoryStore;

/**
 * Contract of every {@link HistoryStore}. A subclass hands out an empty store before each test.
 *
 * <p>It is long because it is a list of independent tests with their samples.
 */
public abstract class HistoryStoreContract {

    /** A day's last hours, so that histories cross days and months. */
    protected static final Instant START = Instant.parse("2026-02-28T21:00:00Z");

    /** Keeps everything that tests write. */
    protected static final Retention LONG =
            new Retention(
                    Duration.ofDays(99_999), Duration.ofDays(99_999), Duration.ofDays(99_999));

    private static final Instant RUN = Instant.parse("2026-02-28T20:59:59.123456Z");
    private static final HistoryMetric CPU = HistoryMetric.VM_CPU_USAGE;
    private static final UUID VM = new UUID(0x8000_0000_0000_0001L, 0xffff_ffff_ffff_fffeL);

    private HistoryStore history = new InMemoryHistoryStore();

    /** A store without history. */
    protected abstract HistoryStore newHistory();

    @BeforeEach
    final void prepare() throws StoreUnavailable {
        history = newHistory();
        history.maintain(START, START.plus(1, ChronoUnit.DAYS), LONG);
    }

    /** The store of the test under way. */
    protected final HistoryStore history() {
        return history;
    }

    /** Rows made by hand. */
    public static final class Rows implements HistoryStore.Samples {

        private final List<UUID> ids = new ArrayList<>();
        private final List<float[]> values = new ArrayList<>();

        /** Adds one row, of numbers that are all alike. */
        public Rows all(UUID id, Subject subject, float value) {
            float[] row = new float[HistoryMetric.of(subject).size()];
            Arrays.fill(row, value);
            return add(id, row);
        }

        /** Adds one row. */
        public Rows add(UUID id, float[] row) {
            ids.add(id);
            values.add(row.clone());
            return this;
        }

        @Override
        public int size() {
            return ids.size();
        }

        @Override
        public long idUpper(int row) {
            return ids.get(row).getMostSignificantBits();
        }

        @Override
        public long idLower(int row) {
            return ids.get(row).getLeastSignificantBits();
        }

        @Override
        public float value(int row, int metric) {
            return values.get(row)[metric];
        }
    }

    /** One VM's hour made by hand; the first number is known, the others are not. */
    protected record OneHour(UUID id, float min, float mean, float max, int count)
            implements RollUps {

        @Override
        public int size() {
            return 1;
        }

        @Override
        public long idUpper(int row) {
            return id.getMostSignificantBits();
        }

        @Override
        public long idLower(int row) {
            return id.getLeastSignificantBits();
        }

        @Override
        public int count(int row, int metric) {
            return metric == 0 ? count : 0;
        }

        @Override
        public float min(int row, int metric) {
            return min;
        }

        @Override
        public float mean(int row, int metric) {
            return mean;
        }

        @Override
        public float max(int row, int metric) {
            return max;
        }
    }

    private static final RollUps NOTHING =
            new RollUps() {
                @Override
                public int size() {
                    return 0;
                }

                @Override
                public long idUpper(int row) {
                    throw new IndexOutOfBoundsException(row);
                }

                @Override
                public long idLower(int row) {
                    throw new IndexOutOfBoundsException(row);
                }

                @Override
                public int count(int row, int metric) {
                    throw new IndexOutOfBoundsException(row);
                }

                @Override
                public float min(int row, int metric) {
                    throw new IndexOutOfBoundsException(row);
                }

                @Override
                public float mean(int row, int metric) {
                    throw new IndexOutOfBoundsException(row);
                }

                @Override
                public float max(int row, int metric) {
                    throw new IndexOutOfBoundsException(row);
                }
            };

    private static Instant minute(int n) {
        return START.plus(n, ChronoUnit.MINUTES);
    }

    private static Interval interval(int at, int base) {
        return new Interval(minute(at), minute(base), RUN);
    }

    private List<HistoryPoint> cpu(HistoryTier tier) throws StoreUnavailable {
        return history.read(CPU, VM, tier, START.minusSeconds(1), minute(24 * 60));
    }

    private static List<HistoryPoint> samples(float value, int... minutes) {
        return IntStream.of(minutes).mapToObj(n -> HistoryPoint.sample(minute(n), value)).toList();
    }

    private Recorded write(Interval interval, float value) throws StoreUnavailable {
        return history.write(
                interval, new Rows().all(VM, Subject.VM, value), HistoryStore.Samples.NONE);
    }

    private Recorded writeNothing(Interval interval) throws StoreUnavailable {
        return history.write(interval, HistoryStore.Samples.NONE, HistoryStore.Samples.NONE);
    }

    @Test
    void aRowHoldsUntilTheNextOne() throws StoreUnavailable {
        assertThat(write(interval(0, 0), 7)).isEqualTo(Recorded.NOW);
        writeNothing(interval(1, 0));
        writeNothing(interval(3, 0));
        write(interval(4, 0), 8);
        List<HistoryPoint> expected = new ArrayList<>(samples(7, 0, 1, 3));
        expected.addAll(samples(8, 4));
        assertThat(cpu(HistoryTier.MINUTE)).isEqualTo(expected);
        assertThat(history.read(CPU, VM, HistoryTier.MINUTE, minute(1), minute(4)))
                .as("from is inclusive, to is exclusive")
                .isEqualTo(samples(7, 1, 3));
    }

    @Test
    void aRowHoldsNeitherAcrossAnHourNorAcrossALifeOfTheEngine() throws StoreUnavailable {
        write(interval(0, 0), 7);
        writeNothing(interval(5, 5));
        writeNothing(interval(60, 60));
        assertThat(cpu(HistoryTier.MINUTE)).isEqualTo(samples(7, 0));
    }

    @Test
    void unknownValuesHaveNoPoint() throws StoreUnavailable {
        write(interval(0, 0), 7);
        write(interval(1, 0), Float.NaN);
        writeNothing(interval(2, 0));
        assertThat(cpu(HistoryTier.MINUTE)).isEqualTo(samples(7, 0));
    }

    @Test
    void valuesComeBackBitByBit() throws StoreUnavailable {
        float[] awkward = {
            0f,
            -0.1f,
            1 / 3f,
            Float.MIN_VALUE,
            Float.MAX_VALUE,
            -Float.MAX_VALUE,
            1e10f,
            16_777_216f
        };
        for (int i = 0; i < awkward.length; i++) {
            write(interval(i, 0), awkward[i]);
        }
        List<HistoryPoint> points = cpu(HistoryTier.MINUTE);
        assertThat(points).hasSize(awkward.length);
        for (int i = 0; i < awkward.length; i++) {
            assertThat(points.get(i)).isEqualTo(HistoryPoint.sample(minute(i), awkward[i]));
        }
    }

    @Test
    void anIntervalIsWrittenOnce() throws StoreUnavailable {
        write(interval(0, 0), 7);
        assertThat(write(interval(0, 0), 7)).isEqualTo(Recorded.BEFORE);
        assertThat(write(new Interval(minute(0), minute(0), RUN.plusSeconds(5)), 9))
                .isEqualTo(Recorded.BY_ANOTHER);
        assertThat(cpu(HistoryTier.MINUTE)).isEqualTo(samples(7, 0));
    }

    @Test
    void aClosedHourIsWrittenOnceAndItsDayFollows() throws StoreUnavailable {
        Interval hour = interval(0, 3);
        assertThat(history.writeHour(hour, new OneHour(VM, 1, 2.5f, 9, 57), NOTHING))
                .isEqualTo(Recorded.NOW);
        assertThat(history.writeHour(hour, new OneHour(VM, 1, 2.5f, 9, 57), NOTHING))
                .isEqualTo(Recorded.BEFORE);
        List<HistoryPoint> written = List.of(new HistoryPoint(START, 1, 2.5f, 9, 57));
        assertThat(cpu(HistoryTier.HOUR)).isEqualTo(written);
        assertThat(history.read(HistoryMetric.VM_CPU_USER, VM, HistoryTier.HOUR, START, minute(60)))
                .as("never known")
                .isEmpty();

        history.writeHour(interval(60, 60), new OneHour(VM, 3, 4, 5, 19), NOTHING);
        assertThat(history.rollUp(minute(179))).isEqualTo(new RolledUp(0, 0));
        assertThat(history.rollUp(minute(180))).isEqualTo(new RolledUp(0, 1));
        assertThat(history.rollUp(minute(180))).isEqualTo(new RolledUp(0, 0));
        HistoryPoint day =
                new HistoryPoint(
                        START.truncatedTo(ChronoUnit.DAYS),
                        1,
                        (float) ((2.5 * 57 + 4.0 * 19) / 76),
                        9,
                        76);
        assertThat(history.read(CPU, VM, HistoryTier.DAY, day.at(), minute(600)))
                .containsExactly(day);
    }

    @Test
    void anHourThatAnotherOneWroteIsComputedAnewFromItsSamples() throws StoreUnavailable {
        write(interval(0, 0), 10);
        writeNothing(interval(1, 0));
        assertThat(history.rollUp(minute(180))).isEqualTo(new RolledUp(1, 1));
        write(interval(2, 2), 40);
        assertThat(history.writeHour(interval(0, 2), new OneHour(VM, 40, 40, 40, 1), NOTHING))
                .isEqualTo(Recorded.BY_ANOTHER);
        HistoryPoint hour = new HistoryPoint(START, 10, 20, 40, 3);
        assertThat(cpu(HistoryTier.HOUR)).containsExactly(hour);
        Instant day = START.truncatedTo(ChronoUnit.DAYS);
        assertThat(history.read(CPU, VM, HistoryTier.DAY, day, minute(600)))
                .containsExactly(new HistoryPoint(day, 10, 20, 40, 3));
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 6);
    }

    /** Sampled values, in the plainest form: every value of every interval. */
    private static final class Truth {

        final Map<HistoryMetric, Map<UUID, TreeMap<Instant, Float>>> values = new LinkedHashMap<>();

        void sampled(HistoryMetric metric, UUID id, Instant at, float value) {
            values.computeIfAbsent(metric, _ -> new LinkedHashMap<>())
                    .computeIfAbsent(id, _ -> new TreeMap<>())
                    .put(at, value);
        }

        List<HistoryPoint> points(HistoryMetric metric, UUID id, Instant from, Instant to) {
            return values
                    .getOrDefault(metric, Map.of())
                    .getOrDefault(id, new TreeMap<>())
                    .subMap(from, to)
                    .entrySet()
                    .stream()
                    .map(value -> HistoryPoint.sample(value.getKey(), value.getValue()))
                    .toList();
        }

        @Nullable HistoryPoint over(HistoryMetric metric, UUID id, Instant from, Instant to) {
            List<HistoryPoint> points = points(metric, id, from, to);
            return points.isEmpty()
                    ? null
                    : new HistoryPoint(
                            from,
                            points.stream().mapToDouble(HistoryPoint::min).min().orElseThrow(),
                            points.stream().mapToDouble(HistoryPoint::mean).average().orElseThrow(),
                            points.stream().mapToDouble(HistoryPoint::max).max().orElseThrow(),
                            points.size());
        }
    }

    /**
     * A recorder as plain as can be, on random numbers that often stay unchanged: intervals are
     * left out, the engine restarts, subjects are added and removed.
     */
    private Truth randomHistory(Random random, Someone subjects, int minutes)
            throws StoreUnavailable {
        Truth truth = new Truth();
        Map<UUID, float[]> written = new LinkedHashMap<>();
        Instant run = RUN;
        @Nullable Instant base = null;
        for (int n = 0; n < minutes; n++) {
            Instant at = minute(n);
            if (random.nextInt(100) == 0) {
                n += random.nextInt(90);
                run = at;
                base = null;
                continue;
            }
            if (random.nextInt(20) == 0) {
                continue; // left out, for example because too many waited
            }
            if (base == null || !hour(base).equals(hour(at))) {
                base = at;
                written.clear();
            }
            Rows vms = new Rows();
            Rows hosts = new Rows();
            for (Subject subject : Subject.values()) {
                for (UUID id : subjects.of(subject)) {
                    float[] now = next(random, subject, written.get(id));
                    if (!Arrays.equals(now, written.get(id))) {
                        (subject == Subject.VM ? vms : hosts).add(id, now);
                        written.put(id, now);
                    }
                    for (HistoryMetric metric : HistoryMetric.of(subject)) {
                        if (!Float.isNaN(now[metric.index()])) {
                            truth.sampled(metric, id, at, now[metric.index()]);
                        }
                    }
                }
            }
            assertThat(history.write(new Interval(at, base, run), vms, hosts))
                    .isEqualTo(Recorded.NOW);
        }
        return truth;
    }

    private static Instant hour(Instant at) {
        return at.truncatedTo(ChronoUnit.HOURS);
    }

    private static float[] next(Random random, Subject subject, float @Nullable [] last) {
        float[] next = new float[HistoryMetric.of(subject).size()];
        int mood = random.nextInt(10);
        if (last != null && mood < 6) {
            return last.clone();
        }
        if (mood == 6) {
            Arrays.fill(next, Float.NaN);
            return next;
        }
        for (int metric = 0; metric < next.length; metric++) {
            next[metric] =
                    switch (random.nextInt(8)) {
                        case 0 -> Float.NaN;
                        case 1 -> last == null ? 0 : last[metric];
                        default -> random.nextInt(1 << 20) / 16f;
                    };
        }
        return next;
    }

    /** Some VMs and hosts. */
    private record Someone(List<UUID> vms, List<UUID> hosts) {

        static Someone random(Random random) {
            return new Someone(ids(random), ids(random));
        }

        private static List<UUID> ids(Random random) {
            return IntStream.range(0, 4)
                    .mapToObj(_ -> new UUID(random.nextLong(), random.nextLong()))
                    .toList();
        }

        List<UUID> of(Subject subject) {
            return subject == Subject.VM ? vms : hosts;
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void readPointsEqualTheSamples(long seed) throws StoreUnavailable {
        Random random = new Random(seed);
        Someone subjects = Someone.random(random);
        Truth truth = randomHistory(random, subjects, 300);
        for (HistoryMetric metric : HistoryMetric.values()) {
            for (UUID id : subjects.of(metric.subject())) {
                assertThat(history.read(metric, id, HistoryTier.MINUTE, START, minute(2_000)))
                        .as("seed %d, %s of %s", seed, metric, id)
                        .isEqualTo(truth.points(metric, id, START, minute(2_000)));
                Instant from = minute(random.nextInt(300)).plusMillis(random.nextInt(60_000));
                Instant to = from.plusSeconds(random.nextInt(10_000));
                assertThat(history.read(metric, id, HistoryTier.MINUTE, from, to))
                        .as("seed %d, %s of %s from %s to %s", seed, metric, id, from, to)
                        .isEqualTo(truth.points(metric, id, from, to));
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void rolledUpPointsEqualTheSamples(long seed) throws StoreUnavailable {
        Random random = new Random(seed);
        Someone subjects = Someone.random(random);
        Truth truth = randomHistory(random, subjects, 300);
        Instant midnight = minute(180);
        RolledUp first = history.rollUp(minute(300));
        assertThat(first.hours()).as("seed %d", seed).isBetween(2, 5);
        assertThat(history.rollUp(minute(300))).isEqualTo(new RolledUp(0, 0));
        for (HistoryMetric metric : HistoryMetric.values()) {
            for (UUID id : subjects.of(metric.subject())) {
                String what = "seed %d, %s of %s".formatted(seed, metric, id);
                for (int n = 0; n < 300; n += 60) {
                    assertSame(
                            what,
                            history.read(metric, id, HistoryTier.HOUR, minute(n), minute(n + 60)),
                            truth.over(metric, id, minute(n), minute(n + 60)));
                }
                Instant day = midnight.minus(1, ChronoUnit.DAYS);
                assertSame(
                        what,
                        history.read(metric, id, HistoryTier.DAY, day, midnight),
                        truth.over(metric, id, day, midnight));
            }
        }
    }

    private static void assertSame(
            String what, List<HistoryPoint> read, @Nullable HistoryPoint expected) {
        if (expected == null) {
            assertThat(read).as(what).isEmpty();
            return;
        }
        assertThat(read).as(what).hasSize(1);
        HistoryPoint point = read.getFirst();
        assertThat(new HistoryPoint(point.at(), point.min(), 0, point.max(), point.count()))
                .as(what)
                .isEqualTo(
                        new HistoryPoint(
                                expected.at(),
                                expected.min(),
                                0,
                                expected.max(),
                                expected.count()));
        assertThat(point.mean())
                .as(what)
                .isCloseTo(expected.mean(), within(1e-6 * Math.abs(expected.mean())));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void sumsOfAPartEqualTheSamples(long seed) throws StoreUnavailable {
        Random random = new Random(seed);
        Someone subjects = Someone.random(random);
        Truth truth = randomHistory(random, subjects, 60);
        Instant before = minute(20 + random.nextInt(40));
        Map<HistoryMetric, Map<UUID, HistoryPoint>> parts = new LinkedHashMap<>();
        history.readPart(
                START,
                before,
                (metric, upper, lower, min, sum, max, count) ->
                        parts.computeIfAbsent(metric, _ -> new LinkedHashMap<>())
                                .put(
                                        new UUID(upper, lower),
                                        new HistoryPoint(START, min, sum / count, max, count)));
        for (HistoryMetric metric : HistoryMetric.values()) {
            for (UUID id : subjects.of(metric.subject())) {
                HistoryPoint part = parts.getOrDefault(metric, Map.of()).get(id);
                assertSame(
                        "seed %d, %s of %s".formatted(seed, metric, id),
                        part == null ? List.of() : List.of(part),
                        truth.over(metric, id, START, before));
            }
        }
    }
}
