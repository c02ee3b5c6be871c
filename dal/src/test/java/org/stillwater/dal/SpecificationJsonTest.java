package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.SQLDataException;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.model.VmSpecification;
import org.stillwater.testkit.Specifications;

class SpecificationJsonTest {

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whatIsWrittenIsRead(long seed) throws SQLDataException {
        VmSpecification specification = Specifications.any(seed);
        assertThat(SpecificationJson.read(SpecificationJson.write(specification)))
                .as("seed %d", seed)
                .isEqualTo(specification);
    }

    @Test
    void nothingIsNothing() throws SQLDataException {
        assertThat(SpecificationJson.write(null)).isNull();
        assertThat(SpecificationJson.read(null)).isNull();
    }

    /** Such a text is in databases: it must be read for ever. */
    @Test
    void whatIsUnknownIsIgnoredAndWhatIsMissingIsEmpty() throws SQLDataException {
        String text =
                """
                {"cpu":{"kind":"cluster","later":1},"firmware":"BIOS","boot":["DISK"],"video":"VGA","balloon":true,
                 "resume":"AUTO_RESUME","later":{"a":[1]}}
                """;
        assertThat(SpecificationJson.read(text)).isEqualTo(VmSpecification.BARE);
        assertThat(SpecificationJson.write(VmSpecification.BARE))
                .contains("\"cpu\":{\"kind\":\"cluster\"}", "\"maximumSockets\":0")
                .doesNotContain("null");
    }

    @Test
    void whatBreaksARuleIsRefused() {
        for (String text :
                new String[] {"{\"maximumSockets\":-1}", "{\"firmware\":\"X\"}", "[", "{}"}) {
            assertThatExceptionOfType(SQLDataException.class)
                    .as(text)
                    .isThrownBy(() -> SpecificationJson.read(text));
        }
    }
}
