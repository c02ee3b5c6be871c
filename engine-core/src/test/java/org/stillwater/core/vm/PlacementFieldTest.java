package org.stillwater.core.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.HostId;

class PlacementFieldTest {

    private static final VmPlacement FULL =
            new VmPlacement(
                    new HostId(new UUID(1, 1)),
                    new HostId(new UUID(1, 2)),
                    Instant.EPOCH,
                    Instant.EPOCH.plusSeconds(1),
                    new VmRun(
                            5,
                            Instant.EPOCH.plusSeconds(2),
                            6L,
                            "runtime",
                            "user",
                            new UUID(1, 3),
                            "cpu",
                            "machine",
                            true,
                            new VmRun.Topology("0#1", 2, 3, 4, "0#0"),
                            "reason"));

    @Test
    void everythingThatAPlacementHoldsIsARowOfTheTable() {
        assertThat(leaves(VmPlacement.class)).hasSameSizeAs(PlacementField.values());
    }

    /** The values of a placement, with nested records flattened; an identity is one value. */
    private static Set<String> leaves(Class<?> type) {
        Set<String> leaves = new HashSet<>();
        for (RecordComponent component : type.getRecordComponents()) {
            if (component.getType().isRecord() && component.getType() != HostId.class) {
                leaves.addAll(leaves(component.getType()));
            } else {
                leaves.add(type.getSimpleName() + "." + component.getName());
            }
        }
        return leaves;
    }

    @Test
    void everyRowHasAColumnAndAValueOfItsOwn() {
        assertThat(Stream.of(PlacementField.values()).map(PlacementField::column))
                .doesNotHaveDuplicates();
        assertThat(Stream.of(PlacementField.values()).map(field -> field.value(FULL)))
                .doesNotContainNull()
                .doesNotHaveDuplicates();
    }

    @Test
    void exactlyTheChangedFieldsDiffer() {
        assertThat(PlacementFields.between(FULL, FULL)).isEqualTo(PlacementFields.NONE);
        assertThat(PlacementFields.between(FULL, FULL.withRun(FULL.run().ended())).toList())
                .containsExactly(
                        PlacementField.BOOT_TIME,
                        PlacementField.DOWNTIME,
                        PlacementField.RUNTIME_NAME,
                        PlacementField.CONSOLE_USER,
                        PlacementField.CONSOLE_USER_ID,
                        PlacementField.CPU_NAME,
                        PlacementField.EMULATED_MACHINE,
                        PlacementField.VOLATILE_RUN,
                        PlacementField.CPU_PINNING,
                        PlacementField.SOCKETS,
                        PlacementField.CORES_PER_SOCKET,
                        PlacementField.THREADS_PER_CORE,
                        PlacementField.NUMA_PINNING);
        assertThat(PlacementFields.between(FULL, FULL.withRunOn(null)))
                .isEqualTo(PlacementFields.of(PlacementField.RUN_ON));
        assertThat(PlacementFields.between(VmPlacement.NOWHERE, FULL))
                .isEqualTo(PlacementFields.all());
    }

    @Test
    void setsOfFieldsAreSets() {
        PlacementFields one = PlacementFields.of(PlacementField.RUN_ON);
        PlacementFields two = PlacementFields.of(PlacementField.DOWNTIME, PlacementField.RUN_ON);
        assertThat(one.union(two)).isEqualTo(two);
        assertThat(two.contains(PlacementField.DOWNTIME)).isTrue();
        assertThat(one.contains(PlacementField.DOWNTIME)).isFalse();
        assertThat(PlacementFields.NONE.isEmpty()).isTrue();
        assertThat(PlacementFields.all().toList())
                .isEqualTo(Arrays.asList(PlacementField.values()));
        assertThat(two).hasToString("[RUN_ON, DOWNTIME]");
    }
}
