package org.stillwater.vdsm.jsonrpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;

@DisplayName("8a.46 Each numeric field is accepted as string, int or float")
class LenientTest {
    @ParameterizedTest(name = "8a.46 {0} is {1} or {2}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "\"0.00\" | 0 | 0",
                "\"-1\" | -1 | -1",
                "\"\" | 77 | 77",
                "\" 12 \" | 12 | 12",
                "\"abc\" | 77 | 77",
                "\"NaN\" | 77 | 77",
                "\"0x10\" | 77 | 77",
                "\"Infinity\" | 77 | 77",
                "\"1d\" | 77 | 77",
                "\"+5\" | 5 | 5",
                "\"-\" | 77 | 77",
                "\".\" | 77 | 77",
                "\"7.43\" | 7 | 7.43",
                "7.43 | 7 | 7.43",
                "7 | 7 | 7",
                "\"10240.533333333333\" | 10240 | 10240.533333333333",
                "1051231.357 | 1051231 | 1051231.357",
                "1e3 | 1000 | 1000",
                "\"1E3\" | 1000 | 1000",
                "\"9223372036854775807\" | 9223372036854775807 | 9223372036854775807",
                "\"-9223372036854775808\" | -9223372036854775808 | -9223372036854775808",
                "9223372036854775808 | 9223372036854775807 | 9223372036854775808",
                "\"99999999999999999999999\" | 9223372036854775807 | 1e23",
                "\"-99999999999999999999999\" | -9223372036854775808 | -1e23",
                "1e999 | 9223372036854775807 | 1.7976931348623157E308",
                "1234567890123456789 | 1234567890123456789 | 1234567890123456789",
                "1234567890123456789.5 | 1234567890123456789 | 1234567890123456789.5",
                "null | 77 | 77",
                "true | 77 | 77",
                "[1] | 77 | 77",
                "{\"a\":1} | 77 | 77",
            })
    void numbers(String json, long asLong, double asDouble) {
        JsonParser parser = at(json);
        assertThat(Lenient.longOf(parser, 77)).isEqualTo(asLong);
        assertThat(Lenient.doubleOf(at(json), 77)).isEqualTo(asDouble);
        assertThat(parser.nextToken()).as("left on the last token of the value").isNull();
    }

    @Test
    void integersOf32BitsAreHeldAtTheirBounds() {
        assertThat(Lenient.intOf(at("\"3000000000\""), 0)).isEqualTo(Integer.MAX_VALUE);
        assertThat(Lenient.intOf(at("-3000000000"), 0)).isEqualTo(Integer.MIN_VALUE);
        assertThat(Lenient.intOf(at("\"4\""), 0)).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            value = {
                "true | true",
                "false | false",
                "\"true\" | true",
                "\"True\" | true",
                "\"FALSE\" | false",
                "1 | true",
                "\"0\" | false",
            })
    void booleans(String json, boolean expected) {
        assertThat(Lenient.booleanOf(at(json), !expected)).isEqualTo(expected);
    }

    @Test
    void otherTextsThanBooleansAreAbsent() {
        for (String json : new String[] {"null", "\"\"", "\"yes\"", "{}", "[]"}) {
            assertThat(Lenient.booleanOf(at(json), true)).isTrue();
            assertThat(Lenient.booleanOf(at(json), false)).isFalse();
        }
    }

    @Test
    void randomNumbersAgreeWithTheJdk() {
        Random random = new Random(42);
        for (int i = 0; i < 20_000; i++) {
            double value = (random.nextDouble() - 0.3) * Math.pow(10, random.nextInt(18) - 3.0);
            String text =
                    random.nextBoolean()
                            ? Double.toString(value)
                            : String.format(java.util.Locale.ROOT, "%.3f", value);
            assertThat(Lenient.doubleOf(at("\"" + text + "\""), -7))
                    .isEqualTo(Double.parseDouble(text));
            assertThat(Lenient.longOf(at(text), -7)).isEqualTo((long) Double.parseDouble(text));
        }
    }

    private static JsonParser at(String json) {
        JsonParser parser = Json.FACTORY.createParser(ObjectReadContext.empty(), json);
        parser.nextToken();
        return parser;
    }
}
