package org.stillwater.core.command;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.RefusalCode;

/** Conclusions from a host's answer to an order. */
public final class AnswerRules {

    private AnswerRules() {}

    /** Whether the answer to an order to remove a VM proves that the host does not have it now. */
    public static boolean isRemoved(@Nullable HostFailure failure) {
        return failure == null || isRefusedWith(failure, RefusalCode.NO_SUCH_VM);
    }

    /** Whether a host has no migration to continue with after it answered so to a cancellation. */
    public static boolean isCalledOff(@Nullable HostFailure failure) {
        return failure == null || isRefusedWith(failure, RefusalCode.MIGRATION_FAILED);
    }

    /** Whether the request certainly had no effect on the host. */
    static boolean isCertain(HostFailure failure) {
        return switch (failure) {
            case HostFailure.Refused _,
                    HostFailure.Recovering _,
                    HostFailure.Overloaded _,
                    HostFailure.UnknownAddress _,
                    HostFailure.Untrusted _,
                    HostFailure.WrongCertificate _ ->
                    true;
            case HostFailure.Unreachable _,
                    HostFailure.TimedOut _,
                    HostFailure.ProtocolViolation _ ->
                    false;
        };
    }

    /** Whether the answer of a host to a stop shows that the VM has ended or is missing. */
    static boolean isOver(HostFailure failure) {
        return isRefusedWith(failure, RefusalCode.NO_SUCH_VM)
                || isRefusedWith(failure, RefusalCode.VM_IS_DOWN);
    }

    /** Whether the same request may succeed in a moment. */
    static boolean isPassing(HostFailure failure) {
        return isRefusedWith(failure, RefusalCode.BUSY);
    }

    /** Whether a client cancelled the order: another host would act against that client. */
    static boolean isCancelled(HostFailure failure) {
        return isRefusedWith(failure, RefusalCode.CANCELLED);
    }

    static boolean isRefusedWith(HostFailure failure, int code) {
        return failure instanceof HostFailure.Refused refused && refused.code() == code;
    }
}
