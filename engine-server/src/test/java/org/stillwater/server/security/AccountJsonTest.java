package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

class AccountJsonTest {

    private static JsonNode body(String label) {
        return JsonNodeFactory.instance.objectNode().put("label", label);
    }

    @Test
    void aTextIsReadAsItIs() {
        assertThat(AccountJson.text(body("Ü 漢字 😀"), "label", 20)).isEqualTo("Ü 漢字 😀");
        assertThat(AccountJson.text(body("a"), "other", 20)).isNull();
    }

    /** The database would replace it, and the answer would show another text than the list. */
    @ParameterizedTest
    @ValueSource(strings = {"a\0b", "\uD83D", "\uDE00x"})
    void aTextThatTheDatabaseCannotHoldIsRefusedByName(String text) {
        assertThatThrownBy(() -> AccountJson.text(body(text), "label", 20))
                .hasMessageContaining("label must be text without U+0000");
    }
}
