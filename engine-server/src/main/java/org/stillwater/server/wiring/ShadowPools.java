package org.stillwater.server.wiring;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.CommandSettings;
import org.stillwater.core.model.HostId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.port.HostAnswer;
import org.stillwater.core.port.HostFailure;
import org.stillwater.core.port.HypervisorPools;
import org.stillwater.core.port.RefusalCode;

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
}
