package org.stillwater.server.api.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.stillwater.server.api.host.HostTable;
import org.stillwater.server.api.rows.Column;

/** The status page reads members that there are. */
class StatusPageTest {

    private static String page() throws Exception {
        try (InputStream page = StatusPageTest.class.getResourceAsStream("/static/page.js")) {
            return new String(page.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** What the page reads of a variable. */
    private static Set<String> read(String variable) throws Exception {
        return Pattern.compile("(?<![.\\w])" + variable + "\\.(\\w+)")
                .matcher(page())
                .results()
                .map(each -> each.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void whatItReadsOfAHostIsTold() throws Exception {
        assertThat(read("host"))
                .contains("name", "reason")
                .isSubsetOf(HostTable.COLUMNS.columns().stream().map(Column::name).toList());
    }

    @Test
    void whatItReadsOfAVmIsTold() throws Exception {
        assertThat(read("vm"))
                .contains("name", "observedAt")
                .isSubsetOf(VmTable.COLUMNS.columns().stream().map(Column::name).toList());
    }

    /** All that fit are put in order before the first of them are shown. */
    @Test
    void itShowsTheFirstByName() throws Exception {
        assertThat(page())
                .contains("const shown = firstByName(fitting, ROWS);")
                .doesNotContain("shown.push");
    }
}
