package org.stillwater.server.api.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.server.api.web.EntityTag;

/** The entity tag of answers with numbers of VMs. */
class VmListTagTest {

    private static final VmId ID = new VmId(1, 1);

    private final VmRegistry registry = new VmRegistry(0);
    private final FleetReader fleet = mock(FleetReader.class);

    private static String tag(VmRow row) {
        EntityTag tag = new EntityTag();
        VmLists.number(tag, row);
        return tag.quoted();
    }

    @Test
    void progressOfAMigrationBetweenTwoPollsChangesTheTag() {
        VmStatic definition =
                new VmStatic("vm-1", VmOrigin.EXTERNAL, false, 1024, 512, 1, 1, 1, List.of());
        VmState state = new VmState(VmRuntime.INITIAL, VmPlacement.NOWHERE, 0, Instant.EPOCH, 0);
        assertThat(registry.register(ID, definition, state, _ -> {})).isTrue();
        VmManager vm = Objects.requireNonNull(registry.find(ID));
        vm.lock();
        try {
            vm.statistics().update(new VmSample(), 1_000, vm.cpus());
        } finally {
            vm.unlock();
        }
        VmRow row = new VmRow(fleet, Instant.EPOCH, Duration.ofSeconds(30));
        String before = tag(row.scan(vm));
        assertThat(tag(row.scan(vm))).isEqualTo(before);
        vm.lock();
        try {
            vm.statistics().migrationProgressed(30);
        } finally {
            vm.unlock();
        }
        assertThat(tag(row.scan(vm))).isNotEqualTo(before);
        assertThat(tag(row.of(vm))).isEqualTo(tag(row.scan(vm)));
    }
}
