package org.stillwater.fake.xapi.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.fake.xapi.world.Metrics.Updates;
import org.stillwater.fake.xapi.world.Metrics.Values;

class RrdWriterTest {

    private static final Path MESSAGES = Path.of("src/test/resources/xapi/messages");

    private static String text(String rows, String end) throws IOException {
        return Files.readString(MESSAGES.resolve("rrd-updates-" + rows + end));
    }

    private static List<String> all(String xml, String element) {
        Matcher matcher =
                Pattern.compile("<" + element + ">([^<]*)</" + element + ">").matcher(xml);
        List<String> found = new ArrayList<>();
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    private static Updates updates(String xml) {
        List<Values> rows = new ArrayList<>();
        for (String row : xml.split("<row>")) {
            if (row.startsWith("<t>")) {
                rows.add(
                        new Values(
                                Long.parseLong(all(row, "t").getFirst()),
                                all(row, "v").stream().mapToDouble(Double::parseDouble).toArray()));
            }
        }
        return new Updates(
                Long.parseLong(all(xml, "start").getFirst()),
                Long.parseLong(all(xml, "step").getFirst()),
                Long.parseLong(all(xml, "end").getFirst()),
                all(xml, "entry"),
                rows);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"0rows", "1row", "3rows"})
    @DisplayName("X48 the four notations of one answer have the real writers' bytes")
    void notations(String rows) throws IOException {
        Updates updates = updates(text(rows, ".xml"));
        assertThat(RrdWriter.xml(updates).toString()).isEqualTo(text(rows, ".xml"));
        assertThat(RrdWriter.json(updates, false).toString()).isEqualTo(text(rows, ".json"));
        assertThat(RrdWriter.json(updates, true).toString()).isEqualTo(text(rows, ".nested.json"));
        if (!rows.equals("0rows")) {
            assertThat(RrdWriter.legacy(updates).toString()).isEqualTo(text(rows, ".legacy.txt"));
        }
        assertThat(Arrays.asList(updates.legend().size())).containsExactly(35);
    }
}
