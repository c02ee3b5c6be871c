package org.stillwater.server.wiring;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandSettings;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HypervisorPools;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationKind;

/** Pools of an engine that only watches: no order reaches them. Thread-safe. */
final class ShadowPools implements HypervisorPools {

    @Override
    public @Nullable String refusal(VmId vm, OperationKind kind) {
        return null;
    }

    @Override
    public void order(HostId host, HostOrder order, Consumer<HostAnswer<HostId>> receiver) {
        receiver.accept(
                new HostAnswer.Failed<>(
                        new HostFailure.Refused(RefusalCode.UNEXPECTED, CommandSettings.SHADOW)));
    }

    @Override
    public void dropMemory(
            VmId vm, Consumer<HostAnswer<VmId>> receiver, Consumer<HostFailure> late) {
        receiver.accept(
                new HostAnswer.Failed<>(
                        new HostFailure.Refused(RefusalCode.UNEXPECTED, CommandSettings.SHADOW)));
    }
}
