package org.stillwater.core.command;

import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.operation.OperationFailure.Code;

/** An operation that ends with the host's answer: no later report shows its result. */
abstract sealed class AnsweredOperation extends VmOperation
        permits ChangeCdOperation, ConsoleTicketOperation, HotplugOperation, ResetOperation {

    AnsweredOperation(Input input, VmVerb verb) {
        super(input, verb, input.limits().pause(), AWAITS_VM);
    }

    /** The host did it. */
    abstract void done();

    @Override
    final void accepted() {
        effect(new VmEffect.Release(true));
        done();
    }

    @Override
    final void unanswered(HostFailure failure) {
        effect(new VmEffect.Release(false));
        fail(Code.HOST_LOST, failure.describe());
    }

    @Override
    final boolean isReached() {
        return true;
    }

    @Override
    void resume() {
        fail(
                Code.INTERRUPTED,
                "the engine was restarted before the host answered; it is not repeated, because it"
                        + " may have been done");
    }
}
