package org.stillwater.server.api.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepresentationsTest {

    private static final String TAG = "\"abc123\"";
    private static final String COMPRESSED = "\"abc123-gzip\"";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"abc123\"",
                "\"abc123-gzip\"",
                "W/\"abc123\"",
                "W/\"abc123-gzip\"",
                " \"other\" ,W/\"another\",  W/\"abc123\" ",
                "*"
            })
    void tagsAreComparedWeaklyInAnyEncoding(String header) {
        assertThat(Representations.matches(header, TAG)).isTrue();
        assertThat(Representations.matches(header, COMPRESSED)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "abc123",
                "\"abc12\"",
                "\"abc1234\"",
                "W/abc123",
                "w/\"abc123\"",
                "W/\"other\", \"another\"",
                "\"*\""
            })
    void anythingElseIsAnotherAnswer(String header) {
        assertThat(Representations.matches(header, TAG)).isFalse();
        assertThat(Representations.matches(header, COMPRESSED)).isFalse();
    }

    @Test
    void aRequestWithoutATagGetsAll() {
        assertThat(Representations.matches(null, TAG)).isFalse();
    }
}
