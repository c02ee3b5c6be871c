package org.stillwater.core.command;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** Continues a paused VM where it is, or restores a suspended one on some host. */
final class ResumeOperation extends StartOperation {

    ResumeOperation(Input input) {
        super(input, VmVerb.RESTORE);
    }

    private boolean continues() {
        return vm.status() == VmStatus.PAUSED;
    }

    @Override
    void prepare() {
        if (continues()) {
            begin();
        } else {
            super.prepare();
        }
    }

    @Override
    void announce() {
        if (continues()) {
            call();
        } else {
            super.announce();
        }
    }

    @Override
    @Nullable HostId callee() {
        return continues() ? vm.runOn() : super.callee();
    }

    @Override
    VmVerb verb() {
        return continues() ? VmVerb.CONTINUE : VmVerb.RESTORE;
    }

    /** A VM that is continued has no target; its guest is up as soon as it runs. */
    @Override
    boolean isReached() {
        return switch (vm.status()) {
            case UP, MIGRATING_FROM -> true;
            case POWERING_UP -> operation().target() == null;
            default -> false;
        };
    }

    /** A VM that does not wake up is suspended still: its memory is where it was. */
    @Override
    void revert(String reason) {
        if (vm.status() == VmStatus.DOWN && vm.runtime().exitStatus() == ExitStatus.ERROR) {
            change(suspended(), vm.placement(), VmCommands.NONE);
        } else {
            super.revert(reason);
        }
    }

    @Override
    void revertStart(String reason) {
        stop(suspended());
        poll();
    }

    private VmRuntime suspended() {
        return vm.runtime().with(RuntimeField.STATUS, VmStatus.SUSPENDED);
    }

    @Override
    void resume() {
        if (continues()) {
            task = task.in(VmTask.Phase.QUEUED, operation());
            admit();
        } else {
            super.resume();
        }
    }
}
