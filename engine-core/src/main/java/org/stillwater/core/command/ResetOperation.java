package org.stillwater.core.command;

/** Resets the virtual machine of a guest, as its reset button does. */
final class ResetOperation extends AnsweredOperation {

    ResetOperation(Input input) {
        super(input, VmVerb.RESET);
    }

    @Override
    void announce() {
        commitNote();
    }

    @Override
    boolean isStillBegun() {
        return true;
    }

    @Override
    void done() {
        succeed("was reset");
    }
}
