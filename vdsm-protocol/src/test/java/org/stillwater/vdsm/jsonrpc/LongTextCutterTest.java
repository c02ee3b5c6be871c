package org.stillwater.vdsm.jsonrpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.stillwater.vdsm.stomp.FrameBody;

class LongTextCutterTest {

    private static final int LONGEST = 64;

    @Test
    void textsThatFitAreReadUnchanged() {
        FrameBody body = FrameBody.utf8("{\"a\": [" + "\"short text\", ".repeat(1_000) + "1]}");

        assertThat(LongTextCutter.mayBeNeeded(body, LONGEST)).isFalse();
    }

    @Test
    void aTextThatMayBeTooLongIsFoundWhereverItStands() {
        for (int before = 0; before < 3 * LONGEST; before++) {
            for (String unit : new String[] {"x", "\\\"", "\\\\", "ä"}) {
                String text = unit.repeat(LONGEST + 1);
                String json = "[" + " ".repeat(before) + "\"" + text + "\", \"end\"]";

                assertThat(LongTextCutter.mayBeNeeded(FrameBody.utf8(json), LONGEST))
                        .as(json)
                        .isTrue();
            }
        }
    }

    @Test
    void noLongTextOfAnyMessageIsOverlooked() {
        Random random = new Random(20261126);
        String[] units = {"x", "\\\"", "\\\\", "\\u0041", "é"};
        for (int round = 0; round < 20_000; round++) {
            StringBuilder json = new StringBuilder("[");
            int longest = 0;
            for (int texts = random.nextInt(1, 8); texts > 0; texts--) {
                StringBuilder text = new StringBuilder();
                for (int left = random.nextInt(2 * LONGEST); left > 0; left--) {
                    text.append(units[random.nextInt(units.length)]);
                }
                longest =
                        Math.max(longest, text.toString().getBytes(StandardCharsets.UTF_8).length);
                json.append('"').append(text).append("\",").append(" ".repeat(random.nextInt(20)));
            }
            String whole = json.append("1]").toString();

            if (longest > LONGEST) {
                assertThat(LongTextCutter.mayBeNeeded(FrameBody.utf8(whole), LONGEST))
                        .as(whole)
                        .isTrue();
            }
        }
    }

    @Test
    void aLongTextIsCutBeforeAnEscapeAndTheRestStays() throws IOException {
        String json = "[\"" + "\\u0041".repeat(40) + "\", \"\\\"b\"]";
        InputStream whole = FrameBody.utf8(json).openStream();

        String cut =
                new String(
                        new LongTextCutter(whole, LONGEST).readAllBytes(), StandardCharsets.UTF_8);

        assertThat(cut).isEqualTo("[\"" + "\\u0041".repeat(10) + "\", \"\\\"b\"]");
    }
}
