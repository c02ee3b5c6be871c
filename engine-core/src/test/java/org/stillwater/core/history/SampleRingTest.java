package org.stillwater.core.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.history.HistoryMetric.Subject;

class SampleRingTest {

    private static final List<HistoryMetric> METRICS = HistoryMetric.of(Subject.VM);

    private static final int LIMIT = 3_072;
    private static final long START = 1_767_225_600;
    private static final int SPAN = 3_600;

    private final RingFormat format = new RingFormat(METRICS, Duration.ofSeconds(SPAN), LIMIT);
    private final SampleRing ring = new SampleRing(format);

    @SuppressWarnings("ArrayRecordComponent") // of this test only, never compared
    private record Sample(long time, double[] values) {}

    @Test
    void anEmptyRingHasNothing() {
        assertThat(ring.samples().oldest()).isNull();
        assertThat(read(ring)).isEmpty();
        assertThat(ring.samples().metrics()).isEqualTo(METRICS);
    }

    @Test
    void aSampleIsReadBackUnchanged() {
        double[] values = {7, 20.5, 8, 60, 1_024, 2_048, 4_096, 1, 100, 50, 200, 0};
        ring.add(START * 1000 + 999, values);

        assertThat(ring.samples().oldest()).isEqualTo(Instant.ofEpochSecond(START));
        assertThat(read(ring)).hasSize(1);
        assertThat(read(ring).getFirst().values()).containsExactly(values, within(1e-9));
    }

    @Test
    void unchangedNumbersCostNoBytes() {
        double[] values = all(50);
        for (int i = 0; i < 10_000; i++) {
            ring.add((START + 15L * i) * 1000, values);
        }
        List<Sample> kept = read(ring);
        assertThat(kept).hasSize(SPAN / 15 + 1);
        assertThat(kept.getFirst().time()).isEqualTo(kept.getLast().time() - SPAN);
        assertThat(kept).allSatisfy(sample -> assertThat(sample.values()[0]).isEqualTo(50));
        assertThat(ring.arrayLength()).isEqualTo(80);
    }

    @Test
    void aSecondMoreOrLessIsStillARow() {
        double[] values = all(50);
        for (int i = 0; i < 1_000; i++) {
            ring.add((START + 15L * i) * 1000 + i * 7_919L % 1_000, values);
        }
        assertThat(read(ring)).hasSize(241);
        assertThat(ring.arrayLength()).isEqualTo(80);
    }

    @Test
    void aTimeWithoutSamplesStaysOne() {
        add(0, all(5));
        add(15, all(5));
        add(30, all(5));
        add(630, all(5));
        add(645, all(5));

        assertThat(read(ring))
                .extracting(sample -> sample.time() - START)
                .containsExactly(0L, 15L, 30L, 630L, 645L);
    }

    @Test
    void anUnknownValueIsNotTheOneBefore() {
        add(0, all(5));
        add(15, all(Double.NaN));
        add(30, all(5));

        assertThat(read(ring))
                .extracting(sample -> sample.values()[3])
                .containsExactly(5.0, Double.NaN, 5.0);
    }

    @Test
    void aClockThatIsPutBackForgetsTheFuture() {
        for (int i = 0; i < 10; i++) {
            add(15L * i, all(i));
        }
        add(50, all(99));

        assertThat(read(ring))
                .extracting(sample -> sample.time() - START)
                .containsExactly(0L, 15L, 30L, 45L, 50L);
        assertThat(read(ring))
                .extracting(sample -> sample.values()[0])
                .containsExactly(0.0, 1.0, 2.0, 3.0, 99.0);
    }

    @Test
    void aClockThatIsPutBackShortensARow() {
        for (int i = 0; i < 10; i++) {
            add(15L * i, all(1));
        }
        add(50, all(1));
        add(65, all(1));

        assertThat(read(ring))
                .extracting(sample -> sample.time() - START)
                .containsExactly(0L, 15L, 30L, 45L, 50L, 65L);
    }

    @Test
    void aClockThatIsPutBackByASecondLosesNothing() {
        add(0, all(1));
        add(15, all(1));
        add(14, all(2));
        add(30, all(3));

        assertThat(read(ring))
                .extracting(sample -> sample.time() - START)
                .containsExactly(0L, 15L, 15L, 30L);
    }

    @Test
    void aClockThatIsPutBackFarBeginsAnew() {
        add(0, all(1));
        add(15, all(1));
        add(-100_000, all(7));

        assertThat(read(ring))
                .singleElement()
                .satisfies(sample -> assertThat(sample.values()[0]).isEqualTo(7));
    }

    @Test
    void aClockThatLeapsForwardDropsOldSamples() {
        add(0, all(1));
        add(15, all(2));
        add(1_000_000, all(3));

        assertThat(read(ring))
                .singleElement()
                .satisfies(sample -> assertThat(sample.values()[0]).isEqualTo(3));
    }

    @Test
    void theWorstDataStaysWithinTheLimitAndIsCounted() {
        int cutShort = 0;
        Random random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            cutShort += ring.add((START + 15L * i) * 1000, noise(random));
            assertThat(ring.arrayLength()).isLessThanOrEqualTo(LIMIT - 72);
        }
        List<Sample> kept = read(ring);
        assertThat(kept.size()).isBetween(100, 120);
        assertThat(cutShort).isEqualTo(2_000 - kept.size());
        assertThat(kept.getLast().time()).isEqualTo(START + 15 * 1_999);
    }

    @Test
    void aBusyVmKeepsItsWholeHour(TestReporter reporter) {
        int cutShort = 0;
        // As in the engine: the hour and a minute.
        Duration span = Duration.ofSeconds(SPAN + 60);
        RingFormat generous = new RingFormat(METRICS, span, LIMIT);
        for (int seed = 0; seed < 20; seed++) {
            SampleRing busy = new SampleRing(generous);
            BusyVm vm = new BusyVm(new Random(seed));
            for (int i = 0; i < 1_000; i++) {
                cutShort += busy.add((START + 15L * i) * 1000, vm.next());
            }
            assertThat(read(busy).size()).as("seed %d", seed).isGreaterThanOrEqualTo(241);
        }
        reporter.publishEntry("samples that came too much", "" + cutShort);
    }

    @Test
    void aRingThatCalmsDownGivesItsBytesBack() {
        Random random = new Random(1);
        for (int i = 0; i < 500; i++) {
            add(15L * i, noise(random));
        }
        assertThat(ring.arrayLength()).isGreaterThan(2_900);
        for (int i = 500; i < 1_000; i++) {
            add(15L * i, all(5));
        }
        assertThat(ring.arrayLength()).isEqualTo(80);
        assertThat(read(ring)).hasSize(241);
    }

    @Test
    void addingToARingThatIsFullAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Random random = new Random(1);
        double[][] samples = new double[1_000][];
        Arrays.setAll(samples, _ -> noise(random));
        char[] codes = new char[METRICS.size()];
        int i = 0;
        while (i < 20_000) {
            format.code(samples[i % 1_000], codes);
            ring.add((START + 15L * i++) * 1000, codes);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        while (i < 40_000) {
            format.code(samples[i % 1_000], codes);
            ring.add((START + 15L * i++) * 1000, codes);
        }
        assertThat((threads.getCurrentThreadAllocatedBytes() - before) / 20_000).isZero();
    }

    static LongStream seeds() {
        return LongStream.range(0, 60);
    }

    /** Any sequence: the newest samples are kept, within the resolution. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theNewestSamplesAreKept(long seed) {
        Random random = new Random(seed);
        int limit = random.nextBoolean() ? LIMIT : 256 + random.nextInt(1_000);
        int span = random.nextBoolean() ? SPAN : 60 + random.nextInt(64_000);
        List<HistoryMetric> metrics = METRICS.subList(0, 1 + random.nextInt(METRICS.size()));
        RingFormat any = new RingFormat(metrics, Duration.ofSeconds(span), limit);
        SampleRing tested = new SampleRing(any);
        List<Sample> model = new ArrayList<>();
        double change = random.nextDouble();
        int steps = 200 + random.nextInt(600);
        double[] values = all(10);
        long now = START;
        for (int i = 0; i < steps; i++) {
            now += elapsed(random, span);
            if (random.nextInt(100) == 0) {
                now = backwards(random, model, now);
            }
            values = next(random, values, change);
            int cutShort = tested.add(now * 1000 + random.nextInt(1_000), values);
            model.add(new Sample(now, values));
            List<Sample> kept = read(tested);
            assertMatches(seed, any, kept, model);
            assertThat(kept.getFirst().time()).as("seed %d", seed).isGreaterThan(now - span - 2);
            List<Sample> dropped = model.subList(0, model.size() - kept.size());
            if (cutShort == 0) {
                for (Sample sample : dropped) {
                    assertThat(sample.time()).as("seed %d", seed).isLessThan(now - span + 2);
                }
            }
            dropped.clear();
        }
        assertThat(tested.arrayLength()).isLessThanOrEqualTo(limit - 72);
    }

    private static long elapsed(Random random, int span) {
        return switch (random.nextInt(40)) {
            case 0 -> 0;
            case 1 -> random.nextInt(2 * span);
            case 2 -> random.nextInt(300);
            case 3, 4, 5 -> random.nextInt(30);
            default -> 15;
        };
    }

    /** A time before some sample, at which there is none; the model forgets those after it. */
    private static long backwards(Random random, List<Sample> model, long now) {
        long target = now - 3 - random.nextInt(10_000);
        while (isNear(model, target)) {
            target--;
        }
        long then = target;
        model.removeIf(sample -> sample.time() > then);
        return target;
    }

    private static boolean isNear(List<Sample> model, long time) {
        return model.stream().anyMatch(sample -> Math.abs(sample.time() - time) <= 3);
    }

    private static double[] next(Random random, double[] before, double change) {
        double[] values = before.clone();
        for (int i = 0; i < values.length; i++) {
            if (random.nextDouble() < change) {
                values[i] =
                        switch (random.nextInt(10)) {
                            case 0 -> Double.NaN;
                            case 1 -> 0;
                            case 2 -> Math.exp(random.nextDouble() * 25);
                            default -> Math.abs(values[i] + random.nextGaussian() * 10);
                        };
            }
        }
        return values;
    }

    /** The kept samples are the last ones added. */
    private static void assertMatches(
            long seed, RingFormat format, List<Sample> kept, List<Sample> model) {
        assertThat(kept.size()).as("seed %d", seed).isBetween(1, model.size());
        List<Sample> newest = model.subList(model.size() - kept.size(), model.size());
        for (int i = 0; i < kept.size(); i++) {
            if (Math.abs(kept.get(i).time() - newest.get(i).time()) > 1) {
                assertThat(kept.get(i).time())
                        .as("seed %d", seed)
                        .isCloseTo(newest.get(i).time(), within(1L));
            }
            for (int metric = 0; metric < format.size(); metric++) {
                double value = newest.get(i).values()[metric];
                double found = kept.get(i).values()[metric];
                double error = format.resolution(metric).error(value);
                boolean same =
                        Double.isNaN(value)
                                ? Double.isNaN(found)
                                : Math.abs(found - value) <= error;
                if (!same) {
                    assertThat(found).as("seed %d", seed).isCloseTo(value, within(error));
                }
            }
        }
    }

    @Test
    void formatsHaveBounds() {
        Duration hour = Duration.ofHours(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RingFormat(List.of(), hour, LIMIT));
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new RingFormat(Arrays.asList(HistoryMetric.values()), hour, LIMIT));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RingFormat(METRICS, Duration.ZERO, LIMIT));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RingFormat(METRICS, Duration.ofHours(18), LIMIT));
        assertThatIllegalArgumentException().isThrownBy(() -> new RingFormat(METRICS, hour, 255));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RingFormat(METRICS, hour, 32_769));
    }

    private void add(long second, double[] values) {
        ring.add((START + second) * 1000, values);
    }

    private static double[] all(double value) {
        double[] values = new double[METRICS.size()];
        Arrays.fill(values, value);
        for (int i = 0; i < values.length; i++) {
            if (METRICS.get(i).unit().equals("KiB")) {
                values[i] = value * 1024;
            }
        }
        return values;
    }

    private static double[] noise(Random random) {
        return random.doubles(METRICS.size(), 0, 25).map(Math::exp).toArray();
    }

    private static List<Sample> read(SampleRing ring) {
        List<Sample> samples = new ArrayList<>();
        ring.samples().each((time, values) -> samples.add(new Sample(time, values.clone())));
        return samples;
    }
}
