package org.stillwater.fake.xapi.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.stillwater.fake.xapi.codec.Request.Malformed;
import org.stillwater.fake.xapi.model.XType;
import org.stillwater.fake.xapi.model.XType.DateTime;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The bytes and verdicts of the codec that XAPI links. */
class GoldenVectorsTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @SuppressWarnings("ArrayRecordComponent") // read once, compared never
    private record Vector(
            String id,
            String kind,
            String encoding,
            String description,
            byte[] bytes,
            String model) {
        String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        boolean isUtf8() {
            try {
                StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
                return true;
            } catch (CharacterCodingException e) {
                return false;
            }
        }
    }

    private static List<Vector> vectors() throws IOException {
        List<Vector> all = new ArrayList<>();
        for (String line :
                Files.readAllLines(Path.of("src/test/resources/xapi/golden-vectors.tsv"))) {
            String[] cells = line.split("\t", -1);
            if (!cells[0].equals("id")) {
                all.add(
                        new Vector(
                                cells[0], cells[1], cells[2], cells[3], bytes(cells[4]), cells[5]));
            }
        }
        return all;
    }

    private static byte[] bytes(String escaped) {
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        for (int i = 0; i < escaped.length(); i++) {
            char c = escaped.charAt(i);
            if (c != '\\') {
                byte[] plain = String.valueOf(c).getBytes(StandardCharsets.UTF_8);
                out.write(plain, 0, plain.length);
                continue;
            }
            char next = escaped.charAt(++i);
            switch (next) {
                case 't' -> out.write('\t');
                case 'n' -> out.write('\n');
                case 'r' -> out.write('\r');
                case 'x' -> {
                    out.write(HexFormat.fromHexDigits(escaped, i + 1, i + 3));
                    i += 2;
                }
                default -> out.write(next);
            }
        }
        return out.toByteArray();
    }

    private static @Nullable Object model(JsonNode node) {
        if (node.isNull()) {
            return null;
        }
        if (node.isArray()) {
            List<@Nullable Object> list = new ArrayList<>();
            node.forEach(each -> list.add(model(each)));
            return list;
        }
        String kind = node.propertyNames().iterator().next();
        JsonNode value = node.get(kind);
        return switch (kind) {
            case "i" -> Long.parseLong(value.asString());
            case "i32" -> Integer.parseInt(value.asString());
            case "f" ->
                    switch (value.asString()) {
                        case "nan" -> Double.NaN;
                        case "inf" -> Double.POSITIVE_INFINITY;
                        case "-inf" -> Double.NEGATIVE_INFINITY;
                        default -> Double.parseDouble(value.asString());
                    };
            case "b" -> value.asBoolean();
            case "s" -> value.asString();
            case "utf8hex" ->
                    new String(HexFormat.of().parseHex(value.asString()), StandardCharsets.UTF_8);
            case "d" -> new DateTime(value.asString());
            case "b64" -> HexFormat.of().parseHex(value.asString());
            case "m" -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                value.forEach(pair -> map.put(pair.get(0).asString(), model(pair.get(1))));
                yield map;
            }
            default -> throw new IllegalArgumentException(kind);
        };
    }

    private static Encoding encoding(String name) {
        return switch (name) {
            case "xmlrpc" -> Encoding.XML_RPC;
            case "xmlrpc-old" -> Encoding.XML_RPC_OLD;
            case "json", "jsonrpc2" -> Encoding.JSON_RPC_2;
            case "jsonrpc1" -> Encoding.JSON_RPC_1;
            case "json-old", "jsonrpc-old" -> Encoding.JSON_RPC_OLD;
            case "json-in-xml-old" -> Encoding.JSON_IN_XML;
            default -> throw new IllegalArgumentException(name);
        };
    }

    /**
     * What Java's strings and maps cannot hold: bytes that are no UTF-8, a key twice, bytes as JSON
     * text; and one key that the vectors themselves hold encoded twice.
     */
    private static boolean beyondJava(Vector vector) {
        return !vector.isUtf8()
                || vector.description.contains("duplicate key")
                || (vector.description.contains("base64 (not produced")
                        && vector.encoding.equals("json"))
                || vector.description.contains("map key with blank and non-ASCII");
    }

    @Test
    @DisplayName("X70 the committed vectors are those that the real codec gave, to the byte")
    void unchanged() throws Exception {
        byte[] file = Files.readAllBytes(Path.of("src/test/resources/xapi/golden-vectors.tsv"));
        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file)))
                .as("where simulator and vectors differ, the vectors are right")
                .isEqualTo("2b1e71efdfeb6a72be65d601bfd218d94357e64f78ebe9547ed192cf4c1b9393");
    }

    @TestFactory
    @DisplayName("X1 the bytes of every value equal the real codec's")
    Stream<DynamicTest> values() throws IOException {
        return vectors().stream()
                .filter(each -> each.kind.equals("value") && !each.encoding.equals("argument"))
                .filter(each -> each.description.startsWith("encode:") && !each.model.isEmpty())
                .filter(each -> !beyondJava(each))
                .map(each ->
                        dynamicTest(
                                each.id + " " + each.description,
                                () ->
                                        assertThat(
                                                        encoding(each.encoding)
                                                                .writeValue(
                                                                        model(
                                                                                JSON.readTree(
                                                                                        each.model)))
                                                                .toBytes())
                                                .isEqualTo(each.bytes)));
    }

    @Test
    @DisplayName("X2 values in the notation of servers before 2018 equal the old codec's bytes")
    void oldValues() throws IOException {
        Map<String, Object> models = new LinkedHashMap<>();
        models.put("string with & < > double quote apostrophe", "a&b <c> \"d\" 'e'");
        models.put("string whose only special character is the last one: &", "R&");
        models.put("string whose only special character is the last one: <", "a<");
        models.put("string of one character &:", "&");
        models.put("string with control character at the end only", "a\u0001");
        models.put("string with slash and backslash", "a\\b/c");
        models.put("string with tab CR LF", "a\tb\rc\nd");
        models.put("string with backspace and form feed", "a\bb\f");
        models.put("int 2^63-1", Long.MAX_VALUE);
        models.put("int32 7", 7);
        models.put("float 1e-07", 1e-7);
        models.put("float 1e20", 1e20);
        models.put("float 1/3", 1.0 / 3);
        models.put("float 0.1", 0.1);
        models.put("float -0", -0.0);
        models.put("float nan", Double.NaN);
        models.put("float inf", Double.POSITIVE_INFINITY);
        models.put("float -inf", Double.NEGATIVE_INFINITY);
        models.put("bool", true);
        models.put("datetime", new DateTime("20160821T02:00:23Z"));
        models.put("set, empty", List.of());
        models.put("map, empty", Map.of());
        models.put("map key with quote and slash", Map.of("a\"/", "x"));
        int checked = 0;
        for (Vector each : vectors()) {
            if (!each.kind.equals("value") || !each.encoding.endsWith("-old")) {
                continue;
            }
            for (Map.Entry<String, Object> model : models.entrySet()) {
                String rest = each.description.substring("encode: ".length());
                if (rest.startsWith(model.getKey())
                        && !rest.substring(model.getKey().length()).matches("^[a-z0-9-].*")
                        && !each.description.contains("backspace")) {
                    assertThat(encoding(each.encoding).writeValue(model.getValue()).toBytes())
                            .as(each.id + " " + each.description)
                            .isEqualTo(each.bytes);
                    checked++;
                }
            }
        }
        assertThat(checked).isGreaterThan(38);
    }

    @TestFactory
    @DisplayName(
            "X3 success and error envelopes of JSON-RPC 1 and 2 and of XML-RPC equal the real"
                    + " codec's")
    Stream<DynamicTest> responses() throws IOException {
        return vectors().stream()
                .filter(each ->
                        each.kind.equals("response") && each.description.startsWith("encode:"))
                .filter(each -> each.model.startsWith("{\"success\"") || each.model.startsWith("["))
                .filter(each -> !beyondJava(each))
                .map(each ->
                        dynamicTest(
                                each.id + " " + each.description,
                                () -> {
                                    JsonNode model = JSON.readTree(each.model);
                                    Object id = each.text().contains("\"id\":\"a-1\"") ? "a-1" : 7L;
                                    assertThat(
                                                    encoding(each.encoding)
                                                            .write(reply(each, model), id)
                                                            .toBytes())
                                            .isEqualTo(each.bytes);
                                }));
    }

    private static Reply reply(Vector vector, JsonNode model) {
        if (model.isArray()) {
            return new Reply.Bare(strings(model));
        }
        JsonNode contents = model.get("contents");
        if (model.get("success").asBoolean()) {
            return new Reply.Success(model(contents));
        }
        return vector.description.contains("outside the dispatcher")
                ? new Reply.Outside(strings(contents))
                : new Reply.Failure(strings(contents));
    }

    private static List<String> strings(JsonNode list) {
        List<String> all = new ArrayList<>();
        list.forEach(each -> all.add(String.valueOf(model(each))));
        return all;
    }

    @TestFactory
    @DisplayName("X4 calls are accepted and refused as by the real codec")
    Stream<DynamicTest> requests() throws IOException {
        return vectors().stream()
                .filter(each ->
                        each.kind.equals("request") && each.description.startsWith("decode:"))
                .map(each -> dynamicTest(each.id + " " + each.description, () -> decode(each)));
    }

    private static void decode(Vector vector) throws Malformed {
        if (vector.model.startsWith("REJECT")) {
            assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> read(vector)))
                    .isInstanceOf(Malformed.class);
            return;
        }
        Request request = read(vector);
        if (!vector.model.contains("{\"method")) {
            assertThat(request.arguments()).as("only accepted, not shown").isNotEmpty();
            return;
        }
        JsonNode model = JSON.readTree(vector.model.substring(vector.model.indexOf("{\"method")));
        assertThat(request.method()).isEqualTo(model.get("method").asString());
        if (vector.isUtf8() || vector.encoding.equals("xmlrpc")) {
            assertThat(flat(request.arguments())).isEqualTo(flat(model(model.get("params"))));
        }
    }

    private static Object flat(@Nullable Object value) {
        return switch (value) {
            case byte[] bytes -> HexFormat.of().formatHex(bytes);
            case List<?> list -> list.stream().map(GoldenVectorsTest::flat).toList();
            case null -> "null";
            default -> value;
        };
    }

    private static Request read(Vector vector) throws Malformed {
        return vector.encoding.equals("xmlrpc")
                ? XmlReader.request(vector.bytes)
                : JsonReader.request(vector.text());
    }

    @TestFactory
    @DisplayName("X7 an argument is read as its type, with the real server's leniency")
    Stream<DynamicTest> arguments() throws IOException {
        return vectors().stream()
                .filter(each -> each.encoding.equals("argument"))
                .map(each -> dynamicTest(each.description, () -> argument(each)));
    }

    private static void argument(Vector vector) throws Malformed {
        String rest = vector.description.substring("argument of type ".length());
        int given = rest.indexOf(" given ");
        XType type = XType.parse(rest.substring(0, given).replace("datetime text", "datetime"));
        Object value = model(JSON.readTree(rest.substring(given + " given ".length())));
        if (vector.model.startsWith("REJECT")) {
            assertThat(
                            org.assertj.core.api.Assertions.catchThrowable(
                                    () -> Arguments.read(type, value)))
                    .isInstanceOf(Malformed.class);
        } else {
            Object read = Arguments.read(type, value);
            String text = vector.model.substring("ACCEPT ".length()).replace("\"", "");
            Object shown = read instanceof DateTime date ? date.text() : read;
            assertThat(shown instanceof Double number ? Numbers.xml(number) : String.valueOf(shown))
                    .isEqualTo(text);
        }
    }
}
