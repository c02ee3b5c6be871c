package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.dal.SchemaContract.Column;

class SchemaContractTest {

    private static final Column KEY = new Column("table", "vm", "id", "uuid", true, false, true);
    private static final Column NOTE =
            new Column("table", "vm", "note", "text", false, false, true);
    private static final Column SEEN = new Column("view", "vms", "id", "uuid", false, false, true);

    private static final SchemaContract BEFORE = SchemaContract.of(List.of(KEY, NOTE, SEEN));

    private static List<String> missedWith(Column... later) {
        List<Column> all = new ArrayList<>(List.of(KEY, NOTE, SEEN));
        for (Column each : later) {
            all.removeIf(old -> old.label().equals(each.label()));
            all.add(each);
        }
        return BEFORE.missesIn(SchemaContract.of(all));
    }

    private static List<String> missedWithout(Column gone) {
        List<Column> all = new ArrayList<>(List.of(KEY, NOTE, SEEN));
        all.remove(gone);
        return BEFORE.missesIn(SchemaContract.of(all));
    }

    @Test
    void additionsAreNotMissed() {
        assertThat(
                        missedWith(
                                new Column("table", "vm", "extra", "text", false, false, false),
                                new Column("table", "vm", "count", "bigint", true, true, false),
                                new Column("view", "vms", "note", "text", false, false, false),
                                new Column("table", "host", "id", "uuid", true, false, false)))
                .isEmpty();
    }

    @Test
    void droppedAndRenamedColumnsAreMissed() {
        assertThat(missedWithout(NOTE)).containsExactly("vm.note is gone");
        assertThat(missedWithout(SEEN)).containsExactly("vms is gone");
    }

    @Test
    void writersNeedNoNewColumn() {
        assertThat(missedWith(new Column("table", "vm", "owner", "text", true, false, false)))
                .containsExactly("vm.owner is new, and rows must name it");
        assertThat(missedWith(new Column("table", "vm", "note", "text", true, true, true)))
                .containsExactly("vm.note refuses null now");
        SchemaContract defaulted =
                SchemaContract.of(List.of(new Column("table", "a", "b", "text", true, true, true)));
        assertThat(
                        defaulted.missesIn(
                                SchemaContract.of(
                                        List.of(
                                                new Column(
                                                        "table", "a", "b", "text", true, false,
                                                        true)))))
                .containsExactly("a.b has no default any more");
    }

    @Test
    void typesAndRightsStay() {
        assertThat(missedWith(new Column("table", "vm", "note", "jsonb", false, false, true)))
                .containsExactly("vm.note has type jsonb, had text");
        assertThat(missedWith(new Column("table", "vm", "note", "text", false, false, false)))
                .containsExactly("vm.note may not be read by stillwater_reader any more");
        assertThat(missedWith(new Column("table", "vms", "id", "uuid", false, false, true)))
                .containsExactly("vms.id is of a table, was of a view");
    }

    @Test
    void aServerWithoutTheRoleOfReadersProvesNothingAboutThem() {
        assertThat(
                        SchemaContract.of(List.of(KEY))
                                .missesIn(
                                        SchemaContract.of(
                                                List.of(
                                                        new Column(
                                                                "table", "vm", "id", "uuid", true,
                                                                false, false)))))
                .isEmpty();
    }

    @Test
    void linesAreReadAsTheyWereWritten() {
        List<String> lines = BEFORE.lines();
        assertThat(lines).contains("table|vm|id|uuid|required|reader");
        assertThat(SchemaContract.parse(lines).lines()).isEqualTo(lines);
        assertThat(BEFORE.queries())
                .containsExactly(
                        "SELECT \"id\", \"note\" FROM \"vm\" LIMIT 0",
                        "SELECT \"id\" FROM \"vms\" LIMIT 0");
    }
}
