package org.stillwater.server.api.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.io.SerializedString;
import tools.jackson.databind.json.JsonMapper;

/** The general generator is the reference: the bytes must be the same. */
class JsonTextTest {

    private static final String ALPHABET =
            "abcXYZ019 \"\\/\b\t\n\f\r\u0000\u001f\u007f\u0080äß€\u2028\ud83d\ude00<>&'";

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final JsonText text = new JsonText(1);
    private final ByteArrayOutputStream wanted = new ByteArrayOutputStream();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void anyValueHasTheBytesOfTheGenerator(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 500; i++) {
            wanted.reset();
            text.clear();
            try (JsonGenerator json = JsonMapper.shared().createGenerator(wanted)) {
                value(json, random, 0);
            }
            assertThat(text.getValue()).isEqualTo(wanted.toString(StandardCharsets.UTF_8));
            assertThat(text.asUnquotedUTF8()).isEqualTo(wanted.toByteArray());
        }
    }

    private void value(JsonGenerator json, SplittableRandom random, int depth) {
        switch (random.nextInt(depth < 4 ? 10 : 8)) {
            case 0 -> {
                long whole = random.nextLong() >> random.nextInt(64);
                json.writeNumber(whole);
                text.whole(whole);
            }
            case 1 -> {
                long billionths = random.nextLong(1_000_000, 1_000_000_000_000L);
                json.writeNumber(billionths / 1e9);
                text.fraction(billionths / 1e9);
            }
            case 2 -> {
                boolean flag = random.nextBoolean();
                json.writeBoolean(flag);
                text.flag(flag);
            }
            case 3 -> {
                json.writeNull();
                switch (random.nextInt(3)) {
                    case 0 -> text.unknown();
                    case 1 -> text.text((String) null);
                    default -> text.fraction(random.nextBoolean() ? Double.NaN : 1 / 0.0);
                }
            }
            case 4 -> {
                UUID id = new UUID(random.nextLong(), random.nextLong());
                json.writeString(id.toString());
                text.uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
            }
            case 5 -> {
                String word = word(random);
                json.writeString(word);
                text.text(new SerializedString(word));
            }
            case 6 -> {
                String word = word(random);
                json.writeStartArray();
                json.writeString(word);
                json.writeEndArray();
                text.generated(other -> {
                    other.writeStartArray();
                    other.writeString(word);
                    other.writeEndArray();
                });
            }
            case 7 -> {
                String word = word(random);
                json.writeString(word);
                text.text(word);
            }
            case 8 -> {
                json.writeStartArray();
                text.startArray();
                for (int i = random.nextInt(4); i > 0; i--) {
                    value(json, random, depth + 1);
                }
                json.writeEndArray();
                text.endArray();
            }
            default -> {
                json.writeStartObject();
                text.startObject();
                for (int i = random.nextInt(4); i > 0; i--) {
                    String name = word(random);
                    json.writeName(name);
                    text.name(new SerializedString(name));
                    value(json, random, depth + 1);
                }
                json.writeEndObject();
                text.endObject();
            }
        }
    }

    private static String word(SplittableRandom random) {
        StringBuilder word = new StringBuilder();
        boolean plain = random.nextBoolean();
        for (int i = random.nextInt(40); i > 0; i--) {
            if (plain) {
                word.append((char) ('a' + random.nextInt(26)));
            } else {
                int[] points = ALPHABET.codePoints().toArray();
                word.appendCodePoint(points[random.nextInt(points.length)]);
            }
        }
        return word.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "\ud83d, \\uD83D",
        "a\ude00b, a\\uDE00b",
        "\ud83d\ud83d\ude00, \\uD83D\ud83d\ude00"
    })
    void halfACharacterIsEscaped(String half, String escaped) {
        text.text(half);
        assertThat(text.getValue()).isEqualTo('"' + escaped + '"');
        try (JsonGenerator json = JsonMapper.shared().createGenerator(wanted)) {
            json.writeString(half);
        }
        assertThat(text.asUnquotedUTF8()).isEqualTo(wanted.toByteArray());
    }

    /** A gate: a list of 6 000 VMs has some 600 000 of them. */
    @Test
    void namesNumbersAndPlainTextsLeaveNoGarbage() {
        SerializedString name = new SerializedString("receivedBytes");
        Runnable row =
                () -> {
                    text.clear();
                    text.startObject();
                    for (int i = 0; i < 50; i++) {
                        text.name(name);
                        text.whole(1_000_003L * i);
                        text.name(name);
                        text.fraction(i / 1e3);
                        text.name(name);
                        text.text("a plain text");
                        text.name(name);
                        text.text(name);
                        text.name(name);
                        text.uuid(i, -i);
                        text.name(name);
                        text.unknown();
                        text.name(name);
                        text.flag(true);
                    }
                    text.endObject();
                };
        row.run(); // the buffer grows, and the name is encoded
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100; i++) {
            row.run();
        }
        long after = THREADS.getCurrentThreadAllocatedBytes();
        assertThat(after - before).isLessThan(1_000);
    }

    @Test
    void aGeneratorOfBytesOrCharactersTakesItAsAValue() {
        text.startObject();
        text.name(new SerializedString("ä"));
        text.text("€".repeat(9_000));
        text.endObject();
        StringWriter characters = new StringWriter();
        for (JsonGenerator json :
                new JsonGenerator[] {
                    JsonMapper.shared().createGenerator(wanted),
                    JsonMapper.shared().createGenerator(characters)
                }) {
            json.writeStartArray();
            json.writeRawValue(text);
            json.writeRawValue(text);
            json.writeEndArray();
            json.close();
        }
        String expected = "[" + text.getValue() + "," + text.getValue() + "]";
        assertThat(wanted.toString(StandardCharsets.UTF_8)).isEqualTo(expected);
        assertThat(characters).hasToString(expected);
    }
}
