package org.stillwater.xapi.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order of fields is a hint: it never decides what is read. */
class FieldOrderTest {

    private static final XapiClass VBD = XapiClass.of("VBD");

    private static byte[] bytes(String text) {
        byte[] bytes = new byte[text.length() + ShortBytes.MARGIN];
        System.arraycopy(text.getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, text.length());
        return bytes;
    }

    private static void learn(FieldOrder order, String name, int place) {
        order.learn(bytes(name), 0, name.length(), place);
    }

    @Test
    @DisplayName("names that were met are expected by the next reader, and corrected")
    void learns() {
        VBD.order(FieldOrder.Names.NONE); // readers of other tests of this JVM have left theirs
        FieldOrder first = new FieldOrder();
        first.begin(VBD);
        learn(first, "\"eight\":", 1);
        learn(first, "\"a_name_of_more\":", -1);
        first.end();

        FieldOrder second = new FieldOrder();
        second.begin(VBD);
        assertThat(second.expected()).isEqualTo("\"eight\":".length());
        assertThat(second.isAt(bytes("x\"eight\":"), 1)).isTrue();
        assertThat(second.isAt(bytes("\"eighs\":"), 0)).isFalse();
        assertThat(second.take()).isEqualTo(1);
        assertThat(second.isAt(bytes("\"a_name_of_more\":"), 0)).isTrue();
        assertThat(second.isAt(bytes("\"a_name_of_morf\":"), 0)).isFalse();
        learn(second, "\"another\":", 0);
        assertThat(second.expected()).as("behind the last one").isZero();
        second.pass();
        second.end();

        FieldOrder third = new FieldOrder();
        third.begin(VBD);
        assertThat(third.take()).isEqualTo(1);
        assertThat(third.isAt(bytes("\"another\":"), 0)).isTrue();
        assertThat(third.take()).isZero();
        assertThat(third.expected()).isZero();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    @DisplayName("X8 fields in any order, twice, missing or unknown are read as in the usual order")
    void anyOrder(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            List<String> members =
                    new ArrayList<>(
                            List.of(
                                    "\"VDI\":\"OpaqueRef:" + i + "\"",
                                    "\"unknown\":{\"device\":\"no\"}",
                                    "\"de\\u0076ice\":\"old\"",
                                    "\"device_of_others\":[\"VDI\"]",
                                    "plain:1"));
            Collections.shuffle(members, random);
            members.add(random.nextInt(members.size()), "\"VDI_of\":\"x\"");
            members.add("\"device\":\"xvda\"");
            if (random.nextBoolean()) {
                members.remove("plain:1");
            }
            String separator = random.nextBoolean() ? "," : random.nextBoolean() ? ", " : " ,\n";
            XapiRecord read = Records.of(VBD, "{" + String.join(separator, members) + "}");
            assertThat(read.text("VDI")).as("%s", members).isEqualTo("OpaqueRef:" + i);
            assertThat(read.text("device")).as("%s", members).isEqualTo("xvda");
        }
    }
}
