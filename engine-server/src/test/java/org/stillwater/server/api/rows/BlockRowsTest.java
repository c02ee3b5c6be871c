package org.stillwater.server.api.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.server.api.rows.BlockRows.RowEncoder;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.io.SerializedString;
import tools.jackson.databind.json.JsonMapper;

@Timeout(60)
class BlockRowsTest {

    private static final SerializedString NUMBER = new SerializedString("n");
    private static final SerializedString TEXT = new SerializedString("text");
    private static final int LONG_LIST = 1_000;

    private record Row(int number) implements AgedRow {
        @Override
        public ValueAge age(Column.Origin origin) {
            return ValueAge.CURRENT;
        }
    }

    private static void encode(Row row, JsonSink to) {
        to.row(
                row,
                List.of(),
                more -> {
                    more.name(NUMBER);
                    more.whole(row.number());
                    more.name(TEXT);
                    more.text("row \"" + row.number() + "\"");
                });
    }

    private static List<Row> rows(int count) {
        return IntStream.range(0, count).mapToObj(Row::new).toList();
    }

    private static void write(int count, RowEncoder<Row> encoder, OutputStream out) {
        try (JsonGenerator json = JsonMapper.shared().createGenerator(out)) {
            JsonListWriter.page(
                    json, false, new BlockRows<>(rows(count), () -> encoder), count, null, 7);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 511, 512, 513, 575, 576, 577, 5_000})
    void theRowsAreThoseOfOneThread(int count) {
        ByteArrayOutputStream alone = new ByteArrayOutputStream();
        try (JsonGenerator json = JsonMapper.shared().createGenerator(alone)) {
            JsonListWriter.page(
                    json, false, to -> rows(count).forEach(row -> encode(row, to)), count, null, 7);
        }
        for (int round = 0; round < 20; round++) {
            ByteArrayOutputStream helped = new ByteArrayOutputStream();
            write(count, BlockRowsTest::encode, helped);
            assertThat(helped.toByteArray()).isEqualTo(alone.toByteArray());
        }
    }

    @Test
    void twoThreadsEncodeALongList() {
        assertHelp();
    }

    private static void assertHelp() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1);
        assertThat(threadsOfAListThatNeedsTwo()).hasSize(2);
    }

    /** The first row of the list is not done before another thread has a row. */
    private static Set<Thread> threadsOfAListThatNeedsTwo() {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        CountDownLatch two = new CountDownLatch(2);
        write(
                LONG_LIST,
                (row, to) -> {
                    if (threads.add(Thread.currentThread())) {
                        two.countDown();
                        await(two);
                    }
                    encode(row, to);
                },
                OutputStream.nullOutputStream());
        return threads;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64, 999})
    void aRowThatFailsEndsTheListAndKeepsNoHelper(int bad) {
        for (int attempt = 0; attempt < 10; attempt++) {
            assertThatThrownBy(() ->
                            write(
                                    LONG_LIST,
                                    (row, to) -> {
                                        if (row.number() == bad) {
                                            throw new IllegalArgumentException("bad row");
                                        }
                                        encode(row, to);
                                    },
                                    OutputStream.nullOutputStream()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("bad row");
        }
        assertHelp();
    }

    @Test
    void aReaderThatWentAwayEndsTheListAndKeepsNoHelper() {
        for (int attempt = 0; attempt < 10; attempt++) {
            assertThatThrownBy(() -> write(LONG_LIST, BlockRowsTest::encode, new Gone()))
                    .isInstanceOf(JacksonException.class);
        }
        assertHelp();
    }

    private static final class Gone extends OutputStream {
        @Override
        public void write(int one) throws IOException {
            throw new IOException("gone");
        }

        @Override
        public void write(byte[] some, int from, int length) throws IOException {
            throw new IOException("gone");
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
