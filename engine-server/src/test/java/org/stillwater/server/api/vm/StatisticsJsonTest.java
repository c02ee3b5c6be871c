package org.stillwater.server.api.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.InterfaceStatus;
import org.stillwater.core.vm.StatisticsField;
import org.stillwater.core.vm.StatisticsField.Subject;
import org.stillwater.core.vm.VmStatisticsView;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class StatisticsJsonTest {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final VmId VM = new VmId(1, 2);

    @Test
    void theAnswerHasEveryValueOfTheTableAndNoOther() {
        JsonNode answer = written(full());

        assertThat(membersOf(answer))
                .containsExactlyInAnyOrderElementsOf(and(members(Subject.VM), "vmId", "stale"));
        assertThat(membersOf(answer.path("nics").get(0)))
                .containsExactlyInAnyOrderElementsOf(members(Subject.NIC));
        assertThat(membersOf(answer.path("disks").get(0)))
                .containsExactlyInAnyOrderElementsOf(members(Subject.DISK));
    }

    @Test
    void beforeTheFirstPollEveryMemberIsThereAndNothingIsKnown() {
        JsonNode answer = written(null);

        assertThat(membersOf(answer)).containsExactlyElementsOf(membersOf(written(full())));
        answer.properties().stream()
                .filter(member -> !List.of("vmId", "stale").contains(member.getKey()))
                .forEach(member ->
                        assertThat(
                                        member.getValue().isNull()
                                                || (member.getValue().isArray()
                                                        && member.getValue().isEmpty()))
                                .as(member.toString())
                                .isTrue());
    }

    @Test
    void unknownValuesAreNull() {
        JsonNode answer = written(full());

        assertThat(answer.path("cpuUserPercent").isNull()).isTrue();
        assertThat(answer.path("usageCpuPercent").asInt()).isEqualTo(99);
        JsonNode nic = answer.path("nics").get(0);
        assertThat(nic.path("status").asString()).isEqualTo("up");
        assertThat(nic.path("receivedBytes").isNull()).isTrue();
        assertThat(nic.path("sentOffsetBytes").asLong()).isEqualTo(-500);
        assertThat(nic.path("sampleTimeSeconds").isNull()).isTrue();
        assertThat(answer.path("disks").get(0).path("readOperations").isNull()).isTrue();
    }

    private static List<String> members(Subject subject) {
        return Arrays.stream(StatisticsField.values())
                .filter(field -> field.subject() == subject)
                .map(StatisticsField::member)
                .toList();
    }

    private static List<String> and(List<String> members, String... more) {
        List<String> all = new ArrayList<>(members);
        all.addAll(List.of(more));
        return all;
    }

    private static List<String> membersOf(JsonNode object) {
        return List.copyOf(object.propertyNames());
    }

    private static JsonNode written(@Nullable VmStatisticsView view) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            StatisticsJson.write(json, new VmJsonModule.Statistics(VM, view, false));
        }
        return JSON.readTree(text.toString());
    }

    private static VmStatisticsView full() {
        return new VmStatisticsView(
                Instant.EPOCH,
                Double.NaN,
                1,
                99,
                0,
                null,
                12L,
                1L,
                2L,
                3L,
                4L,
                5L,
                6L,
                7L,
                8L,
                40,
                "[]",
                List.of(
                        new VmStatisticsView.Nic(
                                new UUID(1, 1),
                                "nic1",
                                "56:6f:00:00:00:01",
                                InterfaceStatus.UP,
                                1_000,
                                null,
                                1L,
                                null,
                                -500L,
                                null,
                                0.5,
                                null,
                                2L,
                                Double.NaN)),
                List.of(
                        new VmStatisticsView.Disk(
                                "vda", null, null, 1, 2, null, 3L, 4L, 0.1, 0.2, Double.NaN)),
                List.of(1),
                List.of(),
                List.of());
    }
}
