package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import javax.xml.stream.XMLInputFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.xml.XmlFactory;
import tools.jackson.dataformat.xml.XmlMapper;

class BodyTest {

    private static final ObjectMapper JSON = JsonMapper.builder().build();
    private static final ObjectMapper XML = xml();

    private static ObjectMapper xml() {
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return XmlMapper.builder(XmlFactory.builder().xmlInputFactory(factory).build()).build();
    }

    private static Body body(String text) {
        try {
            return Body.read(
                    new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                    2_000,
                    XML,
                    JSON);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<host><name>n</name></host>",
                "<vms><vm/></vms>",
                "<action/>",
                "[{\"name\":\"n\"}]",
                "[1]",
                "{\"vm\":{\"name\":\"n\"}}",
                "{\"root_password\":\"x\",\"ssh\":{}}"
            })
    void bodiesOfSomethingElseAreRefused(String text) {
        assertThatThrownBy(() -> WritableBodies.VM.check(body(text), "edit VM", (_, _) -> false))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(400))
                .hasMessageMatching("The body is .*|There is no element [a-z_]+ of a VM.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<vm/>",
                "<vm><unknown/></vm>",
                "{}",
                "[]",
                "{\"name\":\"n\",\"unknown\":1}",
                "{\"memory_policy\":{}}",
                "{\"disk_attachments\":{}}"
            })
    void expectedBodiesAreAccepted(String text) {
        Body body = body(text);
        assertThat(body.of("vm")).isSameAs(body);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  \n",
                "<action/>",
                "<action></action>",
                "\uFEFF<action/>",
                "<?xml version='1.0'?><action/>",
                "{}",
                " { } ",
                "[]",
                "{\"unknown\":{\"deep\":[1]}}",
                "<action><unknown a='1'><deep/></unknown></action>"
            })
    void bodiesWithoutAnythingKnownAreFine(String text) {
        Body body = body(text);
        assertThat(body.flag("async")).isNull();
        assertThat(body.text("host", "id")).isNull();
        assertThat(body.texts("os", "boot", "devices", "device")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<action><async>FALSE</async><host"
                    + " id=\"h1\"><name>n</name></host><memory>42</memory>"
                    + "<os><boot><devices><device>hd</device><device>network</device></devices></boot></os></action>",
                "{\"async\":\"false\",\"host\":{\"id\":\"h1\",\"name\":\"n\"},\"memory\":42,"
                        + "\"os\":{\"boot\":{\"devices\":{\"device\":[\"hd\",\"network\"]}}}}",
                "{\"async\":false,\"host\":{\"id\":\"h1\",\"name\":\"n\"},\"memory\":\"42\","
                        + "\"os\":{\"boot\":{\"devices\":{\"device\":[\"hd\",\"network\"]}}}}"
            })
    void bothFormatsAreEqual(String text) {
        Body body = body(text);
        assertThat(body.flag("async")).isFalse();
        assertThat(body.text("host", "id")).isEqualTo("h1");
        assertThat(body.text("host", "name")).isEqualTo("n");
        assertThat(body.number("memory")).isEqualTo(42);
        assertThat(body.texts("os", "boot", "devices", "device")).containsExactly("hd", "network");
    }

    @Test
    void aListMayHaveOneItem() {
        Body body =
                body(
                        "<vm><nics><nic id='1'><name>a</name></nic></nics><os><boot><devices>"
                                + "<device>hd</device></devices></boot></os></vm>");
        assertThat(body.items("nics", "nic")).hasSize(1);
        assertThat(body.items("nics", "nic").getFirst().text("name")).isEqualTo("a");
        assertThat(body.texts("os", "boot", "devices", "device")).isEqualTo(List.of("hd"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<action>",
                "<a></b>",
                "{\"a\":",
                "nonsense",
                "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>",
                "<!DOCTYPE a [<!ENTITY e 'x'><!ENTITY f '&e;&e;&e;'>]><a>&f;</a>"
            })
    void otherMediaTypesAreRefused(String text) {
        assertThatThrownBy(() -> body(text).text("a"))
                .isInstanceOfSatisfying(
                        Refused.class,
                        e -> {
                            assertThat(e.status()).isEqualTo(400);
                            assertThat(e.detail()).doesNotContain("root:");
                        });
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "<a>x", "{\"a\":\"x"})
    void largeBodiesAreRefused(String begin) {
        assertThatThrownBy(() -> body(begin + begin.repeat(2_000)))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("at most 2000 bytes");
    }

    @Test
    void valuesThatAreNoneAreRefused() {
        Body body = body("{\"async\":\"maybe\",\"memory\":\"much\"}");
        assertThatThrownBy(() -> body.flag("async")).isInstanceOf(Refused.class);
        assertThatThrownBy(() -> body.number("memory")).isInstanceOf(Refused.class);
    }

    static LongStream seeds() {
        return LongStream.range(0, 10);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void noiseIsReadOrRefused(long seed) {
        Random random = new Random(seed);
        String alphabet = "<>/={}[]\":,;&!?ab1 \n'é\u0000";
        for (int i = 0; i < 1_000; i++) {
            StringBuilder noise = new StringBuilder(random.nextBoolean() ? "<a>" : "{");
            for (int n = random.nextInt(40); n > 0; n--) {
                noise.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            try {
                String _ = body(noise.toString()).text("a");
            } catch (Refused e) {
                assertThat(e.status()).as("seed %d: %s", seed, noise).isEqualTo(400);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\ud800", "a\\udc00b", "\\u0000", "\\ud83d"})
    void unsupportedElementsAreRefused(String text) {
        Body body = body("{\"description\":\"" + text + "\"}");
        assertThatThrownBy(() -> body.raw("description"))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> {
                            assertThat(refused.status()).isEqualTo(400);
                            assertThat(refused.detail())
                                    .contains("description")
                                    .contains("in half");
                        });
    }

    @Test
    void charactersBeyondTheFirstPlaneAreKept() {
        assertThat(body("{\"description\":\"\\ud83d\\ude80 \ud83d\ude80\"}").raw("description"))
                .isEqualTo("\ud83d\ude80 \ud83d\ude80");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\\u202eb", "a\\u200bb", "a\\u0007b"})
    void aNewNameHasNoCharacterThatIsNotSeen(String name) {
        Body body = body("{\"name\":\"" + name + "\"}");
        assertThatThrownBy(() -> body.name("a tag", "b"))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(400))
                .hasMessageContaining("The name of a tag has no character");
        String present = String.valueOf(body.text("name"));
        assertThat(body.name("a tag", present)).as("one that is there stays").isEqualTo(present);
    }
}
