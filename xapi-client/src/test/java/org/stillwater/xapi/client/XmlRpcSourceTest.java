package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The reader of bytes reads XML-RPC as a parser does. */
class XmlRpcSourceTest {

    private static final String BEFORE =
            "<?xml version=\"1.0\"?><methodResponse><params><param><value><struct><member>"
                    + "<name>Status</name><value>Success</value></member><member>"
                    + "<name>Value</name>";
    private static final String BEHIND =
            "</member></struct></value></param></params></methodResponse>";

    private static final List<String> BATCHES =
            List.of(
                    "event-from-full.xmlrpc.xml",
                    "event-mod-vm.xmlrpc.xml",
                    "event-del.xmlrpc.xml",
                    "event-timeout.xmlrpc.xml");

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 6);
    }

    private static byte[] sample(String name) throws IOException {
        return Files.readAllBytes(JsonSourceTest.SAMPLES.resolve("messages").resolve(name));
    }

    private static InputStream reply(String value) {
        return new ByteArrayInputStream((BEFORE + value + BEHIND).getBytes(StandardCharsets.UTF_8));
    }

    private static <T> T read(InputStream in, Decoder.Result<T> result) throws IOException {
        return Replies.read(XapiEncoding.XML_RPC, in, result);
    }

    private static <T> T parsed(InputStream in, Decoder.Result<T> result) throws IOException {
        return OldReading.read(XapiEncoding.XML_RPC, in, result);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("X1, X12 golden messages of XML-RPC decode as by Aalto, in pieces of any size")
    void goldenMessages(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        for (String name : BATCHES) {
            byte[] bytes = sample(name);
            EventBatch old = parsed(new ByteArrayInputStream(bytes), Decoder::batch);
            for (int most : List.of(1 + random.nextInt(40), 3_000, bytes.length)) {
                assertThat(read(JsonSourceTest.inPieces(bytes, random, most), Decoder::batch))
                        .as("%s, seed %d, pieces up to %d", name, seed, most)
                        .isEqualTo(old);
            }
        }
        byte[] vms = sample("get_all_records-VM.xmlrpc.xml");
        assertThat(
                        read(
                                JsonSourceTest.inPieces(vms, random, 500),
                                Decoder.records(XapiClass.of("VM"))))
                .isEqualTo(
                        parsed(new ByteArrayInputStream(vms), Decoder.records(XapiClass.of("VM"))))
                .isNotEmpty();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("X11, X62 what Aalto reads of damaged XML-RPC is read alike, and nothing runs on")
    void damagedMessages(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        int both = 0;
        for (int i = 0; i < 400; i++) {
            String name = BATCHES.get(random.nextInt(1, BATCHES.size()));
            byte[] bytes = JsonSourceTest.damaged(sample(name), random);
            EventBatch old = batch(() -> parsed(new ByteArrayInputStream(bytes), Decoder::batch));
            EventBatch now =
                    batch(() ->
                            read(JsonSourceTest.inPieces(bytes, random, 5_000), Decoder::batch));
            if (old != null) {
                assertThat(now)
                        .as(
                                "%s, seed %d, %d: %s",
                                name, seed, i, new String(bytes, StandardCharsets.UTF_8))
                        .isEqualTo(old);
                both++;
            }
        }
        assertThat(both).as("most damage makes XML ill-formed").isGreaterThan(10);
    }

    /** A reading. */
    @FunctionalInterface
    private interface Reading {
        EventBatch read() throws IOException;
    }

    /** The batch; null if it was refused. */
    private static EventBatch batch(Reading reading) throws IOException {
        try {
            return reading.read();
        } catch (XapiException _) {
            return null;
        } catch (ArithmeticException _) {
            return null; // a count that is no int
        }
    }

    @Test
    @DisplayName("X1, X7 golden values of XML-RPC are read as by Aalto")
    void goldenValues() throws IOException {
        int compared = 0;
        for (String line :
                Files.readAllLines(JsonSourceTest.SAMPLES.resolve("golden-vectors.tsv"))) {
            String[] columns = line.split("\t", -1);
            if (!columns[1].equals("value") || !columns[2].startsWith("xmlrpc")) {
                continue;
            }
            ByteArrayOutputStream whole = new ByteArrayOutputStream();
            whole.writeBytes(BEFORE.getBytes(StandardCharsets.UTF_8));
            whole.writeBytes(JsonSourceTest.bytes(columns[4]));
            whole.writeBytes(BEHIND.getBytes(StandardCharsets.UTF_8));
            byte[] bytes = whole.toByteArray();
            List<Decoder.Result<?>> kinds =
                    List.of(
                            Source::text,
                            Source::number,
                            Source::real,
                            Source::flag,
                            Decoder::strings,
                            Decoder.VOID);
            for (int i = 0; i < kinds.size(); i++) {
                Object old = attempt(kinds.get(i), bytes, true);
                if (old != null) {
                    assertThat(attempt(kinds.get(i), bytes, false))
                            .as("%s as kind %d", line, i)
                            .isEqualTo(old);
                    compared++;
                }
            }
        }
        assertThat(compared).isGreaterThan(150);
    }

    private static <T> Object attempt(Decoder.Result<T> result, byte[] bytes, boolean parsed)
            throws IOException {
        InputStream in = new ByteArrayInputStream(bytes);
        try {
            return parsed ? parsed(in, result) : read(in, result);
        } catch (XapiException.Protocol _) {
            return null;
        }
    }

    @Test
    @DisplayName("X1 other notations of the same document are read alike")
    void notations() throws IOException {
        for (String text :
                List.of(
                        "t",
                        "",
                        "<string>t</string>",
                        "<string/>",
                        "<string />",
                        " <string>t</string> ",
                        "a&amp;b&#65;&#x20ac;",
                        "a\r\nb\rc",
                        "<![CDATA[a<b>&amp;\r\n]]>",
                        "x<![CDATA[<value>]]>y",
                        "a<!-- <value> -->b",
                        "a<?pi <value> ?>b",
                        "\u00e4\u20ac\ud83d\ude00",
                        "<string kind=\"a>b\">t</string>")) {
            for (String skipped :
                    List.of("t", text, "<struct></struct>", "<array><data/></array>")) {
                String value =
                        ("<value><struct><member><name>skipped</name><value>%s</value></member>"
                                        + "<member><name>token</name><value>%s</value></member>"
                                        + "</struct></value>")
                                .formatted(skipped, text);
                for (String spaced :
                        List.of(
                                value,
                                value.replace("<member>", "\n <member>\n "),
                                value.replace("</member>", " </member >"),
                                value.replace("<value>", "<value >")
                                        .replace("</value>", "</value\n>"),
                                value.replace("<value></value>", "<value/>"))) {
                    EventBatch old = parsed(reply(spaced), Decoder::batch);
                    assertThat(read(reply(spaced), Decoder::batch)).as(spaced).isEqualTo(old);
                }
            }
        }
        for (String list :
                List.of(
                        "<value><array><data></data></array></value>",
                        "<value><array><data/></array></value>",
                        "<value> <array> <data> <value>a</value> <value/> </data> </array>"
                                + " </value>",
                        "<value><array><data><value><i4>1</i4></value></data></array></value>")) {
            assertThat(read(reply(list), Decoder::strings))
                    .as(list)
                    .isEqualTo(parsed(reply(list), Decoder::strings));
        }
    }

    @Test
    @DisplayName("X11 malformed XML-RPC is refused where it is read")
    void refused() {
        for (String each :
                List.of(
                        "<value>a&b</value>",
                        "<value>a&nbsp;</value>",
                        "<value>a&#xZZ;</value>",
                        "<value>a<&b</value>",
                        "<value>a< b</value>",
                        "<value><struct><member></member></struct></value>",
                        "<value>a",
                        "<value>a</member>",
                        "<other>a</other>",
                        "<value><b" + "c".repeat(2_000) + "></value>")) {
            assertThatThrownBy(() -> read(reply(each), Source::text))
                    .as(each)
                    .isInstanceOf(XapiException.Protocol.class);
        }
        assertThatThrownBy(() ->
                        read(
                                new ByteArrayInputStream(
                                        ("<!DOCTYPE a [<!ENTITY b \"c\">]>" + BEFORE + BEHIND)
                                                .getBytes(StandardCharsets.UTF_8)),
                                Source::text))
                .isInstanceOf(XapiException.Protocol.class)
                .hasMessageContaining("document type");
        assertThatThrownBy(() ->
                        read(
                                reply(
                                        "<value><struct><member><name>a<&b</name>"
                                                + "<value>x</value></member></struct></value>"),
                                Decoder.VOID))
                .isInstanceOf(XapiException.Protocol.class);
        byte[] bytes = (BEFORE + "<value>?</value>" + BEHIND).getBytes(StandardCharsets.UTF_8);
        bytes[BEFORE.length() + "<value>".length()] = (byte) 0xff;
        assertThatThrownBy(() -> read(new ByteArrayInputStream(bytes), Source::text))
                .isInstanceOf(XapiException.Protocol.class)
                .hasMessageContaining("UTF-8");
    }
}
