package org.stillwater.server.api.rows;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.server.api.rows.Column.Origin;
import tools.jackson.databind.json.JsonMapper;

class PageTest {

    private static final int HEADERS_BYTES = 16 << 10; // server.max-http-request-header-size

    private record Row(UUID id, String text) {}

    private static final Page.ToIds<Row> IDS =
            new Page.ToIds<>() {
                @Override
                public long upper(Row row) {
                    return row.id().getMostSignificantBits();
                }

                @Override
                public long lower(Row row) {
                    return row.id().getLeastSignificantBits();
                }
            };

    private static final Table<Row> TABLE =
            new Table<>(
                    Stream.of("a", "b", "c", "d", "e")
                            .map(name ->
                                    Column.<Row>of(
                                            name,
                                            Column.Type.TEXT,
                                            Origin.DEFINED,
                                            (row, sink) -> sink.text(row.text())))
                            .toList(),
                    Map.of());

    private final JsonMapper mapper = JsonMapper.shared();

    private List<UUID> pages(List<Row> rows, String order, List<String> cursors) {
        List<UUID> seen = new ArrayList<>();
        String cursor = "";
        do {
            Page<Row, Row> page =
                    new Page<>(new Order<>(TABLE, order), cursor, 2, mapper, row -> row, IDS);
            rows.forEach(page::offer);
            page.rows().forEach(row -> seen.add(row.id()));
            cursor = page.next();
            if (cursor != null) {
                cursors.add(cursor);
            }
        } while (cursor != null);
        return seen;
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "\u4e2d", "\ud83d\ude00", "\u0001", "\""})
    void longTextsHaveCursorsThatTheListAccepts(String character) {
        List<Row> rows = new ArrayList<>();
        String text = "y".repeat(299) + character.repeat(4_000 / character.length());
        for (int i = 0; i < 7; i++) {
            rows.add(new Row(new UUID(0, i), text.substring(0, text.length() - i)));
            rows.add(new Row(new UUID(1, i), i + character.repeat(4_000 / character.length())));
        }
        for (String order : List.of("a", "-a", "a,b,c,d,e", "-a,b,-c,d,-e")) {
            List<String> cursors = new ArrayList<>();
            assertThat(pages(rows, order, cursors)).as(order).hasSize(14).doesNotHaveDuplicates();
            assertThat(cursors).hasSize(6).allMatch(each -> each.length() < HEADERS_BYTES - 2_000);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "-a"})
    void namesOfAnyLengthAreInOrder(String order) {
        String common = "n".repeat(254);
        List<Row> rows =
                List.of(
                        new Row(new UUID(0, 3), common + "a"),
                        new Row(new UUID(0, 1), common + "c"),
                        new Row(new UUID(0, 2), common + "b"));
        List<UUID> expected =
                order.equals("a")
                        ? List.of(new UUID(0, 3), new UUID(0, 2), new UUID(0, 1))
                        : List.of(new UUID(0, 1), new UUID(0, 2), new UUID(0, 3));
        assertThat(pages(rows, order, new ArrayList<>())).isEqualTo(expected);
    }
}
