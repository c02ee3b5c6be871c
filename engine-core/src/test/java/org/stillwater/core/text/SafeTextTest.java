package org.stillwater.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SafeTextTest {

    private static final int LIMIT = 12;

    @Test
    void anOrdinaryTextStaysTheSameInstance() {
        for (String text : new String[] {"", "web-1", "Grüße, 日本語 😀", "naïve"}) {
            assertThat(SafeText.of(text, 40)).isSameAs(text);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "a\\u000ab, a b",
        "a\\u000d\\u000ab, a  b",
        "a\\u001b[31mb, a [31mb",
        "a\\u0085b, a b",
        "a\\u007fb, a b",
        "a\\u2028b, a b",
        "a\\u0000b, ab",
        "adm\\u202enim, admnim",
        "a\\u2066b\\u2069c\\u200e\\u200f\\u061c, abc",
        "ad\\u200bm\\u200di\\ufeffn\\u00ad\\u2060, admin",
        "a\\ud800b, a\\ufffdb",
        "a\\udc00, a\\ufffd",
        "a\\uffffb, a\\ufffdb",
        "a\\udb40\\udc41b, ab",
    })
    void forgingAndHiddenCharactersAreReplacedOrDropped(String text, String kept) {
        assertThat(SafeText.of(unescaped(text), 40)).isEqualTo(unescaped(kept));
    }

    /** Sources with such characters in them would be hard to read. */
    private static String unescaped(String text) {
        StringBuilder plain = new StringBuilder();
        int from = 0;
        for (int at = text.indexOf("\\u"); at >= 0; at = text.indexOf("\\u", from)) {
            plain.append(text, from, at);
            plain.append((char) Integer.parseInt(text.substring(at + 2, at + 6), 16));
            from = at + 6;
        }
        return plain.append(text.substring(from)).toString();
    }

    @Test
    void aLongTextIsCutBetweenCodePointsAndMarked() {
        assertThat(SafeText.of("123456789012", LIMIT)).isEqualTo("123456789012");
        assertThat(SafeText.of("1234567890123", LIMIT)).isEqualTo("12345678901…");
        assertThat(SafeText.of("1234567890😀😀", LIMIT)).isEqualTo("1234567890…");
        assertThat(SafeText.of("12345678901😀", LIMIT)).isEqualTo("12345678901…");
        assertThat(SafeText.of("a".repeat(1 << 20), 255)).hasSize(255).endsWith("a…");
    }

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theResultIsSafeStableAndFoundWithoutBeingMade(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 50; i++) {
            String wire = anything(random, random.nextInt(3 * LIMIT));
            String padded = "\u202e" + wire + "x";
            char[] chars = padded.toCharArray();
            int to = chars.length - 1;
            String kept = SafeText.of(chars, 1, to, LIMIT);
            assertThat(kept).isEqualTo(SafeText.of(wire, LIMIT));
            assertThat(kept.length()).isLessThanOrEqualTo(LIMIT);
            assertThat(SafeText.of(kept, LIMIT)).isSameAs(kept);
            assertThat(new String(kept.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                    .isEqualTo(kept);
            assertThat(SafeText.isKept(chars, 1, to, LIMIT, kept)).as(kept).isTrue();
            assertThat(SafeText.isSafe(chars, 1, to, LIMIT)).isEqualTo(kept.equals(wire));
            String other = SafeText.of(anything(random, random.nextInt(3 * LIMIT)), LIMIT);
            assertThat(SafeText.isKept(chars, 1, to, LIMIT, other)).isEqualTo(other.equals(kept));
            char[] room = new char[LIMIT + 3];
            int end = SafeText.clean(chars, 1, to, room, 3, LIMIT);
            assertThat(new String(room, 3, end - 3)).isEqualTo(kept);
        }
    }

    private static String anything(SplittableRandom random, int length) {
        char[] some = {
            'a', 'b', ' ', '\n', 0, 0x202e, 0x200b, 0xd83d, 0xde00, 0xdb40, 0xdc41, '…', 0xffff
        };
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            if (random.nextInt(3) == 0) {
                text.append("😀");
            } else {
                text.append(some[random.nextInt(random.nextBoolean() ? 2 : some.length)]);
            }
        }
        return text.toString();
    }
}
