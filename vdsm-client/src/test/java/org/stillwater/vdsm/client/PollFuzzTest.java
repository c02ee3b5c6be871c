package org.stillwater.vdsm.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Mutated reports of VMs whose patterns are known: reading by patterns accepts and refuses what the
 * decoder does, with the same result. {@link PollReaderTest} mutates polls in a row, of which most
 * meet no pattern, because each one that differs costs the pattern; here each one meets it.
 *
 * <p>Each report has a number, and its mutation depends on that number and the seed only.
 * Properties choose another run: {@code stillwater.fuzz.reports} (how many, in the full tier),
 * {@code stillwater.fuzz.seed}, and {@code stillwater.fuzz.first} (to begin with the report of a
 * failure).
 */
class PollFuzzTest {

    private static final long REPORTS_OF_ORDINARY_RUN = 6_000;
    private static final long REPORTS_OF_FULL_RUN = 300_000;
    private static final long REPORTS_BETWEEN_LINES = 500_000;

    /** Variants of each message, with other numbers. */
    private static final int VARIANTS = 32;

    private final PollEngine predicting = PollEngine.predicting();
    private final PollEngine decoding = PollEngine.decoding();
    private final Base three = base(VmDecoderTest.manyVms(3));
    private final Base one = base(VmDecoderTest.manyVms(1));
    private final Base small = base(small());

    private long predicted;
    private long decoded;
    private long refused;

    /** A poll in several variants, and the state of both engines after it. */
    private record Base(
            List<byte[]> variants, PollEngine.Snapshot patterns, PollEngine.Snapshot known) {}

    @Test
    void mutatedReportsThatMeetAPatternAreReadAlike() {
        fuzz(1, 0, REPORTS_OF_ORDINARY_RUN);
    }

    @Test
    @Tag("full")
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void manyMutatedReportsThatMeetAPatternAreReadAlike() {
        fuzz(
                Long.getLong("stillwater.fuzz.seed", 20_261_128),
                Long.getLong("stillwater.fuzz.first", 0),
                Long.getLong("stillwater.fuzz.reports", REPORTS_OF_FULL_RUN));
    }

    private void fuzz(long seed, long first, long reports) {
        for (long number = first; number < first + reports; number++) {
            mutate(seed, number);
            if ((number - first + 1) % REPORTS_BETWEEN_LINES == 0) {
                print(seed, number - first + 1);
            }
        }
        print(seed, reports);
        if (reports >= REPORTS_OF_ORDINARY_RUN) {
            assertThat(predicted).as("read by their pattern").isGreaterThan(reports / 10);
            assertThat(decoded).as("read by the decoder").isGreaterThan(reports / 10);
            assertThat(refused).as("refused").isGreaterThan(reports / 10);
        }
    }

    private void print(long seed, long reports) {
        System.out.printf(
                "%d mutated reports, seed %d: %d read by their pattern, %d by the decoder, %d"
                        + " refused; no difference%n",
                reports, seed, predicted, decoded, refused);
    }

    private void mutate(long seed, long number) {
        SplittableRandom random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + number);
        // Decoding takes most of the time, so long messages are rare.
        Base base =
                switch (random.nextInt(20)) {
                    case 0 -> three;
                    case 1, 2, 3, 4, 5, 6 -> one;
                    default -> small;
                };
        predicting.restore(base.patterns(), true);
        decoding.restore(base.known(), false);
        byte[] usual = base.variants().get(random.nextInt(VARIANTS));
        byte[] mutated =
                random.nextInt(3) == 0
                        ? Mutations.of(usual, random)
                        : Mutations.ofNumber(usual, random);
        both(mutated, seed, number);
        if (predicting.refused()) {
            refused++;
        } else if (predicting.decoded() == 0) {
            predicted++;
        } else {
            decoded++;
        }
        if (random.nextInt(8) == 0) {
            // The mutation leaves nothing that changes the reading of the next poll.
            both(base.variants().get(random.nextInt(VARIANTS)), seed, number);
        }
    }

    private void both(byte[] message, long seed, long number) {
        List<Object> expected = decoding.read(message);
        List<Object> found = predicting.read(message);
        if (!found.equals(expected)) {
            assertThat(found)
                    .as("seed %d, report %d: %s", seed, number, new String(message, UTF_8))
                    .isEqualTo(expected);
        }
    }

    private Base base(String message) {
        SplittableRandom random = new SplittableRandom(message.length());
        List<byte[]> variants = new ArrayList<>();
        for (int i = 0; i < VARIANTS; i++) {
            variants.add(Mutations.moved(message, random, false).getBytes(UTF_8));
        }
        for (int round = 0; round < 3; round++) {
            both(variants.get(round), 0, 0);
        }
        assertThat(predicting.decoded()).isZero();
        return new Base(List.copyOf(variants), predicting.snapshot(), decoding.known());
    }

    /** VMs with few members, in which numbers stand close together. */
    private static String small() {
        List<String> records = new ArrayList<>();
        for (int vm = 0; vm < 2; vm++) {
            records.add(
                    """
                    {"statusTime": "5", "status": "Up", "vmId": \
                    "00000000-0000-0000-0000-00000000000%d", "cpuUser": 1.5, "cpuSys": "0.25", \
                    "elapsedTime": "70", "memUsage": 12, "unknown": [1, {"deep": 2.5}], \
                    "memoryStats": {"mem_free": "4096", "mem_unused": 7}, "network": {"vnet%d": \
                    {"macAddr": "56:6f:1a:2b:00:0%d", "rx": "5", "tx": 6, "sampleTime": \
                    4711.25}}, "disks": {"vda": {"readRate": "1.25", "readOps": 3, \
                    "truesize": "1073741824", "readLatency": "250"}}}\
                    """
                            .formatted(vm, vm, vm));
        }
        return "{\"jsonrpc\": \"2.0\", \"id\": \"x\", \"result\": ["
                + String.join(", ", records)
                + "]}";
    }
}
