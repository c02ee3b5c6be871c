package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.testkit.ScriptedReports;

class LunSizesTest {

    private static final String LUN = "36001405f0c2b0a9d1e44b5aa7c3d9e10";
    private static final long GIBIBYTE = 1L << 30;

    private final Lab lab = new Lab();

    private void poweringUp() throws Exception {
        lab.luns.define(LUN, 10);
        lab.luns.plug(VM, LUN);
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.WAIT_FOR_LAUNCH).started();
        lab.answer(ALPHA, up(50, VmStatus.WAIT_FOR_LAUNCH, _ -> {})).settle();
    }

    private static Consumer<ScriptedReports> up(
            long stamp, VmStatus status, Consumer<VmSample> numbers) {
        return poll -> poll.running(VM, stamp, null, status(status), numbers);
    }

    private static Consumer<VmSample> disks(long lunBytes) {
        return sample -> {
            sample.disksReported = true;
            VmSample.Disk image = sample.addDisk();
            image.name = "vda";
            image.imageId = VM;
            image.actualSizeBytes = 77 * GIBIBYTE;
            VmSample.Disk lun = sample.addDisk();
            lun.name = "sda";
            lun.lunId = LUN;
            lun.actualSizeBytes = lunBytes;
        };
    }

    @Test
    @DisplayName("T46 A LUN in the poll after an event brought the VM up is saved once")
    void aLunIsMeasuredAfterAnEventBroughtTheVmUp() throws Exception {
        poweringUp();
        lab.event(ALPHA, up(100, VmStatus.POWERING_UP, _ -> {}));
        lab.event(ALPHA, up(200, VmStatus.UP, _ -> {}));
        lab.cycle(ALPHA, up(300, VmStatus.UP, disks(12 * GIBIBYTE + 1)));
        assertThat(lab.luns.size(LUN)).isEqualTo(12);
        assertThat(lab.luns.calls()).isEqualTo(1);

        lab.cycle(ALPHA, up(400, VmStatus.UP, disks(14 * GIBIBYTE)));
        assertThat(lab.luns.calls()).as("nothing powered up since").isEqualTo(1);
    }

    @Test
    @DisplayName("T46 Disks that are absent, or no LUN among them, harm nothing")
    void absentDisksAreWaitedFor() throws Exception {
        poweringUp();
        lab.cycle(ALPHA, up(100, VmStatus.UP, _ -> {}));
        lab.cycle(ALPHA, up(200, VmStatus.UP, disks(VmSample.NOT_REPORTED)));
        lab.cycle(ALPHA, up(300, VmStatus.UP, disks(0)));
        assertThat(lab.luns.calls()).isZero();
        lab.cycle(ALPHA, up(400, VmStatus.UP, disks(11 * GIBIBYTE)));
        assertThat(lab.luns.size(LUN)).as("in the first poll that had its size").isEqualTo(11);
        assertThat(lab.counter("stillwater.reports", "outcome", "failed")).isZero();
    }

    @Test
    void aVmWithoutLunsIsReadOnce() throws Exception {
        poweringUp();
        lab.cycle(ALPHA, up(100, VmStatus.UP, sample -> sample.disksReported = true));
        lab.cycle(ALPHA, up(200, VmStatus.UP, disks(12 * GIBIBYTE)));
        assertThat(lab.luns.calls()).isZero();
        assertThat(lab.luns.size(LUN)).isEqualTo(10);
    }

    @Test
    void aStoppedVmIsNotRead() throws Exception {
        poweringUp();
        lab.event(ALPHA, up(100, VmStatus.UP, _ -> {}));
        lab.event(
                ALPHA,
                event ->
                        event.exited(
                                VM, 200, ExitStatus.NORMAL, ExitReason.ADMIN_SHUTDOWN, "stopped"));
        lab.settle();
        assertThat(lab.status(VM)).isEqualTo(VmStatus.DOWN);
        assertThat(lab.luns.calls()).isZero();
    }
}
