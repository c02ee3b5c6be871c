package org.stillwater.core.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostNumaNode;
import org.stillwater.core.report.HostField.Kind;
import org.stillwater.core.report.HostField.Source;
import org.stillwater.core.value.Wire;

/**
 * The table of host fields, the records that hold them and the reference page are one. Run with
 * {@code -Dstillwater.docs.update=true} to write the page.
 */
class HostFieldTest {

    private static final Path PAGE = Path.of("..", "docs", "reference", "host-fields.md");

    /**
     * A structure.
     *
     * @param title title for readers
     * @param wire where it stands in the answer; {@code *} is any key or element
     * @param type type that holds it
     */
    private record Structure(String title, String wire, Class<? extends Record> type) {}

    private static final List<Structure> STRUCTURES =
            List.of(
                    new Structure("a processor", "cpuTopology.*", HostCapabilities.Cpu.Place.class),
                    new Structure(
                            "addresses",
                            "networks.*, nics.*, bondings.*, vlans.*, bridges.*",
                            HostNetworks.Ip.class),
                    new Structure("a network", "networks.*", HostNetworks.Network.class),
                    new Structure("a network card", "nics.*", HostNetworks.Nic.class),
                    new Structure("a bond", "bondings.*", HostNetworks.Bond.class),
                    new Structure("a VLAN interface", "vlans.*", HostNetworks.Vlan.class),
                    new Structure("a bridge", "bridges.*", HostNetworks.Bridge.class),
                    new Structure(
                            "host bus adapters", "HBAInventory", HostCapabilities.Adapters.class),
                    new Structure(
                            "a Fibre Channel port",
                            "HBAInventory.FC.*",
                            HostCapabilities.FibreChannelPort.class),
                    new Structure("a NUMA node", "numaNodes.*", HostNumaNode.class),
                    new Structure(
                            "a processor's numbers", "cpuStatistics.*", HostStatistics.Core.class),
                    new Structure(
                            "a NUMA node's numbers", "numaNodeMemFree.*", NumaNodeStatistics.class),
                    new Structure(
                            "huge pages of a size", "hugepages.*", HostStatistics.HugePages.class),
                    new Structure("an interface's numbers", "network.*", HostStatistics.Nic.class),
                    new Structure(
                            "a storage domain",
                            "storageDomains.*",
                            HostStatistics.StorageDomain.class),
                    new Structure(
                            "paths to a LUN", "multipathHealth.*", HostStatistics.Multipath.class),
                    new Structure("a conversion", "v2vJobs.*", HostStatistics.V2vJob.class));

    private static final String HEAD =
            """
            # What a host reports about itself

            One row per value of `HostField`, and per `Wire` of the members of structures. *Value* is where it stands in
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
    void everyComponentOfAStructureHasItsWireName() {
        assertThat(
                        Stream.of(Source.values())
                                .flatMap(source -> structuresIn(source.report()))
                                .collect(Collectors.toSet()))
                .as("structures in reports")
                .isEqualTo(STRUCTURES.stream().map(Structure::type).collect(Collectors.toSet()));
        for (Structure structure : STRUCTURES) {
            assertThat(structure.type().getRecordComponents())
                    .as(structure.title())
                    .allMatch(component -> component.isAnnotationPresent(Wire.class));
        }
    }

    /** Records that are no groups of rows, also in lists and maps, and in each other. */
    private static Stream<Class<?>> structuresIn(Class<?> type) {
        boolean isGroup = isGroup(type);
        return Stream.concat(
                isGroup ? Stream.empty() : Stream.of(type),
                Stream.of(type.getRecordComponents())
                        .flatMap(component -> recordsIn(component.getGenericType()))
                        .flatMap(HostFieldTest::structuresIn));
    }

    private static Stream<Class<?>> recordsIn(Type type) {
        return switch (type) {
            case ParameterizedType generic ->
                    Stream.of(generic.getActualTypeArguments()).flatMap(HostFieldTest::recordsIn);
            case Class<?> one when one.isRecord() -> Stream.of(one);
            default -> Stream.empty();
        };
    }

    /** Whether the components of a record are rows of the table, or groups of rows. */
    private static boolean isGroup(Class<?> type) {
        return STRUCTURES.stream().noneMatch(structure -> structure.type() == type);
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
            if (component.getType().isRecord() && isGroup(component.getType())) {
                leaves.addAll(leaves(path + ".", component.getType()));
            } else {
                leaves.add(path);
            }
        }
        return leaves;
    }

    @Test
    void everyReportedValueIsWrittenOrHasAReason() {
        assertThat(HostField.values())
                .filteredOn(field -> field.source() != Source.STATISTICS)
                .allSatisfy(field -> assertThat(field.storedIn()).as(field.name()).isNotNull());
        assertThat(HostField.values())
                .filteredOn(field -> field.kind() == Kind.LONG || field.kind() == Kind.NUMBER)
                .filteredOn(field -> field.rule().isEmpty())
                .allSatisfy(field -> assertThat(field.unit()).as(field.name()).isNotEmpty());
    }

    @Test
    void aColumnHasOneRow() {
        assertThat(
                        Arrays.stream(HostField.values())
                                .filter(field -> field.source() != Source.STATISTICS)
                                .map(HostField::column)
                                .filter(Objects::nonNull))
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
        assertThat(HostField.CPU_SPEED.columnValue(capabilities)).isEqualTo(2451L);
        assertThatIllegalStateException()
                .isThrownBy(() -> HostField.FAMILY.columnValue(capabilities));
        assertThatIllegalStateException()
                .isThrownBy(() -> HostField.NUMA_NODES.columnValue(capabilities));
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
        for (Structure structure : STRUCTURES) {
            for (RecordComponent component : structure.type().getRecordComponents()) {
                Wire wire = Objects.requireNonNull(component.getAnnotation(Wire.class));
                String names = String.join(", else ", wire.value());
                page.append(
                        "| %s (`%s`) | `%s` | %s | %s |\n"
                                .formatted(
                                        structure.title(),
                                        structure.wire(),
                                        component.getName(),
                                        names.startsWith("(") ? names : "`" + names + "`",
                                        wire.unit()));
            }
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
        return field.storedIn() == null ? "–" : "`" + field.storedIn() + "`";
    }
}
