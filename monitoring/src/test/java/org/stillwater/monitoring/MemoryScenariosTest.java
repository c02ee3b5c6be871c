package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** The audit log's events about the memory of VMs, from the report of a host on. */
class MemoryScenariosTest {

    private static final long GIBIBYTE = 1_048_576;

    private final Lab lab = new Lab();
    private int stamp = 100;

    @BeforeEach
    void upOnAlphaWithHalfItsMemoryGuaranteed() throws Exception {
        lab.storedHosts(ALPHA);
        lab.vms.put(
                new StoredVm(
                        VM,
                        new VmStatic(
                                "vm1", VmOrigin.OVIRT, false, 4_096, 2_048, 1, 1, 1, List.of()),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.UP),
                        VmPlacement.on(ALPHA)));
        lab.started();
        lab.answer(ALPHA, poll -> poll.running(VM, stamp++, status(VmStatus.UP)));
        lab.settle();
    }

    @Test
    @DisplayName("S59 less memory than guaranteed is audited, and not again for 15 minutes")
    void lessMemoryThanGuaranteed() {
        poll(GIBIBYTE, 4 * GIBIBYTE);

        assertThat(told(AuditEvent.VM_MEMORY_UNDER_GUARANTEED_VALUE))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.vmId()).isEqualTo(VM);
                    assertThat(entry.hostId()).isEqualTo(ALPHA);
                    assertThat(entry.text()).contains("vm1", "1024 MiB", "2048 MiB");
                });
        Instant again = lab.clock.now().plus(Duration.ofMinutes(15));
        while (lab.clock.now().plusSeconds(20).isBefore(again)) {
            poll(GIBIBYTE, 4 * GIBIBYTE);
        }
        assertThat(told(AuditEvent.VM_MEMORY_UNDER_GUARANTEED_VALUE)).hasSize(1);

        poll(GIBIBYTE, 4 * GIBIBYTE);
        poll(GIBIBYTE, 4 * GIBIBYTE);

        assertThat(told(AuditEvent.VM_MEMORY_UNDER_GUARANTEED_VALUE)).hasSize(2);
    }

    @Test
    void guaranteedMemoryIsNotReported() {
        poll(2 * GIBIBYTE, 4 * GIBIBYTE);

        assertThat(lab.audit.all()).isEmpty();
    }

    @Test
    @DisplayName("T44 a balloon that never moves over four polls is audited")
    void aBalloonThatNeverMoves() {
        for (int poll = 1; poll <= 3; poll++) {
            poll(4 * GIBIBYTE, 3 * GIBIBYTE);
            assertThat(lab.audit.all()).as("poll %d", poll).isEmpty();
        }

        poll(4 * GIBIBYTE, 3 * GIBIBYTE);

        assertThat(told(AuditEvent.VM_BALLOON_DRIVER_ERROR))
                .singleElement()
                .satisfies(entry -> {
                    assertThat(entry.vmId()).isEqualTo(VM);
                    assertThat(entry.hostId()).isEqualTo(ALPHA);
                });
        assertThat(lab.audit.all()).hasSize(1);
    }

    private List<AuditEntry> told(AuditEvent event) {
        return lab.audit.all().stream().filter(entry -> entry.event() == event).toList();
    }

    private void poll(long current, long target) {
        lab.cycle(
                ALPHA,
                poll ->
                        poll.running(
                                VM,
                                stamp++,
                                null,
                                status(VmStatus.UP),
                                sample -> {
                                    sample.memoryUsagePercent = 50;
                                    sample.balloonCurrentKibibytes = current;
                                    sample.balloonMaximumKibibytes = 4 * GIBIBYTE;
                                    sample.balloonTargetKibibytes = target;
                                    sample.balloonMinimumKibibytes = GIBIBYTE;
                                }));
    }
}
