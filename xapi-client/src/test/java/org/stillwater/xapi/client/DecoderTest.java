package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.fake.xapi.model.Datamodel;
import org.stillwater.fake.xapi.model.XClass;
import org.stillwater.fake.xapi.model.XType;
import org.stillwater.xapi.client.EventBatch.Event;
import org.stillwater.xapi.client.EventBatch.Operation;

/** Replies of the real codec, byte for byte. */
class DecoderTest {

    private static final Path MESSAGES = Path.of("../fake-xapi/src/test/resources/xapi/messages");

    private static <T> T read(XapiEncoding encoding, String file, Decoder.Result<T> result)
            throws IOException {
        return text(encoding, Files.readString(MESSAGES.resolve(file)), result);
    }

    private static <T> T text(XapiEncoding encoding, String text, Decoder.Result<T> result)
            throws IOException {
        return Replies.read(
                encoding, new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), result);
    }

    private static String xml(String value) {
        return "<?xml version=\"1.0\"?><methodResponse><params><param><value><struct><member>"
                + "<name>Status</name><value>Success</value></member><member><name>Value</name>"
                + value
                + "</member></struct></value></param></params></methodResponse>";
    }

    @Test
    @DisplayName("X12, X8 the whole pool decodes to the same records in all encodings")
    void sameRecords() throws IOException {
        EventBatch json =
                read(XapiEncoding.JSON_RPC, "event-from-full.jsonrpc2.json", Decoder::batch);
        assertThat(json.events()).hasSizeGreaterThan(50);
        assertThat(json.token()).isEqualTo("00000000000000001065,00000000000000000002");
        assertThat(json.counts()).containsEntry("vm", 7L).containsEntry("session", 2L);
        EventBatch xml = read(XapiEncoding.XML_RPC, "event-from-full.xmlrpc.xml", Decoder::batch);
        EventBatch inside =
                read(XapiEncoding.JSON_IN_XML, "event-from-full.json-in-xml.xml", Decoder::batch);
        EventBatch old =
                read(XapiEncoding.JSON_RPC, "event-from-full.jsonrpc1-old.json", Decoder::batch);
        EventBatch one =
                read(XapiEncoding.JSON_RPC, "event-from-full.jsonrpc1.json", Decoder::batch);
        assertThat(xml).isEqualTo(json);
        assertThat(one).isEqualTo(json);
        // Six decimals are all that the old notation has of a third.
        assertThat(rounded(inside)).isEqualTo(rounded(json));
        assertThat(rounded(old)).isEqualTo(rounded(json));
    }

    private static String rounded(EventBatch batch) {
        return batch.toString().replace("0.3333333333333333", "0.333333");
    }

    @Test
    @DisplayName("X8, X39 unknown fields and classes of a newer server are passed over")
    void newerServer() throws IOException {
        EventBatch batch =
                read(XapiEncoding.JSON_RPC, "event-mod-26.17.jsonrpc2.json", Decoder::batch);
        assertThat(batch.passedOver()).isEqualTo(1);
        assertThat(batch.events()).extracting(Event::operation).containsOnly(Operation.MOD);
    }

    @Test
    @DisplayName("X26 a deletion has no snapshot; a message's has none either")
    void deletions() throws IOException {
        for (EventBatch batch :
                List.of(
                        read(XapiEncoding.JSON_RPC, "event-del.jsonrpc2.json", Decoder::batch),
                        read(XapiEncoding.XML_RPC, "event-del.xmlrpc.xml", Decoder::batch),
                        read(
                                XapiEncoding.JSON_IN_XML,
                                "event-del.json-in-xml.xml",
                                Decoder::batch))) {
            // vbd_metrics is not read.
            assertThat(batch.events()).hasSize(2).allMatch(each -> each.snapshot() == null);
            assertThat(batch.passedOver()).isEqualTo(1);
        }
        assertThat(
                        read(
                                        XapiEncoding.JSON_RPC,
                                        "event-del-message.jsonrpc2.json",
                                        Decoder::batch)
                                .counts())
                .doesNotContainKey("message");
    }

    @Test
    @DisplayName("X33 an empty batch has counts and a token")
    void timeout() throws IOException {
        EventBatch batch = read(XapiEncoding.XML_RPC, "event-timeout.xmlrpc.xml", Decoder::batch);
        assertThat(batch.events()).isEmpty();
        assertThat(batch.counts()).isNotEmpty();
        assertThat(batch.token()).isNotEmpty();
    }

    @Test
    @DisplayName("X7 a count beyond 32 bits is a number in every encoding")
    void largeCounts() throws IOException {
        for (String[] each :
                new String[][] {
                    {"JSON_RPC", "event-timeout.jsonrpc2.json", "\"vm\":"},
                    {"JSON_IN_XML", "event-timeout.json-in-xml.xml", "&quot;vm&quot;:"},
                    {"XML_RPC", "event-timeout.xmlrpc.xml", "<name>vm</name><value><i4>"}
                }) {
            String text = Files.readString(MESSAGES.resolve(each[1]));
            int at = text.indexOf(each[2]) + each[2].length();
            int end = at;
            while (Character.isDigit(text.charAt(end)) || text.charAt(end) == ' ') {
                end++;
            }
            EventBatch batch =
                    text(
                            XapiEncoding.valueOf(each[0]),
                            text.substring(0, at) + "9223372036854775807" + text.substring(end),
                            Decoder::batch);
            assertThat(batch.counts()).containsEntry("vm", Long.MAX_VALUE);
        }
    }

    @Test
    @DisplayName("X3 every form of an error is the same failure")
    void errors() {
        for (String each :
                List.of("jsonrpc2.json", "jsonrpc1.json", "xmlrpc.xml", "json-in-xml.xml")) {
            XapiEncoding encoding =
                    each.startsWith("jsonrpc")
                            ? XapiEncoding.JSON_RPC
                            : each.startsWith("xml")
                                    ? XapiEncoding.XML_RPC
                                    : XapiEncoding.JSON_IN_XML;
            assertThatThrownBy(
                            () -> read(encoding, "error-VM_BAD_POWER_STATE." + each, Decoder.TEXT))
                    .isInstanceOfSatisfying(
                            XapiException.Failure.class,
                            failure -> {
                                assertThat(failure.code()).isEqualTo("VM_BAD_POWER_STATE");
                                assertThat(failure.parameters())
                                        .hasSize(3)
                                        .endsWith("halted", "running");
                            });
        }
        assertThatThrownBy(() ->
                        read(
                                XapiEncoding.JSON_RPC,
                                "error-HOST_STILL_BOOTING-outside.jsonrpc2.json",
                                Decoder.TEXT))
                .isInstanceOfSatisfying(
                        XapiException.Failure.class,
                        failure -> assertThat(failure.code()).isEqualTo("HOST_STILL_BOOTING"));
    }

    @Test
    @DisplayName("X6 not a number and infinity decode in every notation, and read as unknown")
    void notANumber() throws IOException {
        for (String each : List.of("nan", "inf", "-inf")) {
            assertThat(
                            text(
                                    XapiEncoding.XML_RPC,
                                    xml("<value><double>" + each + "</double></value>"),
                                    Source::real))
                    .matches(value -> !Double.isFinite(value));
            assertThat(
                            text(
                                    XapiEncoding.JSON_IN_XML,
                                    xml("<value>" + each + "</value>"),
                                    Source::real))
                    .matches(value -> !Double.isFinite(value));
        }
        for (String each : List.of("NaN", "Infinity", "-Infinity")) {
            assertThat(
                            text(
                                    XapiEncoding.JSON_RPC,
                                    "{\"jsonrpc\":\"2.0\",\"result\":" + each + ",\"id\":1}",
                                    Source::real))
                    .matches(value -> !Double.isFinite(value));
        }
        XapiRecord task =
                text(
                        XapiEncoding.JSON_RPC,
                        "{\"jsonrpc\":\"2.0\",\"result\":{\"progress\":NaN},\"id\":1}",
                        in -> Decoder.record(in, XapiClass.of("task")));
        assertThat(task.real("progress")).isNull();
    }

    @Test
    @DisplayName("X7 ints of 64 bits survive in every encoding")
    void longInts() throws IOException {
        for (long each : List.of(Long.MAX_VALUE, -1L, Long.MIN_VALUE, 9007199254740993L)) {
            assertThat(
                            text(
                                    XapiEncoding.XML_RPC,
                                    xml("<value>" + each + "</value>"),
                                    Source::number))
                    .isEqualTo(each);
            assertThat(
                            text(
                                    XapiEncoding.JSON_IN_XML,
                                    xml("<value>" + each + "</value>"),
                                    Source::number))
                    .isEqualTo(each);
            assertThat(
                            text(
                                    XapiEncoding.JSON_RPC,
                                    "{\"result\":" + each + ",\"error\":null,\"id\":0}",
                                    Source::number))
                    .isEqualTo(each);
        }
    }

    @Test
    @DisplayName("X9 old JSON in XML: raw tabs, words inside texts, and no text at all for void")
    void oldQuirks() throws IOException {
        assertThat(
                        text(
                                XapiEncoding.JSON_IN_XML,
                                xml("<value>&quot;a\tnan inf \\&quot; null&quot;</value>"),
                                Decoder.TEXT))
                .isEqualTo("a\tnan inf \" null");
        assertThat(text(XapiEncoding.JSON_IN_XML, xml("<value></value>"), Decoder.VOID)).isEmpty();
        assertThat(read(XapiEncoding.JSON_IN_XML, "void.json-in-xml.xml", Decoder.VOID)).isEmpty();
    }

    @Test
    @DisplayName("X62 a reply that ends too early is an error in every encoding")
    void truncated() throws IOException {
        for (String file :
                List.of(
                        "event-from-full.jsonrpc2.json",
                        "event-from-full.xmlrpc.xml",
                        "event-from-full.json-in-xml.xml")) {
            XapiEncoding encoding =
                    file.endsWith("json")
                            ? XapiEncoding.JSON_RPC
                            : file.contains("xmlrpc")
                                    ? XapiEncoding.XML_RPC
                                    : XapiEncoding.JSON_IN_XML;
            String whole = Files.readString(MESSAGES.resolve(file));
            for (int length : List.of(0, 10, 500, whole.length() / 2, whole.length() - 20)) {
                assertThatThrownBy(() -> text(encoding, whole.substring(0, length), Decoder::batch))
                        .as(file + " " + length)
                        .isInstanceOf(XapiException.Protocol.class);
            }
        }
    }

    @Test
    @DisplayName("X8 the table of fields agrees with the datamodel of the server")
    void table() {
        Datamodel datamodel = Datamodel.of(Datamodel.Release.AUGUST_2026);
        for (XapiClass each : XapiClass.all()) {
            XClass real = datamodel.type(each.name());
            for (int i = 0; i < each.fields().size(); i++) {
                XClass.XField field = real.field(each.fields().get(i));
                assertThat(field).as(each.name() + "." + each.fields().get(i)).isNotNull();
                assertThat(each.kinds().get(i).name()).isEqualTo(kind(field.type()));
            }
        }
    }

    private static String kind(XType type) {
        return switch (type) {
            case XType.Scalar scalar -> scalar.name();
            case XType.EnumOf _, XType.RefTo _ -> "STRING";
            case XType.SetOf _ -> "STRINGS";
            case XType.MapOf _ -> "MAP";
            case XType.RecordOf _, XType.OptionOf _ -> "none";
        };
    }

    @Test
    @DisplayName("X9 the words of the old notation are numbers outside of texts only")
    void oldNotation() throws IOException {
        assertThat(
                        text(
                                XapiEncoding.JSON_RPC,
                                "{\"result\": [\"nan\", nan, -inf, \"inf\", inf, NaN, -Infinity],"
                                        + " \"error\": null, \"id\": 0}",
                                Decoder::strings))
                .containsExactly("nan", "NaN", "-Infinity", "inf", "Infinity", "NaN", "-Infinity");
    }

    @Test
    @DisplayName("X5, X7 calls have the real codec's bytes")
    void calls() {
        assertThat(
                        new String(
                                CallWriter.write(
                                        XapiEncoding.JSON_RPC,
                                        "event.from",
                                        List.of("OpaqueRef:s", List.of("*"), "", 30.0)),
                                StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"jsonrpc\":\"2.0\",\"method\":\"event.from\",\"params\":[\"OpaqueRef:s\",[\"*\"],\"\",30.0],\"id\":1}");
        assertThat(
                        new String(
                                CallWriter.write(
                                        XapiEncoding.XML_RPC,
                                        "Async.VM.pool_migrate",
                                        List.of(
                                                "OpaqueRef:s",
                                                "OpaqueRef:v",
                                                "OpaqueRef:h",
                                                Map.of("live", "true"))),
                                StandardCharsets.UTF_8))
                .isEqualTo(
                        "<?xml"
                            + " version=\"1.0\"?><methodCall><methodName>Async.VM.pool_migrate</methodName><params><param><value>OpaqueRef:s</value></param><param><value>OpaqueRef:v</value></param><param><value>OpaqueRef:h</value></param><param><value><struct><member><name>live</name><value>true</value></member></struct></value></param></params></methodCall>");
    }

    @Test
    @DisplayName(
            "X11 bytes that are no UTF-8 are repaired; whole characters stay, also between pieces")
    void repairedTexts() throws IOException {
        String text = "\u00e4\u20ac\ud83d\ude00".repeat(3_000);
        assertThat(
                        new String(
                                new Utf8Repair(
                                                new ByteArrayInputStream(
                                                        text.getBytes(StandardCharsets.UTF_8)))
                                        .readAllBytes(),
                                StandardCharsets.UTF_8))
                .isEqualTo(text);
        byte[] broken = {'"', 'a', (byte) 0xff, 'b', 1, (byte) 0xef, (byte) 0xbf, (byte) 0xbe, '"'};
        assertThat(
                        new String(
                                new Utf8Repair(new ByteArrayInputStream(broken)).readAllBytes(),
                                StandardCharsets.UTF_8))
                .isEqualTo("\"a?b??\"");
    }
}
