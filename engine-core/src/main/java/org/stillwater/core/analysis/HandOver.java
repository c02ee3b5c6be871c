package org.stillwater.core.analysis;

import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;

/**
 * The host that is responsible for a VM that left its host (monitoring specification §4.6; ADR
 * 0005). Two rules keep a running VM from ever being shown as down:
 *
 * <ul>
 *   <li>A source that reports "migrated away" hands the VM over; the VM is never marked down for
 *       it.
 *   <li>When the engine does not know where the VM went, it becomes unknown until some host reports
 *       it, and the source's record is only destroyed then: as long as it is there, the source
 *       keeps proving that the VM moved.
 * </ul>
 */
final class HandOver {

    private HandOver() {}

    /** The migration's destination becomes responsible. */
    static void to(HostId target, DecisionBuilder builder) {
        if (builder.context.nonResponsive().test(target)) {
            unseen(target, builder);
        } else {
            builder.by(VmRule.HANDED_OVER);
            builder.placement = builder.placement.withRunOn(target);
            builder.runtime = builder.runtime.with(RuntimeField.STATUS, VmStatus.MIGRATING_TO);
        }
    }

    /** The migration's destination becomes responsible, and is out of contact now. */
    static void unseen(HostId target, DecisionBuilder builder) {
        builder.by(VmRule.HANDED_OVER_UNSEEN);
        builder.placement = builder.placement.withRunOn(target);
        builder.becomeUnknown();
        builder.audit(AuditEvent.VM_SET_TO_UNKNOWN_STATUS);
    }

    /**
     * The reporter proves that the VM runs elsewhere, so it is not down; its host is unknown. The
     * exit reason distinguishes such a VM from one that is unknown because its host is silent.
     *
     * @param reason that it migrated away, or that it never arrived
     */
    static void toNobodyKnowsWhere(DecisionBuilder builder, ExitReason reason) {
        builder.by(
                reason == ExitReason.MIGRATION_FAILED
                        ? VmRule.NEVER_ARRIVED
                        : VmRule.LEFT_FOR_UNKNOWN);
        builder.runtime =
                builder.runtime
                        .with(RuntimeField.STATUS, VmStatus.UNKNOWN)
                        .with(RuntimeField.EXIT_REASON, reason);
    }

    /** Whether the VM left its host for an unknown destination and was not seen since. */
    static boolean isAwaited(KnownVm known) {
        return known.runtime().status() == VmStatus.UNKNOWN
                && (known.runtime().exitReason() == ExitReason.MIGRATION_SUCCEEDED
                        || known.runtime().exitReason() == ExitReason.MIGRATION_FAILED)
                && known.placement().runOn() != null;
    }

    /**
     * The VM was awaited for too long: waiting any longer would hide that it was lost. It is not
     * started again by itself, because it may still run where this engine does not look.
     */
    static void giveUp(DecisionBuilder builder) {
        builder.by(VmRule.NOT_SEEN_AGAIN);
        builder.audit(AuditEvent.VM_DOWN_ERROR, Ending.NOT_SEEN_AGAIN.details());
        builder.dropCommand();
        Ending.NOT_SEEN_AGAIN.goDown(builder);
    }
}
