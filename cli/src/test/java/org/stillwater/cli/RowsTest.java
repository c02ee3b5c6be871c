package org.stillwater.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.cli.Rows.Column;
import org.stillwater.cli.Rows.Form;

@DisplayName("A list")
class RowsTest {

    private static final List<Column> COLUMNS =
            List.of(
                    Column.of("name"),
                    new Column("cpu", "statistics.usageCpuPercent"),
                    Column.of("guestIps"));

    private static final String WEB =
            "{\"name\":\"web-1\",\"statistics\":{\"usageCpuPercent\":7.5},\"guestIps\":[\"10.0.0.1\",\"::1\"]}";
    private static final String DOWN = "{\"name\":\"a much longer name\",\"guestIps\":[]}";

    private final StringWriter printed = new StringWriter();

    private String print(Form form, List<Column> columns, String... rows) {
        Rows all = new Rows(new PrintWriter(printed), form, columns);
        for (String row : rows) {
            all.add(Json.parse(row));
        }
        all.show();
        return printed.toString().replace(System.lineSeparator(), "\n");
    }

    @Test
    @DisplayName("is a table with columns as wide as their widest entry, numbers on the right")
    void table() {
        assertThat(print(Form.TABLE, COLUMNS, WEB, DOWN))
                .isEqualTo(
                        """
                        NAME                CPU  GUESTIPS
                        web-1               7.5  10.0.0.1, ::1
                        a much longer name    -  -
                        """);
    }

    @Test
    @DisplayName("without an entry is a line of titles")
    void empty() {
        assertThat(print(Form.TABLE, COLUMNS)).isEqualTo("NAME  CPU  GUESTIPS\n");
    }

    @Test
    @DisplayName("goes on in the same widths while it is watched")
    void later() {
        StringWriter out = new StringWriter();
        Rows rows = new Rows(new PrintWriter(out), Form.TABLE, COLUMNS);
        rows.add(Json.parse(WEB));
        rows.show();
        rows.add(Json.parse("{\"name\":\"db\",\"statistics\":{\"usageCpuPercent\":1}}"));
        rows.show();

        assertThat(out.toString().lines())
                .containsExactly(
                        "NAME   CPU  GUESTIPS", "web-1  7.5  10.0.0.1, ::1", "db       1  -");
    }

    @Test
    @DisplayName("removes control characters of VM names, so that they cannot change the terminal")
    void harmless() {
        assertThat(
                        print(
                                Form.TABLE,
                                List.of(Column.of("name")),
                                "{\"name\":\"a\\u001b]0;owned\\u0007\\n\\u202eb\"}"))
                .isEqualTo("NAME\na\\u001b]0;owned\\u0007\\u000a\\u202eb\n");
    }

    @Test
    @DisplayName("is CSV with paths as names, quotes where they are needed and no formulas")
    void csv() {
        assertThat(
                        print(
                                Form.CSV,
                                COLUMNS,
                                WEB,
                                "{\"name\":\"=cmd(),\\\"x\\\"\",\"statistics\":{\"usageCpuPercent\":null}}"))
                .isEqualTo(
                        "name,statistics.usageCpuPercent,guestIps\r\n"
                                + "web-1,7.5,\"[\"\"10.0.0.1\"\",\"\"::1\"\"]\"\r\n"
                                + "\"'=cmd(),\"\"x\"\"\",,\r\n");
    }

    @Test
    @DisplayName("is JSON, one object a line: the columns, or all members of the engine's answer")
    void json() {
        assertThat(print(Form.JSON, COLUMNS, WEB))
                .isEqualTo(
                        "{\"name\":\"web-1\",\"statistics.usageCpuPercent\":7.5,\"guestIps\":[\"10.0.0.1\",\"::1\"]}\n");
        printed.getBuffer().setLength(0);
        assertThat(print(Form.JSON, List.of(), WEB)).isEqualTo(WEB + "\n");
    }

    @Test
    @DisplayName("of one object has a line for each member that is known")
    void details() {
        PrintWriter out = new PrintWriter(printed);
        Rows.details(
                out,
                Json.parse(
                        "{\"name\":\"a\",\"host\":null,\"usage\":{\"cpu\":1},\"nics\":[{\"mac\":\"m\"}],\"ips\":[\"x\",\"y\"]}"));
        out.flush();

        assertThat(printed.toString().lines())
                .containsExactly(
                        "name         a", "usage.cpu    1", "nics[0].mac  m", "ips          x, y");
    }
}
