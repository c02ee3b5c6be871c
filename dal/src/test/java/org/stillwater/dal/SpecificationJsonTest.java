package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLDataException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.testkit.Specifications;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SpecificationJsonTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aWrittenSpecificationIsReadBack(long seed) throws SQLDataException {
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

    /** Such a text is in databases: it must always be readable. */
    @Test
    void unknownMembersAreIgnoredAndMissingOnesAreEmpty() throws SQLDataException {
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

    /** One specification a line, with members of every kind; lines are only ever added. */
    static List<String> stored() throws IOException {
        return Files.readAllLines(
                Path.of("src", "test", "resources", "stored", "specifications.jsonl"));
    }

    @ParameterizedTest
    @MethodSource("stored")
    void specificationsOfAnEarlierVersionAreReadInFull(String text) throws SQLDataException {
        String again = SpecificationJson.write(SpecificationJson.read(text));
        assertThat(lost("", JSON.readTree(text), JSON.readTree(again))).isEmpty();
    }

    private static List<String> lost(String path, JsonNode before, JsonNode after) {
        if (!before.isContainer()) {
            return before.equals(after) ? List.of() : List.of(path);
        }
        List<String> lost = new ArrayList<>();
        for (int i = 0; before.isArray() && i < before.size(); i++) {
            lost.addAll(lost(path + "[" + i + "]", before.get(i), after.path(i)));
        }
        for (Map.Entry<String, JsonNode> member : before.properties()) {
            lost.addAll(
                    lost(
                            path + "." + member.getKey(),
                            member.getValue(),
                            after.path(member.getKey())));
        }
        return lost;
    }

    @Test
    void brokenRulesAreRefused() {
        for (String text :
                new String[] {"{\"maximumSockets\":-1}", "{\"firmware\":\"X\"}", "[", "{}"}) {
            assertThatExceptionOfType(SQLDataException.class)
                    .as(text)
                    .isThrownBy(() -> SpecificationJson.read(text));
        }
    }
}
