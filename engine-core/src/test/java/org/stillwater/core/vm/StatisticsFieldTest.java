package org.stillwater.core.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.core.vm.StatisticsField.Subject;

/**
 * The table of statistics, the readers' output and the reference page agree. Run with {@code
 * -Dstillwater.docs.update=true} to write the page.
 */
class StatisticsFieldTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "statistics-fields.md");

    private static final String HEAD =
            """
            # Statistics of a VM

            Numbers that change from cycle to cycle: one row per value of `StatisticsField`. They live in memory, each VM's are replaced
            by its host's next poll, and `observedAt` says when that was. Before the first poll, and after a restart of the engine, they
            are all unknown. A cycle writes none of them to the database; *column* is where a sample of the value goes on the long
            interval for history.

            Unknown is null. *When the VM stops* says what a VM that is down or suspended shows.

            Usage histories hold the newest `stillwater.cycle.usage-history` samples (40); a poll that has no value adds none.
            """;

    @Test
    void everyMemberOfTheViewIsARowOfTheTableInItsOrder() {
        assertThat(membersOf(Subject.VM)).isEqualTo(components(VmStatisticsView.class));
        assertThat(membersOf(Subject.NIC)).isEqualTo(components(VmStatisticsView.Nic.class));
        assertThat(membersOf(Subject.DISK)).isEqualTo(components(VmStatisticsView.Disk.class));
    }

    private static List<String> membersOf(Subject subject) {
        return Arrays.stream(StatisticsField.values())
                .filter(field -> field.subject() == subject)
                .map(StatisticsField::member)
                .toList();
    }

    private static List<String> components(Class<?> record) {
        return Arrays.stream(record.getRecordComponents()).map(RecordComponent::getName).toList();
    }

    @Test
    void everyRowHasAUnitAndASourceOrARule() {
        List<StatisticsField> bare = new ArrayList<>();
        for (StatisticsField field : StatisticsField.values()) {
            if (field.unit().isEmpty() || (field.wire() == null && field.rule().isEmpty())) {
                bare.add(field);
            }
        }
        assertThat(bare).isEmpty();
    }

    @Test
    void theReferencePageIsTheTable() throws IOException {
        if (Boolean.getBoolean("stillwater.docs.update")) {
            Files.writeString(PAGE, render());
        }
        assertThat(PAGE).as("run with -Dstillwater.docs.update=true").hasContent(render());
    }

    private static String render() {
        StringBuilder page = new StringBuilder(HEAD);
        for (Subject subject : Subject.values()) {
            page.append(
                    switch (subject) {
                        case VM -> "\n## The VM\n\n";
                        case NIC -> "\n## Each interface, in `nics`\n\n";
                        case DISK -> "\n## Each disk, in `disks`\n\n";
                    });
            page.append("| Value | Wire | Unit | Rule | When the VM stops | Column |\n");
            page.append("|---|---|---|---|---|---|\n");
            for (StatisticsField field : StatisticsField.values()) {
                if (field.subject() == subject) {
                    page.append(
                            "| `%s` | %s | %s | %s | %s | %s |\n"
                                    .formatted(
                                            field.member(),
                                            field.wire() == null ? "–" : "`" + field.wire() + "`",
                                            field.unit(),
                                            field.rule(),
                                            field.whenStopped(),
                                            field.column() == null
                                                    ? "–"
                                                    : "`" + field.column() + "`"));
                }
            }
        }
        return page.toString();
    }
}
