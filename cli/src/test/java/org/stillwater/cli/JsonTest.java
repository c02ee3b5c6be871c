package org.stillwater.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("JSON of the engine")
class JsonTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":[1,-2.50,1e3,true,false,null],\"b\":{\"c\":\"d\"}}",
                "[]",
                "{}",
                "\"\\\"\\\\\\n\\t\\r\"",
                "12345678901234567890"
            })
    @DisplayName("is written as it was read")
    void roundTrip(String text) {
        assertThat(Json.parse(text).written()).isEqualTo(text);
    }

    @Test
    @DisplayName("is found by the path of a member; a missing member is null")
    void paths() {
        Json vm =
                Json.parse(" { \"name\" : \"a\", \"statistics\": {\"cpu\": 1.50} , \"x\": null} ");

        assertThat(vm.at("statistics.cpu").text()).isEqualTo("1.50");
        assertThat(vm.at("statistics.memory.more").isNull()).isTrue();
        assertThat(vm.get("x").textOrNull()).isNull();
        assertThat(vm.get("name").at("z").isNull()).isTrue();
        assertThat(vm.list()).isEqualTo(List.of());
    }

    @Test
    @DisplayName("reads escapes, and writes characters that control a terminal as escapes")
    void escapes() {
        Json text = Json.parse("\"\\u00e4\\/\\u001b[31m\\u202e\"");

        assertThat(text.text()).isEqualTo("ä/\u001b[31m\u202e");
        assertThat(text.written()).isEqualTo("\"ä/\\u001b[31m\\u202e\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[1",
                "{\"a\"}",
                "{1:2}",
                "\"x",
                "nul",
                "1 2",
                "<html>",
                "\"\\u00g0\"",
                "\"\\q\"",
                "NaN"
            })
    @DisplayName("is refused with the place where it is wrong")
    void refused(String text) {
        assertThatThrownBy(() -> Json.parse(text))
                .isInstanceOf(Trouble.class)
                .hasMessageContaining("the answer is no JSON")
                .hasMessageContaining("at character");
    }

    @Test
    @DisplayName("is not followed into any depth")
    void depth() {
        assertThatThrownBy(() -> Json.parse("[".repeat(100_000)))
                .isInstanceOf(Trouble.class)
                .hasMessageContaining("more than 64 levels");
    }
}
