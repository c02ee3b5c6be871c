package org.stillwater.server.api.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.convert.ConversionException;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.stillwater.server.api.rows.FilterText;

class QueryNumbersTest {

    private final DefaultFormattingConversionService service =
            new DefaultFormattingConversionService();

    QueryNumbersTest() {
        new QueryNumbers().addFormatters(service);
    }

    @Test
    void decimalNumbersAndFlagsAreRead() {
        assertThat(service.convert(" 50 ", Integer.class)).isEqualTo(50);
        assertThat(service.convert("-7", int.class)).isEqualTo(-7);
        assertThat(service.convert("", Integer.class)).isNull();
        assertThat(service.convert("TRUE", boolean.class)).isTrue();
        assertThat(service.convert("false", Boolean.class)).isFalse();
        assertThat(FilterText.number("cpuAbove", " 1.5e1 ")).isEqualTo(15);
        assertThat(FilterText.number("cpuAbove", ".5")).isEqualTo(0.5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0x10", "#10", "1 0", "1_0", "1.0", "1e1", "٣", "99999999999", "1,2"})
    void otherSpellingsOfWholeNumbersAreRefused(String text) {
        assertThatThrownBy(() -> service.convert(text, Integer.class))
                .isInstanceOf(ConversionException.class);
        assertThatThrownBy(() -> service.convert(text, int.class))
                .isInstanceOf(ConversionException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", "yes", "1", "off", "no", "0", "true,true", "perhaps"})
    void otherSpellingsOfFlagsAreRefused(String text) {
        assertThatThrownBy(() -> service.convert(text, boolean.class))
                .isInstanceOf(ConversionException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"80d", "80f", "0x1p4", "NaN", "Infinity", "1e999", "8 0", "80%", ""})
    void otherSpellingsOfNumbersAreRefused(String text) {
        assertThatThrownBy(() -> FilterText.number("cpuAbove", text))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("cpuAbove");
    }

    @ParameterizedTest
    @ValueSource(strings = {",", " , ,"})
    void aListWithoutAWordIsRefused(String text) {
        assertThatThrownBy(() -> FilterText.words(text)).isInstanceOf(ApiException.class);
        assertThat(FilterText.words("a,,b,")).containsExactly("a", "b");
    }
}
