package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.feed.Delta;

class EncodedFrameCacheTest {

    private static final ClusterId CLUSTER = new ClusterId(new UUID(2, 2));
    private static final long FIRST = 1_700_000_000_000_000L;

    private final AtomicLong encodings = new AtomicLong();
    private final EncodedFrameCache cache = new EncodedFrameCache(encodings);

    /** A reader: the frames sent to it, and their number. */
    private final class Reader {

        private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
        private final ByteArrayOutputStream memory = new ByteArrayOutputStream();
        private int sends;
        private int length = 300;

        void take(long from, long to) throws IOException {
            cache.tell(
                    deltas(from, to),
                    this::encoded,
                    (bytes, ends, begin, first, last) -> {
                        sends++;
                        taken.write(bytes, begin, ends[last - 1] - begin);
                    });
        }

        private ByteArrayOutputStream encoded(Delta delta) {
            memory.reset();
            memory.writeBytes(message(delta.revision(), length));
            return memory;
        }

        String text() {
            return taken.toString(StandardCharsets.US_ASCII);
        }
    }

    private static byte[] message(long number, int length) {
        return ("[" + number + ".".repeat(Math.max(0, length - 20)) + "]")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static List<Delta> deltas(long from, long to) {
        return LongStream.rangeClosed(FIRST + from, FIRST + to)
                .<Delta>mapToObj(revision ->
                        new Delta.VmRemoved(revision, 0, new VmId(1, revision), CLUSTER, null))
                .toList();
    }

    private static String expected(long from, long to, int length) {
        StringBuilder all = new StringBuilder();
        for (long i = from; i <= to; i++) {
            all.append(new String(message(FIRST + i, length), StandardCharsets.US_ASCII));
        }
        return all.toString();
    }

    @Test
    void fiveHundredReadersOfAThousandChangesCostAThousandEncodingsAndOneSendForAllOfABatch()
            throws IOException {
        List<Reader> readers = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            readers.add(new Reader());
        }
        for (int batch = 0; batch < 50; batch++) {
            for (Reader reader : readers) {
                reader.take(20L * batch, 20L * batch + 19);
            }
        }
        assertThat(encodings).as("encodings, not 500 000").hasValue(1_000);
        String all = expected(0, 999, 300);
        int segments = all.length() / (64 * 1024) + 1;
        for (Reader reader : readers) {
            assertThat(reader.sends)
                    .as("sends, one more where a segment ends within a batch")
                    .isLessThanOrEqualTo(50 + segments);
            assertThat(reader.text()).isEqualTo(all);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void readersOfAnySpeedGetTheSameFrames(int seed) throws IOException {
        Random random = new Random(seed);
        Reader[] readers = new Reader[7];
        long[] at = new long[readers.length];
        for (int i = 0; i < readers.length; i++) {
            readers[i] = new Reader();
        }
        long published = 0;
        while (published < 6_000) {
            published += random.nextInt(200);
            int i = random.nextInt(readers.length);
            // The last one is slow: its missed frames are rarely kept.
            if (i == readers.length - 1 && random.nextInt(8) > 0) {
                continue;
            }
            long to = Math.min(published, at[i] + 1 + random.nextInt(512));
            if (to > at[i]) {
                readers[i].take(at[i] + 1, to);
                at[i] = to;
            }
        }
        for (int i = 0; i < readers.length; i++) {
            assertThat(readers[i].text()).isEqualTo(expected(1, at[i], 300));
        }
    }

    @Test
    void memoryIsBoundedAndALateReaderIsServedAlone() throws IOException {
        Reader fast = new Reader();
        fast.length = 1_000;
        for (int batch = 0; batch < 100; batch++) {
            fast.take(500L * batch, 500L * batch + 499);
        }
        assertThat(cache.bytes()).as("of 50 MB").isLessThanOrEqualTo(16 * 64 * 1024);
        Reader late = new Reader();
        late.length = 1_000;
        late.take(3, 90);
        assertThat(late.text()).isEqualTo(expected(3, 90, 1_000));
        assertThat(encodings).hasValue(50_000 + 88);
        late.take(49_990, 49_999);
        assertThat(encodings).as("these are still here").hasValue(50_000 + 88);
    }

    @Test
    void largeAndUnsentMessagesAreNoTrouble() throws IOException {
        Reader reader = new Reader();
        reader.length = 200_000;
        reader.take(1, 3);
        assertThat(reader.text()).isEqualTo(expected(1, 3, 200_000));
        int[] sends = {0};
        cache.tell(deltas(4, 9), _ -> new ByteArrayOutputStream(), (_, _, _, _, _) -> sends[0]++);
        assertThat(sends[0]).as("nothing is told, nothing is sent").isZero();
    }

    @Test
    void aReaderAheadLeavesAGapThatOthersEncodeAlone() throws IOException {
        Reader behind = new Reader();
        Reader ahead = new Reader();
        behind.take(1, 10);
        ahead.take(21, 30);
        behind.take(11, 30);
        assertThat(behind.text()).isEqualTo(expected(1, 30, 300));
        assertThat(ahead.text()).isEqualTo(expected(21, 30, 300));
        assertThat(encodings).hasValue(30);
    }

    @Test
    void concurrentReadersGetTheSameFrames() throws InterruptedException {
        List<Reader> readers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Reader reader = new Reader();
            int size = 1 + 3 * i;
            readers.add(reader);
            threads.add(
                    Thread.ofVirtual()
                            .start(() -> {
                                for (int from = 1; from <= 2_000; from += size) {
                                    try {
                                        reader.take(from, Math.min(2_000, from + size - 1));
                                    } catch (IOException e) {
                                        throw new IllegalStateException(e);
                                    }
                                }
                            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        String all = expected(1, 2_000, 300);
        for (Reader reader : readers) {
            assertThat(reader.text()).isEqualTo(all);
        }
        assertThat(encodings).hasValue(2_000);
    }

    @Test
    void changesThatAreNotInOrderAreRefused() {
        List<Delta> torn = List.of(deltas(1, 1).getFirst(), deltas(3, 3).getFirst());
        assertThatThrownBy(() ->
                        cache.tell(torn, _ -> new ByteArrayOutputStream(), (_, _, _, _, _) -> {}))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
