package org.stillwater.monitoring.vm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;

class VmNumberColumnTest {

    private final VmManager one = vm(1);
    private final VmManager two = vm(2);
    private final VmSample sample = new VmSample();

    private static VmManager vm(long number) {
        return new VmManager(
                new VmId(0, number),
                new VmStatic("vm-" + number, VmOrigin.OVIRT, false, 1, 1, 2, 2, 1, List.of()),
                new VmState(VmRuntime.INITIAL, VmPlacement.NOWHERE, 0, Instant.EPOCH, 0),
                0,
                null);
    }

    private VmNumberColumn column(VmNumber number) {
        VmNumberColumn column = VmNumberColumn.of(new VmReading[] {one, two}, number);
        assertThat(column).isNotNull();
        return column;
    }

    @Test
    void hasTheNumbersOfThePresent() {
        VmNumberColumn user = column(VmNumber.CPU_USER);
        VmNumberColumn usage = column(VmNumber.CPU_USAGE);
        assertThat(user.value(0)).isNaN();
        assertThat(usage.value(0)).isNaN();

        sample.cpuUserPercent = 12.5;
        sample.cpuSystemPercent = 2;
        two.statistics().update(sample, 1, 1);
        assertThat(user.value(0)).isNaN();
        assertThat(user.value(1)).isEqualTo(12.5);
        assertThat(usage.value(1)).isEqualTo(14);

        sample.cpuUserPercent = 99;
        two.statistics().update(sample, 2, 1);
        assertThat(user.value(1)).isEqualTo(99);
        sample.clear();
        two.statistics().update(sample, 3, 1);
        assertThat(user.value(1)).as("no longer reported").isNaN();
        assertThat(usage.value(1)).isNaN();
    }

    @Test
    void onlyOnePassIsInIt() throws InterruptedException {
        VmNumberColumn column = column(VmNumber.CPU_USER);
        assertThat(column.tryHold()).isTrue();
        boolean[] held = {true};
        Thread other = Thread.ofPlatform().start(() -> held[0] = column.tryHold());
        other.join();
        assertThat(held[0]).isFalse();
        column.release();
        assertThat(column.tryHold()).isTrue();
    }
}
