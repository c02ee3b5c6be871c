package org.stillwater.core.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.stillwater.core.report.HostField.Kind;
import org.stillwater.core.report.HostField.Source;
import org.stillwater.core.report.HostPartField.Whole;

/**
 * The table of host fields, the records that hold them and the reference page are one. Run with
 * {@code -Dstillwater.docs.update=true} to write the page.
 */
class HostFieldTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "host-fields.md");

    private static final Set<Class<?>> WHOLES =
            Arrays.stream(Whole.values()).map(Whole::type).collect(Collectors.toSet());

    private static final String HEAD =
            """
            # What a host reports about itself

            One row per value of `HostField`, and of `HostPartField` for the members of structures. *Value* is where it stands in
            `GET /api/v1/hosts/{id}` (in `capabilities`, `hardware` or `statistics`), *Wire* is where the host's answer has it. A number
            may come as text; a value of the wrong kind counts as not reported and is counted (`stillwater.wire.misfits`).
            *Limit* is how many characters of each text, and how many entries of each list, are kept; of one answer ANSWER in all. What is
            beyond is cut or left out, and every text is cleaned (ADR 0034).

            | | Capabilities and hardware | Statistics |
            |---|---|---|
            | read | when a connection is made, and when the host asks for it | once per cycle |
            | compared | all values together with those known | never |
            | applied | all together, when one differs | always |
            | written | the row of the host, when it differs | a sample of some, on the interval `stillwater.dwh.interval` |
            | reset | never; kept while the host is silent | never; what is derived (`usage`) becomes unknown when the host is given up |
            """;

    @Test
    void everyComponentOfTheRecordsIsARowOfTheTable() {
        assertThat(membersOf(Source.CAPABILITIES)).isEqualTo(leaves("", HostCapabilities.class));
        assertThat(membersOf(Source.HARDWARE)).isEqualTo(leaves("", HostHardware.class));
        assertThat(membersOf(Source.STATISTICS)).isEqualTo(leaves("", HostStatistics.class));
    }

    @Test
    void everyComponentOfAPartIsARowOfTheTableInItsOrder() {
        for (Whole whole : Whole.values()) {
            assertThat(partsOf(whole).map(HostPartField::member))
                    .as(whole.title())
                    .containsExactlyElementsOf(
                            Arrays.stream(whole.type().getRecordComponents())
                                    .map(RecordComponent::getName)
                                    .toList());
        }
    }

    private static Stream<HostPartField> partsOf(Whole whole) {
        return Arrays.stream(HostPartField.values()).filter(part -> part.whole() == whole);
    }

    private static Set<String> membersOf(Source source) {
        return rowsOf(source).map(HostField::member).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<HostField> rowsOf(Source source) {
        return Arrays.stream(HostField.values()).filter(field -> field.source() == source);
    }

    /** Paths to everything that is no group of values. */
    private static Set<String> leaves(String prefix, Class<?> type) {
        Set<String> leaves = new TreeSet<>();
        for (RecordComponent component : type.getRecordComponents()) {
            String path = prefix + component.getName();
            if (component.getType().isRecord() && !WHOLES.contains(component.getType())) {
                leaves.addAll(leaves(path + ".", component.getType()));
            } else {
                leaves.add(path);
            }
        }
        return leaves;
    }

    @Test
    void everyReportedValueIsWrittenSomewhereOrSaysWhyNot() {
        assertThat(HostField.values())
                .filteredOn(field -> field.source() != Source.STATISTICS)
                .allSatisfy(field -> assertThat(field.column()).as(field.name()).isNotNull());
        assertThat(HostField.values())
                .filteredOn(field -> field.kind() == Kind.LONG || field.kind() == Kind.NUMBER)
                .filteredOn(field -> field.rule().isEmpty())
                .allSatisfy(field -> assertThat(field.unit()).as(field.name()).isNotEmpty());
    }

    @Test
    void aColumnHasOneRow() {
        assertThat(
                        Arrays.stream(HostField.values())
                                .filter(HostField::isInHostRow)
                                .map(HostField::column))
                .doesNotHaveDuplicates();
    }

    @Test
    void aRowTakesValuesOfItsKindOnly() {
        HostValues values = new HostValues();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> values.put(HostField.CPU_CORES, "8"))
                .withMessageContaining("CPU_CORES");
        assertThat(values.put(HostField.CPU_CORES, 8).put(HostField.CPU_MODEL, null).capabilities())
                .isEqualTo(new HostValues().put(HostField.CPU_CORES, 8).capabilities());
    }

    @Test
    void aRowReadsItsOwnSourceOnly() {
        HostCapabilities capabilities =
                new HostValues().put(HostField.CPU_SPEED, 2450.5).capabilities();
        assertThat(HostField.CPU_SPEED.valueOf(capabilities)).isEqualTo(2451L);
        assertThatIllegalStateException().isThrownBy(() -> HostField.FAMILY.valueOf(capabilities));
        assertThatIllegalStateException()
                .isThrownBy(() -> HostField.NUMA_NODES.valueOf(capabilities));
    }

    @Test
    void equalReportsAreEqualInAnyOrder() {
        assertThat(values(List.of("a", "b")).toString())
                .isEqualTo(values(List.of("b", "a")).toString());
    }

    private static HostCapabilities values(List<String> order) {
        Map<String, String> features = new LinkedHashMap<>();
        order.forEach(name -> features.put(name, "on"));
        return new HostValues().put(HostField.KERNEL_FEATURES, features).capabilities();
    }

    @Test
    void theReferencePageIsTheTable() throws IOException {
        if (Boolean.getBoolean("stillwater.docs.update")) {
            Files.writeString(PAGE, render());
        }
        assertThat(PAGE).as("run with -Dstillwater.docs.update=true").hasContent(render());
    }

    private static String render() {
        StringBuilder page =
                new StringBuilder(
                        HEAD.replace("ANSWER", ReportedText.HOST_ANSWER.limit().toString()));
        for (Source source : Source.values()) {
            page.append("\n## ").append(source.verb()).append("\n\n");
            page.append(
                    "| Value | Wire | Held as | Limit | Unit | Column | |\n"
                            + "|---|---|---|---|---|---|---|\n");
            rowsOf(source)
                    .forEach(field ->
                            page.append(
                                    "| `%s` | `%s` | %s | %s | %s | %s | %s |\n"
                                            .formatted(
                                                    field.member(),
                                                    field.wire(),
                                                    word(field.kind()),
                                                    field.limit() == null ? "" : field.limit(),
                                                    field.unit(),
                                                    column(field),
                                                    field.rule())));
        }
        page.append("\n## Members of structures\n\n");
        page.append("| Part of | Value | Wire | Unit |\n|---|---|---|---|\n");
        for (HostPartField part : HostPartField.values()) {
            page.append(
                    "| %s (`%s`) | `%s` | %s | %s |\n"
                            .formatted(
                                    part.whole().title(),
                                    part.whole().wire(),
                                    part.member(),
                                    part.wire().startsWith("(")
                                            ? part.wire()
                                            : "`" + part.wire() + "`",
                                    part.unit()));
        }
        return page.toString();
    }

    private static String word(Kind kind) {
        return switch (kind) {
            case TEXT -> "text";
            case INTEGER, LONG -> "whole number";
            case NUMBER -> "number";
            case BOOLEAN -> "true or false";
            case TIME -> "time";
            case TEXTS -> "list of texts";
            case INTEGERS -> "list of numbers";
            case TEXT_MAP -> "texts by name";
            case STRUCTURE -> "structure";
        };
    }

    private static String column(HostField field) {
        if (field.column() == null) {
            return "–";
        }
        return "`" + (field.isInHostRow() ? "host_dynamic." : "") + field.column() + "`";
    }
}
