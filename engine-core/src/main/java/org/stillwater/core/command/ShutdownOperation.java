package org.stillwater.core.command;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.vm.VmStatus;

/** Has the guest of a VM shut down. */
final class ShutdownOperation extends StopOperation {

    ShutdownOperation(Input input) {
        super(
                input,
                VmVerb.SHUTDOWN,
                input.limits().shutdown().plus(delay(input.task().operation().parameters())),
                "waits until its guest shuts down");
    }

    /** The guest only begins to shut down after it. */
    private static Duration delay(OperationParameters parameters) {
        return parameters instanceof OperationParameters.Shutdown shutdown
                ? Duration.ofSeconds(shutdown.delaySeconds())
                : Duration.ZERO;
    }

    @Override
    void announce() {
        commit(poweringDown(), stoppedForReason(), withoutStart());
    }

    @Override
    boolean isReached() {
        return vm.status() == VmStatus.DOWN;
    }

    @Override
    @Nullable OperationFailure missedWhileRunning() {
        return vm.status() == VmStatus.UP
                ? notReached("its guest did not shut down; it can be powered off")
                : null;
    }

    /** It is unknown whether the host got the call; a second call does no harm. */
    @Override
    void resume() {
        if (vm.status() == VmStatus.POWERING_DOWN) {
            call();
        } else {
            super.resume();
        }
    }
}
