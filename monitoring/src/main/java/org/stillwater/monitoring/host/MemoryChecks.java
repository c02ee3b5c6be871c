package org.stillwater.monitoring.host;

import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.stillwater.core.analysis.BalloonCheck;
import org.stillwater.core.analysis.Decision;
import org.stillwater.core.analysis.GuaranteedMemory;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.VmSample;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.monitoring.vm.VmStatistics;
import org.stillwater.monitoring.vm.VmStatistics.BalloonProblem;

/**
 * Checks the memory of every VM in every poll (monitoring specification §4.9): its balloon works,
 * and it has its guaranteed memory. Used by the host's thread, under the VM's lock; allocates
 * nothing unless there is an event to report.
 */
final class MemoryChecks {

    private final CheckSettings settings;
    private final long spacingMillis;
    private final HostId host;
    private final Consumer<? super Decision.Audit> audit;

    /**
     * Checks for the VMs of one host.
     *
     * @param settings the checks
     * @param interval time between two scheduled polls; polls outside the schedule, which see the
     *     same measurement, do not count against a balloon
     * @param host the host
     * @param audit receives the events
     */
    MemoryChecks(
            CheckSettings settings,
            Duration interval,
            HostId host,
            Consumer<? super Decision.Audit> audit) {
        this.settings = settings;
        this.spacingMillis = interval.toMillis() / 2;
        this.host = host;
        this.audit = audit;
    }

    /** Checks a sample, received at this time. */
    void check(VmManager vm, VmSample sample, long epochMillis) {
        if (sample.balloonCurrentKibibytes == VmSample.NOT_REPORTED) {
            return;
        }
        VmStatic definition = vm.definition();
        if (settings.ballooning() && vm.statistics().balloonDue(epochMillis, spacingMillis)) {
            checkBalloon(vm, definition, sample);
            vm.statistics().balloonChecked(epochMillis, sample.balloonCurrentKibibytes);
        }
        if (GuaranteedMemory.isUndercut(
                definition.guaranteedMemoryMebibytes(), sample.balloonCurrentKibibytes)) {
            tellUndercut(vm, definition, sample.balloonCurrentKibibytes);
        }
    }

    private void checkBalloon(VmManager vm, VmStatic definition, VmSample sample) {
        long current = sample.balloonCurrentKibibytes;
        long maximum = sample.balloonMaximumKibibytes;
        long target = sample.balloonTargetKibibytes;
        boolean requested =
                BalloonCheck.isRequested(
                        definition.guaranteedMemoryMebibytes(),
                        definition.memoryMebibytes(),
                        current,
                        maximum,
                        target);
        count(
                vm,
                BalloonProblem.IGNORES_TARGET,
                requested
                        && BalloonCheck.ignoresTarget(
                                vm.statistics().lastBalloonKibibytes(), current, maximum, target),
                AuditEvent.VM_BALLOON_DRIVER_ERROR);
        count(
                vm,
                BalloonProblem.UNCONTROLLED,
                requested
                        && BalloonCheck.isUncontrolled(
                                sample.memoryUsagePercent,
                                current,
                                maximum,
                                sample.balloonMinimumKibibytes),
                AuditEvent.VM_BALLOON_DRIVER_UNCONTROLLED);
    }

    private void count(VmManager vm, BalloonProblem problem, boolean seen, AuditEvent event) {
        VmStatistics statistics = vm.statistics();
        int count = statistics.balloonCount(problem);
        if (count == 0 && !seen) {
            return;
        }
        statistics.balloonCounted(
                problem, BalloonCheck.counted(count, seen, settings.balloonIterations()));
        if (BalloonCheck.isDue(count, seen, settings.balloonIterations())) {
            audit.accept(new Decision.Audit(vm.id(), host, event, Map.of()));
        }
    }

    private void tellUndercut(VmManager vm, VmStatic definition, long currentKibibytes) {
        audit.accept(
                new Decision.Audit(
                        vm.id(),
                        host,
                        AuditEvent.VM_MEMORY_UNDER_GUARANTEED_VALUE,
                        Map.of(
                                "currentMebibytes",
                                String.valueOf(GuaranteedMemory.mebibytes(currentKibibytes)),
                                "guaranteedMebibytes",
                                String.valueOf(definition.guaranteedMemoryMebibytes()))));
    }
}
