package org.stillwater.server.api.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.stillwater.server.api.host.HostTable;

/** The console asks for fields that exist. */
class ConsoleFieldsTest {

    private static final Path SOURCES = Path.of("..", "console", "src", "main", "web");

    private static List<String> fields(String file) throws IOException {
        Matcher matcher =
                Pattern.compile("const FIELDS = '([^']+)'")
                        .matcher(Files.readString(SOURCES.resolve(file)));
        assertThat(matcher.find()).as(file).isTrue();
        return List.of(matcher.group(1).split(","));
    }

    @Test
    void theStreamKnowsTheFieldsOfVms() throws Exception {
        assertThat(fields("worker/main.ts"))
                .contains("id", "name", "status")
                .allSatisfy(field ->
                        assertThat(VmTable.COLUMNS.select(field, false)).as(field).hasSize(1));
    }

    @Test
    void theListKnowsTheFieldsOfHosts() throws Exception {
        assertThat(fields("page/hosts.tsx"))
                .contains("id", "name", "status")
                .allSatisfy(field ->
                        assertThat(HostTable.COLUMNS.select(field, false)).as(field).isNotEmpty());
    }
}
