package org.stillwater.benchmarks.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamScanTest {

    private static final String EVENTS =
            """
            retry: 2000

            event: snapshot
            data: {"vms":[{"id":"a"}]}

            event: snapshot-end
            id: x-7
            data: {"revision":7}

            event: delta
            id: x-8
            data: {"revision":8,"observedNanos":1234567890123,"vm":{"status":"paused"}}

            event: delta
            id: x-9
            data: {"revision":9,"observedNanos":42}

            """;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 64, 10_000})
    void findsTheEndOfTheSnapshotAndTheTimesOfChangesHoweverTheBytesAreCut(int size) {
        List<Long> found = new ArrayList<>();
        StreamScan scan =
                new StreamScan(true) {
                    @Override
                    public void snapshotEnded() {
                        found.add(-1L);
                    }

                    @Override
                    public void changed(long observedNanos) {
                        found.add(observedNanos);
                    }
                };
        byte[] all = EVENTS.getBytes(StandardCharsets.UTF_8);
        byte[] piece = new byte[size];
        for (int from = 0; from < all.length; from += size) {
            int length = Math.min(size, all.length - from);
            System.arraycopy(all, from, piece, 0, length);
            scan.bytes(piece, 0, length);
        }
        assertThat(found).containsExactly(-1L, 1_234_567_890_123L, 42L);
        assertThat(scan.events()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 15, 16, 17, 1_000})
    void endsOfLinesAreCountedWhereverTheyAreAndNothingElse(int length) {
        Random random = new Random(length);
        for (int round = 0; round < 100; round++) {
            byte[] bytes = new byte[length + 2];
            random.nextBytes(bytes);
            for (int i = 0; i < length / 3; i++) {
                bytes[random.nextInt(length)] = '\n';
            }
            int count = 0;
            for (int i = 1; i < length + 1; i++) {
                count += bytes[i] == '\n' ? 1 : 0;
            }
            assertThat(StreamScan.lines(bytes, 1, length + 1)).isEqualTo(count);
        }
    }
}
