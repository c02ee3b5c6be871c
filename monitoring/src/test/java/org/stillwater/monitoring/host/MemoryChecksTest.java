package org.stillwater.monitoring.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.audit.AuditEvent.VM_BALLOON_DRIVER_ERROR;
import static org.stillwater.core.audit.AuditEvent.VM_BALLOON_DRIVER_UNCONTROLLED;
import static org.stillwater.core.audit.AuditEvent.VM_MEMORY_UNDER_GUARANTEED_VALUE;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;

class MemoryChecksTest {

    private static final HostId HOST = new HostId(new UUID(1, 1));
    private static final VmId ID = new VmId(1, 1);
    private static final long MAXIMUM = 2_097_152;
    private static final long TARGET = 1_500_000;
    private static final long BETWEEN = 1_800_000;

    private static final Duration INTERVAL = Duration.ofSeconds(15);

    private final List<Decision.Audit> told = new ArrayList<>();
    private MemoryChecks checks = checks(CheckSettings.DEFAULT);
    private final VmManager vm = vm(1_024, 2_048);
    private final VmSample sample = new VmSample();
    private long now = 1_000_000;

    @Test
    @DisplayName(
            "T44 a balloon that stays at its maximum is audited at the fourth poll, and then again")
    void aBalloonThatStaysAtItsMaximumIsReported() {
        for (int poll = 1; poll <= 3; poll++) {
            poll(vm, MAXIMUM, TARGET, 50);
            assertThat(told).as("poll %d", poll).isEmpty();
        }
        poll(vm, MAXIMUM, TARGET, 50);
        assertThat(events()).containsExactly(VM_BALLOON_DRIVER_ERROR);
        assertThat(told.getFirst())
                .isEqualTo(new Decision.Audit(ID, HOST, VM_BALLOON_DRIVER_ERROR, Map.of()));

        for (int poll = 5; poll <= 7; poll++) {
            poll(vm, MAXIMUM, TARGET, 50);
            assertThat(told).as("poll %d", poll).hasSize(1);
        }
        poll(vm, MAXIMUM, TARGET, 50);
        assertThat(told).hasSize(2);
    }

    @Test
    @DisplayName("T44 a balloon that stays on its way is audited at the fourth poll")
    void aBalloonThatStaysOnItsWayIsReported() {
        for (int poll = 1; poll <= 4; poll++) {
            poll(vm, BETWEEN, TARGET, 50);
        }

        assertThat(events()).containsExactly(VM_BALLOON_DRIVER_ERROR);
    }

    @Test
    void aBalloonThatComesNearerOnceIsForgivenAll() {
        for (int poll = 1; poll <= 3; poll++) {
            poll(vm, BETWEEN, TARGET, 50);
        }
        poll(vm, BETWEEN - 1, TARGET, 50);
        for (int poll = 5; poll <= 7; poll++) {
            poll(vm, BETWEEN - 1, TARGET, 50);
        }
        assertThat(told).isEmpty();

        poll(vm, BETWEEN - 1, TARGET, 50);

        assertThat(told).hasSize(1);
    }

    @Test
    void aWorkingBalloonIsNeverReported() {
        poll(vm, BETWEEN, TARGET, 50);
        for (int poll = 2; poll <= 20; poll++) {
            poll(vm, TARGET, TARGET, 50);
        }

        assertThat(told).isEmpty();
    }

    @Test
    void aBalloonThatIsNoLongerRequestedIsNotReported() {
        for (int poll = 1; poll <= 3; poll++) {
            poll(vm, BETWEEN, TARGET, 0);
        }
        poll(vm, BETWEEN, MAXIMUM, 0);
        poll(vm, BETWEEN, TARGET, 0);

        assertThat(told).isEmpty();
    }

    @Test
    void aBalloonOfAGuestWithoutAgentIsReportedAtTheFourthPoll() {
        long current = BETWEEN;
        for (int poll = 1; poll <= 3; poll++) {
            poll(vm, current--, TARGET, 0);
        }
        assertThat(told).isEmpty();

        poll(vm, current--, TARGET, 0);

        assertThat(events()).containsExactly(VM_BALLOON_DRIVER_UNCONTROLLED);
    }

    @Test
    void anAgentThatSpeaksOnceIsForgivenAll() {
        long current = BETWEEN;
        for (int usage : new int[] {0, 0, 0, 30, 0, 0, 0}) {
            poll(vm, current--, TARGET, usage);
        }
        assertThat(told).isEmpty();
    }

    @Test
    void bothProblemsAreCountedEachForItself() {
        poll(vm, BETWEEN, TARGET, 0);
        poll(vm, BETWEEN, TARGET, 0);
        poll(vm, BETWEEN, TARGET, 30);
        poll(vm, BETWEEN, TARGET, 0);

        assertThat(events()).containsExactly(VM_BALLOON_DRIVER_ERROR);
    }

    @Test
    void aReportWithoutBalloonHasNoEffect() {
        for (int poll = 1; poll <= 3; poll++) {
            poll(vm, MAXIMUM, TARGET, 50);
        }
        sample.clear();
        sample.memoryUsagePercent = 0;
        take(vm);
        assertThat(told).isEmpty();

        poll(vm, MAXIMUM, TARGET, 50);

        assertThat(events()).containsExactly(VM_BALLOON_DRIVER_ERROR);
    }

    @Test
    void withoutBallooningBalloonsAreNotChecked() {
        checks = checks(new CheckSettings(false, 3));
        for (int poll = 1; poll <= 10; poll++) {
            poll(vm, MAXIMUM, TARGET, 0);
        }

        assertThat(told).isEmpty();
    }

    @Test
    void aVmWithGuaranteedMemoryHasNoBalloonToCheck() {
        VmManager whole = vm(2_048, 2_048);
        for (int poll = 1; poll <= 10; poll++) {
            poll(whole, MAXIMUM, TARGET, 0);
        }

        assertThat(told).isEmpty();
    }

    @Test
    @DisplayName("S59 a VM with less memory than guaranteed is audited, with both sizes")
    void aVmWithLessMemoryThanGuaranteedIsReported() {
        VmManager guaranteed = vm(2_048, 4_096);

        poll(guaranteed, 1_048_576, 1_048_576, 50);

        assertThat(told)
                .containsExactly(
                        new Decision.Audit(
                                ID,
                                HOST,
                                VM_MEMORY_UNDER_GUARANTEED_VALUE,
                                Map.of(
                                        "currentMebibytes", "1024",
                                        "guaranteedMebibytes", "2048")));
    }

    @Test
    void guaranteedMemoryIsCheckedWithoutBallooningToo() {
        checks = checks(new CheckSettings(false, 3));

        poll(vm(2_048, 4_096), 1_048_576, TARGET, 50);

        assertThat(events()).containsExactly(VM_MEMORY_UNDER_GUARANTEED_VALUE);
    }

    @Test
    void aPollWithoutFindingsAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 10 && allocated > 0; attempt++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int poll = 0; poll < 10_000; poll++) {
                poll(vm, TARGET, TARGET, 50);
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }

        assertThat(allocated / 10_000).as("bytes per poll").isZero();
    }

    @Test
    void pollsInQuickSuccessionSeeOneMeasurementOfABalloon() {
        for (int poll = 1; poll <= 20; poll++) {
            poll(vm, MAXIMUM, TARGET, 50);
            now -= 14_900;
        }
        assertThat(told).isEmpty();

        now += 15_000;
        poll(vm, MAXIMUM, TARGET, 50);
        poll(vm, MAXIMUM, TARGET, 50);
        poll(vm, MAXIMUM, TARGET, 50);

        assertThat(told).hasSize(1);
    }

    private MemoryChecks checks(CheckSettings settings) {
        return new MemoryChecks(settings, INTERVAL, HOST, told::add);
    }

    private List<AuditEvent> events() {
        return told.stream().map(Decision.Audit::event).toList();
    }

    private void poll(VmManager of, long current, long target, int memoryUsage) {
        sample.clear();
        sample.balloonCurrentKibibytes = current;
        sample.balloonMaximumKibibytes = MAXIMUM;
        sample.balloonTargetKibibytes = target;
        sample.balloonMinimumKibibytes = 1_048_576;
        sample.memoryUsagePercent = memoryUsage;
        take(of);
    }

    private void take(VmManager of) {
        now += INTERVAL.toMillis();
        checks.check(of, sample, now);
        of.statistics().update(sample, now, of.cpus());
    }

    private static VmManager vm(int guaranteedMebibytes, int memoryMebibytes) {
        VmStatic definition =
                new VmStatic(
                        "vm",
                        VmOrigin.OVIRT,
                        false,
                        memoryMebibytes,
                        guaranteedMebibytes,
                        1,
                        1,
                        1,
                        List.of());
        VmRegistry registry = new VmRegistry(40);
        VmState state = new VmState(VmRuntime.INITIAL, VmPlacement.on(HOST), 0, Instant.EPOCH, 0);
        registry.register(ID, definition, state, _ -> {});
        return registry.find(ID);
    }
}
