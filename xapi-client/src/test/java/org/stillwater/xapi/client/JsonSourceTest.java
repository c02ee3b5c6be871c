package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The readers of bytes give the results of Jackson and Aalto. */
class JsonSourceTest {

    static final Path SAMPLES = Path.of("../fake-xapi/src/test/resources/xapi");
    private static final List<String> BATCHES =
            List.of(
                    "event-from-full.jsonrpc2.json",
                    "event-from-full.jsonrpc1.json",
                    "event-from-full.jsonrpc1-old.json",
                    "event-from-full.json-in-xml.xml",
                    "event-mod-vm.jsonrpc2.json",
                    "event-mod-vm.json-in-xml.xml",
                    "event-mod-26.17.jsonrpc2.json",
                    "event-del.json-in-xml.xml",
                    "event-timeout.json-in-xml.xml");

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 6);
    }

    private static byte[] sample(String name) throws IOException {
        return Files.readAllBytes(SAMPLES.resolve("messages").resolve(name));
    }

    private static XapiEncoding encoding(String name) {
        return name.endsWith("xml") ? XapiEncoding.JSON_IN_XML : XapiEncoding.JSON_RPC;
    }

    /** Bytes as a network brings them. */
    static InputStream inPieces(byte[] bytes, SplittableRandom random, int most) {
        return new ByteArrayInputStream(bytes) {
            @Override
            public int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, random.nextInt(1, most + 1)));
            }
        };
    }

    private static JsonSource json(String text) {
        return JsonSource.of(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("X9, X12 golden messages decode as by Jackson, in pieces of any size")
    void goldenMessages(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        for (String name : BATCHES) {
            byte[] bytes = sample(name);
            EventBatch old =
                    OldReading.read(
                            encoding(name), new ByteArrayInputStream(bytes), Decoder::batch);
            for (int most : List.of(1 + random.nextInt(40), 3_000, bytes.length)) {
                EventBatch read =
                        Replies.read(encoding(name), inPieces(bytes, random, most), Decoder::batch);
                assertThat(read)
                        .as("%s, seed %d, pieces up to %d", name, seed, most)
                        .isEqualTo(old);
            }
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName(
            "X11, X62 what Jackson reads of a damaged reply is read alike; the rest is refused")
    void damagedMessages(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        int both = 0;
        for (int i = 0; i < 400; i++) {
            String name = BATCHES.get(random.nextInt(4, BATCHES.size()));
            byte[] bytes = damaged(sample(name), random);
            EventBatch old = null;
            try {
                old =
                        OldReading.read(
                                encoding(name), new ByteArrayInputStream(bytes), Decoder::batch);
            } catch (XapiException _) {
                // Refused.
            } catch (ArithmeticException _) {
                // A count that is no int.
            }
            try {
                EventBatch read =
                        Replies.read(
                                encoding(name), inPieces(bytes, random, 5_000), Decoder::batch);
                if (old != null) {
                    assertThat(read).as("%s, seed %d, %d", name, seed, i).isEqualTo(old);
                    both++;
                }
            } catch (XapiException e) {
                if (old != null) {
                    throw new AssertionError(
                            "%s, seed %d, %d: %s"
                                    .formatted(
                                            name,
                                            seed,
                                            i,
                                            new String(bytes, StandardCharsets.UTF_8)),
                            e);
                }
            } catch (ArithmeticException _) {
                assertThat(old).isNull();
            }
        }
        assertThat(both).isGreaterThan(50);
    }

    /** One to three bytes are another, missing or doubled; or the end is missing. */
    static byte[] damaged(byte[] whole, SplittableRandom random) {
        byte[] bytes = whole;
        for (int i = random.nextInt(1, 4); i > 0; i--) {
            int at = random.nextInt(bytes.length);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.write(bytes, 0, at);
            switch (random.nextInt(5)) {
                case 0 -> out.write(random.nextInt(256));
                case 1 -> out.write("{}[],:\"\\&<>; nN0-.".charAt(random.nextInt(18)));
                case 2 -> out.writeBytes(new byte[] {bytes[at], bytes[at]});
                case 3 -> {
                    // Missing.
                }
                default -> out.write(bytes[at] ^ 0x20);
            }
            out.write(bytes, at + 1, bytes.length - at - 1);
            bytes = out.toByteArray();
        }
        return random.nextInt(20) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    }

    @Test
    @DisplayName("X1, X9 golden values of both notations are read as by Jackson")
    void goldenValues() throws IOException {
        int compared = 0;
        for (String line : Files.readAllLines(SAMPLES.resolve("golden-vectors.tsv"))) {
            String[] columns = line.split("\t", -1);
            if (!columns[1].equals("value") || !columns[2].startsWith("json")) {
                continue;
            }
            byte[] value = bytes(columns[4]);
            if (value.length == 0) {
                continue;
            }
            List<Decoder.Result<?>> kinds =
                    List.of(
                            Source::text,
                            Source::number,
                            Source::real,
                            Source::flag,
                            Decoder::strings,
                            in -> {
                                in.skip();
                                return "";
                            });
            for (int i = 0; i < kinds.size(); i++) {
                Object old = attempt(kinds.get(i), jackson(value));
                if (old != null) {
                    assertThat(attempt(kinds.get(i), JsonSource.of(value, 0, value.length)))
                            .as("%s as kind %d", line, i)
                            .isEqualTo(old);
                    compared++;
                }
            }
        }
        assertThat(compared).isGreaterThan(150);
    }

    private static Source jackson(byte[] value) {
        return JacksonSource.of(
                new OldNotation(
                        new java.io.InputStreamReader(
                                new ByteArrayInputStream(value),
                                StandardCharsets.UTF_8.newDecoder())));
    }

    private static Object attempt(Decoder.Result<?> result, Source in) throws IOException {
        try {
            return result.read(in);
        } catch (XapiException.Protocol _) {
            return null;
        }
    }

    /** Bytes of a golden vector. */
    static byte[] bytes(String written) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < written.length(); i++) {
            char c = written.charAt(i);
            if (c != '\\') {
                out.write(c);
                continue;
            }
            char kind = written.charAt(++i);
            switch (kind) {
                case 't' -> out.write('\t');
                case 'n' -> out.write('\n');
                case 'r' -> out.write('\r');
                case 'x' -> {
                    out.write(Integer.parseInt(written.substring(i + 1, i + 3), 16));
                    i += 2;
                }
                default -> out.write(kind);
            }
        }
        return out.toByteArray();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("X1 texts of any characters and lengths are read, and found again behind others")
    void texts(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        List<String> texts = new ArrayList<>();
        StringBuilder written = new StringBuilder("[");
        for (int i = 0; i < 400; i++) {
            String text = text(random, random.nextInt(i % 50 == 0 ? 70_000 : 45));
            texts.add(text);
            written.append(i == 0 ? "" : ",").append(quoted(text, random));
        }
        written.append("]");
        byte[] bytes = written.toString().getBytes(StandardCharsets.UTF_8);
        assertThat(Decoder.strings(JsonSource.of(inPieces(bytes, random, 10_000))))
                .isEqualTo(texts);
        JsonSource passing = JsonSource.of(inPieces(bytes, random, 10_000));
        passing.beginArray();
        for (int i = 0; i < texts.size(); i++) {
            assertThat(passing.nextElement()).isTrue();
            if (i % 3 == 0) {
                assertThat(passing.text()).isEqualTo(texts.get(i));
            } else {
                passing.skip();
            }
        }
        assertThat(passing.nextElement()).isFalse();
    }

    private static String text(SplittableRandom random, int length) {
        StringBuilder text = new StringBuilder();
        boolean plain = random.nextBoolean();
        while (text.length() < length) {
            if (plain || random.nextInt(10) > 0) {
                text.append((char) random.nextInt(' ', 0x7f));
            } else {
                text.appendCodePoint("\u00e4\u20ac\t\n\u0001\u2028".charAt(random.nextInt(6)));
                text.append("\ud83d\ude00");
            }
        }
        return text.toString();
    }

    private static String quoted(String text, SplittableRandom random) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append(random.nextBoolean() ? "\\n" : "\n");
                case '/' -> out.append(random.nextBoolean() ? "\\/" : "/");
                default ->
                        out.append(
                                c > 0x7f && random.nextBoolean() && !Character.isSurrogate(c)
                                        ? String.format(Locale.ROOT, "\\u%04x", (int) c)
                                        : String.valueOf(c));
            }
        }
        return out.append('"').toString();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("X6, X49 decimal numbers are the nearest doubles")
    void reals(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 5_000; i++) {
            double value =
                    switch (random.nextInt(4)) {
                        case 0 -> random.nextDouble();
                        case 1 -> random.nextDouble() * 1e9;
                        case 2 -> random.nextInt(100_000);
                        default -> Double.longBitsToDouble(random.nextLong());
                    };
            String written =
                    switch (random.nextInt(3)) {
                        case 0 -> String.format(Locale.ROOT, "%.15g", value);
                        case 1 -> Double.toString(value);
                        default -> String.format(Locale.ROOT, "%.6f", value % 1e12);
                    };
            Double expected = Source.parseReal(written);
            assertThat(json(written).real()).as(written).isEqualTo(expected);
            assertThat(json('"' + written + '"').real()).as(written).isEqualTo(expected);
        }
        for (String odd :
                List.of("-0.0", "0.0", "-0", "5.", "123456789012345", "1234567890123456")) {
            assertThat(json('"' + odd + '"').real()).isEqualTo(Double.parseDouble(odd));
        }
    }

    @Test
    @DisplayName("X7 ints up to 64 bits; larger ones and others are none")
    void ints() throws IOException {
        for (String each :
                List.of("0", "-1", "999999999999999999", "9223372036854775807", "\"12\"")) {
            assertThat(json(each).number()).isEqualTo(Long.parseLong(each.replace("\"", "")));
        }
        for (String each : List.of("9223372036854775808", "1.0", "1e3", "true", "\"\"", "-", "")) {
            assertThatThrownBy(() -> json(each).number())
                    .as(each)
                    .isInstanceOf(XapiException.Protocol.class);
        }
    }

    @Test
    @DisplayName("X11, X62 malformed JSON is refused where it is read")
    void refused() {
        for (String each :
                List.of(
                        "{\"a\":1,}",
                        "{\"a\" 1}",
                        "{\"a\":1 \"b\":2}",
                        "{,}",
                        "{\"a\":\"\\x\"}",
                        "{\"a\":\"\\u12g4\"}",
                        "{\"a\":\"\\u12",
                        "{\"a\":\"open",
                        "{\"a\":tru}",
                        "{\"a\":[1}",
                        "[]",
                        "nothing",
                        "")) {
            assertThatThrownBy(
                            () -> {
                                JsonSource json = json(each);
                                json.beginObject();
                                for (String name = json.nextName();
                                        name != null;
                                        name = json.nextName()) {
                                    if (each.contains("[1")) {
                                        json.skip();
                                    } else {
                                        String _ = json.text();
                                    }
                                }
                            })
                    .as(each)
                    .isInstanceOf(XapiException.Protocol.class);
        }
        byte[] noUtf8 = {'"', 'a', (byte) 0xff, '"'};
        assertThatThrownBy(() -> JsonSource.of(noUtf8, 0, 4).text())
                .isInstanceOf(XapiException.Protocol.class);
        assertThatThrownBy(() -> json("[".repeat(100)).skip())
                .isInstanceOf(XapiException.Protocol.class)
                .hasMessageContaining("deep");
    }

    @Test
    @DisplayName("X8 fields are found by the bytes of their names, others are not")
    void fields() throws IOException {
        for (XapiClass type : XapiClass.all()) {
            StringBuilder record = new StringBuilder("{");
            for (String each : type.fields()) {
                record.append("\"%s\":0,\"%sx\":0,\"x%s\":0,".formatted(each, each, each));
            }
            record.append("\"no such field\":0,\"%s\":0}".formatted("x".repeat(50)));
            JsonSource json = json(record.toString());
            json.beginObject();
            List<Integer> places = new ArrayList<>();
            for (int place = json.nextField(type);
                    place != Source.END;
                    place = json.nextField(type)) {
                json.skip();
                if (place != Source.UNKNOWN) {
                    places.add(place);
                }
            }
            assertThat(places).hasSize(type.fields().size()).isSorted().doesNotHaveDuplicates();
        }
        JsonSource escaped = json("{\"na\\u006de_label\":0}");
        escaped.beginObject();
        assertThat(escaped.nextField(XapiClass.of("pool"))).isEqualTo(1);
    }

    @Test
    @DisplayName("X9 entities, ends of lines and white space of the envelope")
    void envelope() throws IOException {
        String reply =
                """
                <?xml version="1.0"?>
                <methodResponse> <params><param>
                <value><struct><member><name>Status</name><value><string>Success</string></value></member>
                <member><name>Value</name>
                <value><string>%s</string></value></member></struct></value></param></params></methodResponse>
                """;
        String value = "&quot;&lt;&gt;&amp;&apos;&#65;&#x20ac;&#13;\r\n\r.\u00e4&quot;";
        for (int most = 1; most < 9; most++) {
            byte[] bytes = reply.formatted(value).getBytes(StandardCharsets.UTF_8);
            assertThat(
                            Replies.read(
                                    XapiEncoding.JSON_IN_XML,
                                    inPieces(bytes, new SplittableRandom(most), most),
                                    Source::text))
                    .isEqualTo("<>&'A\u20ac\r\n\n.\u00e4");
        }
        for (String odd : List.of("&nbsp;", "&#xZZ;", "&", "&quot", "<b/>", "&quot;a")) {
            assertThatThrownBy(() ->
                            Replies.read(
                                    XapiEncoding.JSON_IN_XML,
                                    new ByteArrayInputStream(
                                            reply.formatted(odd).getBytes(StandardCharsets.UTF_8)),
                                    Source::text))
                    .as(odd)
                    .isInstanceOf(XapiException.Protocol.class);
        }
        // An envelope that XAPI does not write goes another way.
        byte[] other =
                reply.formatted("<![CDATA[\"a<b\"]]>")
                        .replace("<params>", "<!-- params --><params>")
                        .getBytes(StandardCharsets.UTF_8);
        assertThat(
                        Replies.read(
                                XapiEncoding.JSON_IN_XML,
                                new ByteArrayInputStream(other),
                                Source::text))
                .isEqualTo("a<b");
    }
}
