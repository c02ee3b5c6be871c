package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Packed records return the read values. */
class XapiRecordTest {

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 6);
    }

    private static XapiRecord read(XapiClass type, String json) throws IOException {
        try (JsonSource in =
                JsonSource.of(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)))) {
            return Decoder.record(in, type);
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("X7, X8 values of every kind and size come back, sent in any order")
    void values(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 40; round++) {
            int longest = round % 10 == 0 ? 70_000 : round % 3 == 0 ? 300 : 12;
            for (XapiClass type : XapiClass.all()) {
                Map<String, Object> expected = new LinkedHashMap<>();
                Map<String, String> written = new LinkedHashMap<>();
                for (int i = 0; i < type.fields().size(); i++) {
                    if (random.nextInt(5) > 0) {
                        Object value = value(type.kinds().get(i), random, longest);
                        expected.put(type.fields().get(i), value);
                        written.put(type.fields().get(i), json(value));
                    }
                }
                XapiRecord record = read(type, object(written, seed));
                for (String field : type.fields()) {
                    assertThat(record.get(field))
                            .as("%s.%s, seed %d", type, field, seed)
                            .isEqualTo(expected.get(field));
                }
                XapiRecord other = read(type, object(written, seed + 1));
                assertThat(other).isEqualTo(record).hasSameHashCodeAs(record);
                if (!expected.isEmpty()) {
                    written.remove(written.keySet().iterator().next());
                    assertThat(read(type, object(written, seed))).isNotEqualTo(record);
                }
            }
        }
    }

    private static Object value(XapiClass.Kind kind, SplittableRandom random, int longest) {
        return switch (kind) {
            case STRING, DATETIME -> text(random, longest);
            case INT -> random.nextBoolean() ? random.nextLong() : (long) random.nextInt(3);
            case FLOAT -> (double) random.nextInt(1_000) / 8;
            case BOOL -> random.nextBoolean();
            case STRINGS -> {
                List<String> texts = new ArrayList<>();
                for (int i = random.nextInt(6); i > 0; i--) {
                    texts.add(text(random, 50));
                }
                yield texts;
            }
            case MAP -> {
                Map<String, String> map = new LinkedHashMap<>();
                for (int i = random.nextInt(6); i > 0; i--) {
                    map.put(text(random, 20) + i, text(random, 50));
                }
                yield map;
            }
        };
    }

    private static String text(SplittableRandom random, int longest) {
        String characters = random.nextInt(3) > 0 ? "aB-_0" : "a\u00e4\u20ac\u0001";
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(longest); i > 0; i--) {
            text.append(characters.charAt(random.nextInt(characters.length())));
        }
        return random.nextInt(4) == 0 ? text + "\ud83d\ude00" : text.toString();
    }

    private static String json(Object value) {
        return switch (value) {
            case String text -> '"' + text + '"';
            case List<?> list ->
                    "[" + String.join(",", list.stream().map(XapiRecordTest::json).toList()) + "]";
            case Map<?, ?> map ->
                    "{"
                            + String.join(
                                    ",",
                                    map.entrySet().stream()
                                            .map(each ->
                                                    json(each.getKey())
                                                            + ":"
                                                            + json(each.getValue()))
                                            .toList())
                            + "}";
            default -> value.toString();
        };
    }

    /** A JSON object, its members in another order for each seed. */
    private static String object(Map<String, String> members, long seed) {
        List<String> names = new ArrayList<>(members.keySet());
        Collections.shuffle(names, new Random(seed));
        return "{"
                + String.join(
                        ",",
                        names.stream().map(each -> '"' + each + "\":" + members.get(each)).toList())
                + "}";
    }

    @Test
    @DisplayName("X8 of a field that is sent twice the last value holds; absent ones are empty")
    void twice() throws IOException {
        XapiClass vm = XapiClass.of("VM");
        XapiRecord record =
                read(vm, "{\"name_label\":\"a\",\"VIFs\":[\"x\"],\"name_label\":\"\u00e4\"}");
        assertThat(record.text("name_label")).isEqualTo("\u00e4");
        assertThat(record.list("VIFs")).containsExactly("x");
        assertThat(record.text("uuid")).isEmpty();
        assertThat(record.get("uuid")).isNull();
        assertThat(record.number("domid")).isZero();
        assertThat(record.flag("is_a_template")).isFalse();
        assertThat(record.map("platform")).isEmpty();
        assertThat(record.reference("metrics")).isNull();
        assertThat(read(vm, "{\"name_label\":\"\"}")).isNotEqualTo(read(vm, "{}"));
    }

    @Test
    @DisplayName("X8 objects of a class without fields are one record")
    void bare() throws IOException {
        XapiClass console = XapiClass.of("console");
        assertThat(read(console, "{\"uuid\":\"a\"}")).isSameAs(read(console, "{\"uuid\":\"b\"}"));
        assertThat(read(console, "{}").toString()).isEqualTo("console[]");
    }
}
