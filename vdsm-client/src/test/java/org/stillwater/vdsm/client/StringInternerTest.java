package org.stillwater.vdsm.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StringInternerTest {

    private final StringInterner texts = new StringInterner();

    @Test
    void aTextIsFoundInTheInstanceThatWasKept() {
        String kernel = texts.keep("5.14.0-427.13.1.el9_4.x86_64");
        char[] buffer = ("[" + kernel + "]").toCharArray();

        assertThat(texts.find(buffer, 1, buffer.length - 1)).isSameAs(kernel);
        assertThat(texts.find(buffer, 0, buffer.length)).isNull();
    }

    @Test
    void textsOfOnePlaceTakeTurns() {
        // "Aa" and "BB" have one hash in Java.
        texts.keep("Aa");
        String second = texts.keep("BB");

        assertThat(texts.find("Aa".toCharArray(), 0, 2)).isNull();
        assertThat(texts.find("BB".toCharArray(), 0, 2)).isSameAs(second);
    }

    @Test
    void longTextsAreNotKept() {
        String text = "x".repeat(StringInterner.LONGEST + 1);

        assertThat(texts.keep(text)).isSameAs(text);
        assertThat(texts.find(text.toCharArray(), 0, text.length())).isNull();
    }

    @Test
    void aTextThatIsNotSafeIsCleanedHoweverOftenItComes() {
        char[] raw = "web\u202eserver".toCharArray();

        String once = Texts.shared(raw, 0, raw.length, 50);
        String again = Texts.shared(raw, 0, raw.length, 50);

        assertThat(once).doesNotContain("\u202e");
        assertThat(again).isEqualTo(once);
        assertThat(Texts.shared(once.toCharArray(), 0, once.length(), 50)).isSameAs(again);
    }

    @Test
    void aTextOfTheTableIsCutWhereTheLimitIsSmaller() {
        String text = "a name of twenty-one.";
        assertThat(Texts.shared(text.toCharArray(), 0, text.length(), 50)).isEqualTo(text);

        assertThat(Texts.shared(text.toCharArray(), 0, text.length(), 8)).hasSizeLessThan(10);
    }
}
