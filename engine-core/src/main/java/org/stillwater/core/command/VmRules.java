package org.stillwater.core.command;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.vm.VmStatus;

/**
 * Allowed operations of a VM in each status (monitoring specification §2.2), and operations that
 * may be under way beside each other.
 */
public final class VmRules {

    private VmRules() {}

    /** Why the VM's state does not allow an operation; null if it does. */
    public static @Nullable String refusal(
            OperationKind kind, OperationParameters parameters, VmFacts vm) {
        VmStatus status = vm.status();
        return switch (kind) {
            case RUN -> run(parameters, vm);
            case SHUTDOWN ->
                    unless(
                            status == VmStatus.UP
                                    || status == VmStatus.POWERING_UP
                                    || status == VmStatus.REBOOT_IN_PROGRESS,
                            "its guest does not run");
            case POWER_OFF -> powerOff(status);
            case REBOOT ->
                    unless(
                            status == VmStatus.UP || status == VmStatus.POWERING_UP,
                            "its guest does not run");
            case RESET ->
                    unless(
                            status == VmStatus.UP
                                    || status == VmStatus.POWERING_UP
                                    || status == VmStatus.REBOOT_IN_PROGRESS,
                            "its guest does not run");
            case PAUSE ->
                    unless(
                            status == VmStatus.UP || status == VmStatus.POWERING_UP,
                            "it does not run");
            case RESUME ->
                    unless(
                            status == VmStatus.PAUSED || status == VmStatus.SUSPENDED,
                            "it is neither paused nor suspended");
            case SUSPEND -> unless(status == VmStatus.UP, "only a VM that is up can be suspended");
            case MIGRATE ->
                    unless(
                            status == VmStatus.UP
                                    || status == VmStatus.POWERING_UP
                                    || status == VmStatus.PAUSED
                                    || status == VmStatus.REBOOT_IN_PROGRESS,
                            "only a VM that is up, powering up, rebooting or paused can migrate");
            case CANCEL_MIGRATION ->
                    unless(status == VmStatus.MIGRATING_FROM, "it is not migrating");
            case CONSOLE_TICKET -> unless(hasConsole(status), "it has no console in this status");
            case UPDATE_VM -> null;
            case CHANGE_CD ->
                    unless(
                            status == VmStatus.UP
                                    || status == VmStatus.POWERING_UP
                                    || status == VmStatus.REBOOT_IN_PROGRESS
                                    || status == VmStatus.PAUSED,
                            "it does not run");
            case PLUG_DEVICE, UNPLUG_DEVICE -> hotplug(parameters, status);
            case REMOVE_VM ->
                    unless(
                            status == VmStatus.DOWN || status == VmStatus.IMAGE_ILLEGAL,
                            "only a VM that is down can be removed");
            case ADD_VM -> "it is there already";
            case DRAIN, EVACUATE, FENCE -> "that is done to hosts";
        };
    }

    private static @Nullable String run(OperationParameters parameters, VmFacts vm) {
        boolean byLease =
                parameters instanceof OperationParameters.Run run
                        && run.cause() == OperationParameters.Cause.LEASE;
        if (byLease) {
            return unless(
                    vm.status() == VmStatus.UNKNOWN && vm.definition().leased(),
                    "only a VM with a lease and an unknown state can be started by its lease");
        }
        return switch (vm.status()) {
            case DOWN -> null;
            case SUSPENDED -> "it is suspended: resume it or power it off first";
            case UNKNOWN ->
                    "its host does not respond, so it may be running; it can be started once the"
                            + " host responds or was fenced";
            case IMAGE_LOCKED, IMAGE_ILLEGAL -> "its disks cannot be used now";
            default -> "it runs already";
        };
    }

    /** oVirt's rules: interfaces while a guest boots, disks while it is paused. */
    private static @Nullable String hotplug(OperationParameters parameters, VmStatus status) {
        boolean disk =
                parameters instanceof OperationParameters.Device device
                        && device.type() == OperationParameters.DeviceType.DISK;
        return disk
                ? unless(
                        status == VmStatus.UP || status == VmStatus.PAUSED,
                        "disks are plugged into a VM that is up or paused")
                : unless(
                        status == VmStatus.UP || status == VmStatus.POWERING_UP,
                        "interfaces are plugged into a VM that is up or powering up");
    }

    private static @Nullable String powerOff(VmStatus status) {
        return switch (status) {
            case DOWN -> "it is down already";
            case UNKNOWN -> "its host does not respond; fence the host instead";
            case IMAGE_LOCKED, IMAGE_ILLEGAL -> "it does not run";
            default -> null;
        };
    }

    private static boolean hasConsole(VmStatus status) {
        return switch (status) {
            case POWERING_UP,
                    UP,
                    REBOOT_IN_PROGRESS,
                    POWERING_DOWN,
                    PAUSED,
                    MIGRATING_FROM,
                    SAVING_STATE ->
                    true;
            default -> false;
        };
    }

    private static boolean isStart(OperationKind kind) {
        return kind == OperationKind.RUN || kind == OperationKind.RESUME;
    }

    private static @Nullable String unless(boolean allowed, String refusal) {
        return allowed ? null : refusal;
    }

    /**
     * Whether an operation may begin while another one on the same VM has not ended. A power-off
     * ends every operation that waits for the guest; a migration can be cancelled; a console can be
     * opened; a VM that powers up can be shut down, rebooted and migrated.
     */
    public static boolean mayJoin(OperationKind kind, VmTask other) {
        boolean waits = other.phase() == VmTask.Phase.AWAITING && other.operation().kind() != kind;
        return switch (kind) {
            case CONSOLE_TICKET -> other.operation().kind() != OperationKind.CONSOLE_TICKET;
            case CANCEL_MIGRATION -> waits && other.operation().kind() == OperationKind.MIGRATE;
            case POWER_OFF, RESET -> waits && other.operation().kind() != OperationKind.POWER_OFF;
            case UPDATE_VM -> other.operation().kind() != OperationKind.REMOVE_VM && waits;
            // A VM that powers up can be stopped or moved, as its guest can see to, and may be
            // given its boot device.
            case SHUTDOWN, REBOOT, MIGRATE, CHANGE_CD, PLUG_DEVICE, UNPLUG_DEVICE ->
                    other.operation().kind() == OperationKind.CONSOLE_TICKET
                            || (waits && isStart(other.operation().kind()));
            // A reboot from outside is started from outside.
            case RUN ->
                    other.operation().kind() == OperationKind.CONSOLE_TICKET
                            || (waits && other.operation().kind() == OperationKind.REBOOT);
            default -> other.operation().kind() == OperationKind.CONSOLE_TICKET;
        };
    }
}
