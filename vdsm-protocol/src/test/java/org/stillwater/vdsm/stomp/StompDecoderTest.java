package org.stillwater.vdsm.stomp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.vdsm.stomp.MalformedFrame.Reason;

class StompDecoderTest {
    private final SegmentPool pool = new SegmentPool(SegmentPool.DEFAULT_SEGMENT_BYTES, 1 << 20);
    private final StompDecoder decoder = new StompDecoder(StompLimits.DEFAULT, pool);

    private static final String SESSION =
            "CONNECTED\nversion:1.2\nheart-beat:15000,0\n\n\0"
                    + "\n\n\r\n"
                    + "MESSAGE\ndestination:jms.queue.events\ncontent-length:7\n\na\0b\nc\u00e4\0"
                    + "ERROR\n\nVersion unsupported\0"
                    + "RECEIPT\r\nreceipt-id:a\\cb\\\\c\\nd\\re\r\n\r\n\0\n";

    @Test
    @DisplayName("8a.13 Parses frames split at every byte position")
    void framesMayBeSplitAtEveryByte() throws IOException {
        byte[] bytes = SESSION.getBytes(UTF_8);
        List<String> whole = decodeAll(decoder, bytes);
        assertThat(whole)
                .containsExactly(
                        "CONNECTED {version:1.2, heart-beat:15000,0} ",
                        "MESSAGE {destination:jms.queue.events, content-length:7} a\0b\nc\u00e4",
                        "ERROR {} Version unsupported",
                        "RECEIPT {receipt-id:a:b\\c\nd\re} ");
        for (int cut = 0; cut <= bytes.length; cut++) {
            try (StompDecoder fresh = new StompDecoder(StompLimits.DEFAULT, pool)) {
                List<String> frames = decodeAll(fresh, Arrays.copyOfRange(bytes, 0, cut));
                frames.addAll(decodeAll(fresh, Arrays.copyOfRange(bytes, cut, bytes.length)));
                assertThat(frames).as("cut at %d", cut).isEqualTo(whole);
            }
        }
        try (StompDecoder byteByByte = new StompDecoder(StompLimits.DEFAULT, pool)) {
            List<String> frames = new ArrayList<>();
            for (byte octet : bytes) {
                frames.addAll(decodeAll(byteByByte, new byte[] {octet}));
            }
            assertThat(frames).isEqualTo(whole);
        }
    }

    @Test
    @DisplayName("8a.14 Parses many frames in one segment without delay for the last one")
    void theLastOfManyFramesIsNotDelayed() throws IOException {
        String one = "MESSAGE\ncontent-length:2\n\nok\0";
        assertThat(decodeAll(decoder, one.repeat(1_000).getBytes(UTF_8))).hasSize(1_000);
        assertThat(decoder.insideFrame()).isFalse();
    }

    @Test
    @DisplayName("8a.15 Body with embedded NUL is read by content-length")
    void aCountedBodyMayHoldNul() throws IOException {
        assertThat(decodeAll(decoder, "SEND\ncontent-length:3\n\n\0x\0\0".getBytes(UTF_8)))
                .containsExactly("SEND {content-length:3} \0x\0");
    }

    @Test
    @DisplayName("8a.16 Body without content-length is read to NUL")
    void anUncountedBodyEndsAtNul() throws IOException {
        assertThat(decodeAll(decoder, "SEND\na:b\n\nhello\nworld\0".getBytes(UTF_8)))
                .containsExactly("SEND {a:b} hello\nworld");
        String large = "x".repeat(300_000);
        assertThat(decodeAll(decoder, ("SEND\n\n" + large + "\0").getBytes(UTF_8)))
                .containsExactly("SEND {} " + large);
        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    @DisplayName("8a.17 Newlines between frames (heart-beats) are skipped, any number")
    void heartBeatsAreSkipped() throws IOException {
        String beats = "\n".repeat(5_000);
        assertThat(decodeAll(decoder, (beats + "RECEIPT\n\n\0" + beats).getBytes(UTF_8)))
                .containsExactly("RECEIPT {} ");
        assertThat(decoder.heartBeats()).isEqualTo(10_000);
    }

    @Test
    @DisplayName(
            "8a.18 Accepts CR LF line ends and any header order; the first of repeated headers"
                    + " wins")
    void theFirstOfRepeatedHeadersWins() throws IOException {
        StompFrame frame =
                decodeOne(
                        "MESSAGE\r\n"
                                + "b:1\r\n"
                                + "content-length:2\r\n"
                                + "a:2\r\n"
                                + "b:3\r\n"
                                + "content-length:9\r\n\r\n"
                                + "ok\0");
        assertThat(frame.header("b")).isEqualTo("1");
        assertThat(frame.header("a")).isEqualTo("2");
        assertThat(frame.body().text()).isEqualTo("ok");
        assertThat(frame.headers().names())
                .containsExactly("b", "content-length", "a", "b", "content-length");
    }

    @Test
    @DisplayName("8a.19 Decodes \\c \\n \\r \\\\ in headers")
    void escapesAreUndoneInNamesAndValues() throws IOException {
        StompFrame frame = decodeOne("MESSAGE\nk\\cey:fe80\\c\\c1\\\\x\\ny\\rz\n\n\0");
        assertThat(frame.header("k:ey")).isEqualTo("fe80::1\\x\ny\rz");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:b\\t", "a:b\\", "a\\x:b"})
    void undefinedEscapesAreRefused(String header) {
        assertReason("MESSAGE\n" + header + "\n\n\0", Reason.BAD_ESCAPE);
    }

    @Test
    void aRawColonInAValueIsASetting() throws IOException {
        assertThat(decodeOne("SEND\nhost:fe80::1\n\n\0").header("host")).isEqualTo("fe80::1");
        StompLimits strict = new StompLimits(1_000, 1_000, false);
        StompDecoder refusing = new StompDecoder(strict, pool);
        assertThatThrownBy(() -> decodeAll(refusing, "SEND\nhost:fe80::1\n\n\0".getBytes(UTF_8)))
                .isInstanceOf(MalformedFrame.class);
    }

    @ParameterizedTest
    @CsvSource({"10, 10", "8191, 8192", "8193, 70000", "65535, 65536", "131073, 200000"})
    @DisplayName("8a.22 A content-length with no NUL where one is due is an error")
    void aWrongContentLengthIsAnError(int declared, int actual) {
        String frame =
                "MESSAGE\ncontent-length:" + declared + "\n\n" + "x".repeat(actual + 1) + "\0";
        assertReason(frame, Reason.MISSING_NUL);
        decoder.close();
        assertThat(pool.lentBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "abc", "", "1.5", "99999999999999999999", " 3"})
    void aContentLengthThatIsNoNumberIsAnError(String value) {
        assertReason("MESSAGE\ncontent-length:" + value + "\n\n\0", Reason.BAD_CONTENT_LENGTH);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 512, 1024, 1025, 4096, 40_000, 65_536})
    @DisplayName(
            "8a.23 A header block of any size up to 64 KB is accepted, a bigger one is refused")
    void headersUpTo64KibAreAccepted(int size) throws IOException {
        String filler = size < 4 ? "" : "h:" + "v".repeat(size - 3) + "\n";
        StompFrame frame = decodeOne("MESSAGE\n" + filler + "\nok\0");
        assertThat(frame.body().text()).isEqualTo("ok");
    }

    @Test
    @DisplayName("8a.23 A header block of more than 64 KB is refused, in one line or many")
    void biggerHeadersAreRefused() {
        assertReason("MESSAGE\nh:" + "v".repeat(65_536) + "\n\n\0", Reason.HEADERS_TOO_LARGE);
        StompDecoder other = new StompDecoder(StompLimits.DEFAULT, pool);
        byte[] many = ("MESSAGE\n" + "ab:cd\n".repeat(10_923) + "\n\0").getBytes(UTF_8);
        assertThat(
                        catchThrowableOfType(MalformedFrame.class, () -> decodeAll(other, many))
                                .reason())
                .isEqualTo(Reason.HEADERS_TOO_LARGE);
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    @DisplayName("8a.21 Handles a 25 MB MESSAGE in linear time, with any slices")
    void aLargeFrameTakesLinearTime() throws IOException {
        byte[] body = new byte[25_000_000];
        new Random(7).nextBytes(body);
        ByteArrayOutputStream out = new ByteArrayOutputStream(body.length + 100);
        StompEncoder.write(
                new StompFrame("MESSAGE", StompHeaders.of("a", "b"), FrameBody.of(body)), out);
        byte[] bytes = out.toByteArray();
        // Quadratic work (a copy of all that came before, per slice) would be 10^12 byte copies.
        ByteBuffer input = ByteBuffer.wrap(bytes);
        StompFrame frame = null;
        for (int at = 0; at < bytes.length; at += 300) {
            input.limit(Math.min(bytes.length, at + 300)).position(at);
            StompFrame next = decoder.decode(input);
            frame = next == null ? frame : next;
        }
        assertThat(frame).isNotNull();
        assertThat(frame.body().length()).isEqualTo(25_000_000);
        try (var stream = frame.body().openStream()) {
            assertThat(Arrays.equals(stream.readAllBytes(), body)).isTrue();
        }
        try (var again = frame.body().openStream()) {
            assertThat(again.readNBytes(100)).isEqualTo(Arrays.copyOf(body, 100));
        }
        assertThat(pool.lentBytes()).isGreaterThanOrEqualTo(25_000_000);
        frame.close();
        frame.close();
        assertThat(pool.lentBytes()).isZero();
        assertThat(pool.idleBytes()).isEqualTo(1 << 20);
    }

    @Test
    @DisplayName("8a.21 A frame beyond the limit is refused before its body is stored")
    void aFrameBeyondTheLimitIsRefused() {
        assertThat(StompLimits.DEFAULT.bodyBytes()).isGreaterThanOrEqualTo(64_000_000);
        assertReason("MESSAGE\ncontent-length:67108865\n\n", Reason.BODY_TOO_LARGE);
        StompDecoder small = new StompDecoder(new StompLimits(100, 1_000, true), pool);
        byte[] open = ("MESSAGE\n\n" + "x".repeat(1_001)).getBytes(UTF_8);
        assertThat(
                        catchThrowableOfType(MalformedFrame.class, () -> decodeAll(small, open))
                                .reason())
                .isEqualTo(Reason.BODY_TOO_LARGE);
    }

    @ParameterizedTest
    @ValueSource(strings = {" \n", "ME SSAGE\n", "\u0001\u0002\u0003\n", "{\"a\": 1}\n"})
    void unknownCommandsAreRefused(String junk) {
        assertReason(junk, Reason.BAD_COMMAND);
    }

    @Test
    void anEndlessCommandLineIsRefused() {
        assertReason("X".repeat(100), Reason.BAD_COMMAND);
    }

    @Test
    void aHeaderWithoutColonIsRefused() {
        assertReason("MESSAGE\nnonsense\n\n\0", Reason.BAD_HEADER);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void randomFramesSurviveEncodingAndAnyCut(long seed) throws IOException {
        Random random = new Random(seed);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        List<StompFrame> sent = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            StompFrame frame = randomFrame(random);
            sent.add(frame);
            out.write("\n".repeat(random.nextInt(3)).getBytes(UTF_8));
            StompEncoder.write(frame, out);
        }
        byte[] bytes = out.toByteArray();
        List<StompFrame> received = new ArrayList<>();
        int at = 0;
        while (at < bytes.length) {
            int part = Math.min(bytes.length - at, 1 + random.nextInt(5_000));
            ByteBuffer input =
                    random.nextBoolean()
                            ? ByteBuffer.allocateDirect(part)
                            : ByteBuffer.allocate(part);
            input.put(bytes, at, part).flip();
            for (StompFrame f = decoder.decode(input); f != null; f = decoder.decode(input)) {
                received.add(f);
            }
            at += part;
        }
        assertThat(received).hasSameSizeAs(sent);
        for (int i = 0; i < sent.size(); i++) {
            assertThat(received.get(i).command()).isEqualTo(sent.get(i).command());
            sent.get(i).headers().forEach(new HeaderCheck(received.get(i))::check);
            assertThat(received.get(i).body().toByteArray())
                    .isEqualTo(sent.get(i).body().toByteArray());
            received.get(i).close();
        }
        assertThat(pool.lentBytes()).isZero();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {21, 22, 23, 24})
    void aReaderMayPutTheOctetsOfLongBodiesWhereTheyBelong(long seed) throws IOException {
        Random random = new Random(seed);
        for (int i = 0; i < 30; i++) {
            byte[] body = new byte[random.nextInt(random.nextInt(8) == 0 ? 3 << 20 : 200_000)];
            random.nextBytes(body);
            ByteArrayOutputStream out = new ByteArrayOutputStream(body.length + 100);
            StompEncoder.write(
                    new StompFrame("MESSAGE", StompHeaders.none(), FrameBody.of(body)), out);
            byte[] bytes = out.toByteArray();
            StompFrame received = null;
            int at = 0;
            while (at < bytes.length) {
                assertThat(received).as("a frame before its last octet").isNull();
                ByteBuffer input =
                        ByteBuffer.wrap(
                                bytes,
                                at,
                                Math.min(bytes.length - at, 1 + random.nextInt(100_000)));
                at = input.limit();
                ByteBuffer room = decoder.room();
                int placed = Math.min(room.remaining(), input.remaining());
                if (random.nextInt(4) > 0) {
                    room.put(input.slice().limit(placed));
                    input.position(input.position() + placed);
                    decoder.filled(placed);
                }
                received = decoder.decode(input);
                assertThat(input.hasRemaining()).isFalse();
            }
            assertThat(received).isNotNull();
            assertThat(Arrays.equals(received.body().toByteArray(), body)).isTrue();
            received.close();
        }
        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    void aBodyOccupiesItsArrivedBytes() throws IOException {
        int announced = 1 << 20;
        byte[] head = ("MESSAGE\ncontent-length:" + announced + "\n\n").getBytes(UTF_8);
        int segment = pool.segmentBytes();
        assertThat(decoder.decode(ByteBuffer.wrap(head))).isNull();
        assertThat(pool.lentBytes()).isEqualTo(segment);
        decoder.decode(ByteBuffer.wrap(new byte[3 * segment]));
        assertThat(pool.lentBytes()).isEqualTo(4L * segment);
        decoder.decode(ByteBuffer.wrap(new byte[announced - 3 * segment]));
        decoder.decode(ByteBuffer.wrap(new byte[1])).close();

        decoder.decode(ByteBuffer.wrap(head));
        assertThat(decoder.room().remaining())
                .as("a peer that has sent so much before")
                .isEqualTo(announced);
        decoder.close();
        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    void returnedArraysAreLentAgain() {
        byte[] large = pool.acquire(6 * pool.segmentBytes() - 1);
        byte[] small = pool.acquire();
        assertThat(large).hasSize(6 * pool.segmentBytes());
        pool.release(large);
        pool.release(small);
        assertThat(pool.acquire()).as("not the large one").isSameAs(small);
        assertThat(pool.acquire(5 * pool.segmentBytes())).isSameAs(large);
        assertThat(pool.idleBytes()).isZero();
    }

    @Test
    void thePoolForgetsTheLeastRecentlyUsedArray() {
        byte[] oldest = pool.acquire();
        byte[] newer = pool.acquire();
        byte[] large = pool.acquire((1 << 20) - pool.segmentBytes());
        pool.release(oldest);
        pool.release(newer);
        pool.release(large);
        assertThat(pool.idleBytes()).isEqualTo(1 << 20);
        assertThat(pool.acquire()).isSameAs(newer);
        assertThat(pool.acquire()).isNotSameAs(oldest);
        pool.release(new byte[2 << 20]);
        assertThat(pool.idleBytes()).as("more than is kept").isEqualTo(large.length);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12, 13, 14})
    void damagedBytesNeverDoMoreThanFail(long seed) throws IOException {
        Random random = new Random(seed);
        for (int round = 0; round < 500; round++) {
            byte[] bytes = SESSION.getBytes(UTF_8);
            for (int i = 0; i <= random.nextInt(4); i++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            try (StompDecoder fresh = new StompDecoder(StompLimits.DEFAULT, pool)) {
                decodeAll(fresh, bytes);
            } catch (MalformedFrame expected) {
                assertThat(expected.reason()).isNotNull();
            }
        }
        assertThat(pool.lentBytes()).isZero();
    }

    private record HeaderCheck(StompFrame received) {
        void check(String name, String value) {
            assertThat(received.headers().names()).contains(name);
            if (received.headers().names().stream().filter(name::equals).count() == 1) {
                assertThat(received.header(name)).isEqualTo(value);
            }
        }
    }

    private static StompFrame randomFrame(Random random) {
        StompHeaders headers = StompHeaders.none();
        for (int i = random.nextInt(6); i > 0; i--) {
            headers = headers.with("k" + randomText(random, 5), randomText(random, 40));
        }
        byte[] body =
                new byte[random.nextInt(10) == 0 ? random.nextInt(200_000) : random.nextInt(300)];
        random.nextBytes(body);
        return new StompFrame(
                random.nextBoolean() ? "MESSAGE" : "SEND", headers, FrameBody.of(body));
    }

    private static String randomText(Random random, int longest) {
        String alphabet = "ab:\\\n\r\u00e4\u20ac z0";
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(longest); i > 0; i--) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private void assertReason(String bytes, Reason reason) {
        MalformedFrame malformed =
                catchThrowableOfType(
                        MalformedFrame.class, () -> decodeAll(decoder, bytes.getBytes(UTF_8)));
        assertThat(malformed).isNotNull();
        assertThat(malformed.reason()).isEqualTo(reason);
    }

    private StompFrame decodeOne(String text) throws IOException {
        ByteBuffer input = ByteBuffer.wrap(text.getBytes(UTF_8));
        StompFrame frame = decoder.decode(input);
        assertThat(frame).isNotNull();
        assertThat(input.hasRemaining()).isFalse();
        return frame;
    }

    private static List<String> decodeAll(StompDecoder decoder, byte[] bytes) throws IOException {
        ByteBuffer input = ByteBuffer.wrap(bytes);
        List<String> frames = new ArrayList<>();
        for (StompFrame f = decoder.decode(input); f != null; f = decoder.decode(input)) {
            frames.add(f.command() + " " + f.headers() + " " + f.body().text());
            f.close();
        }
        return frames;
    }
}
