package org.stillwater.command.operation;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.fence.PowerFence;
import org.stillwater.core.host.HostWork;
import org.stillwater.core.id.HostId;

/** Switches model hosts, or does not, as a test wants it. */
final class ScriptedPowerFence implements PowerFence {

    enum Mode {
        /** Obeys. */
        WORKS,
        /** Reports a failure. */
        FAILS,
        /** Neither answers nor acts. */
        SILENT,
        /** Switches off without an answer. */
        OFF_AND_SILENT,
        /** Switches off and on, without an answer about the latter. */
        ON_AND_SILENT
    }

    private final CommandLab lab;
    final List<HostId> fenced = new ArrayList<>();
    final List<HostId> on = new ArrayList<>();
    Mode mode = Mode.WORKS;

    ScriptedPowerFence(CommandLab lab) {
        this.lab = lab;
    }

    @Override
    public void fence(HostWork work, UUID owner, Consumer<Answer> receiver) {
        fenced.add(work.host());
        if (mode == Mode.FAILS) {
            receiver.accept(new Answer.Failed("the management board does not answer"));
        } else if (mode != Mode.SILENT) {
            lab.centre.host(work.host()).powerOff();
            if (mode != Mode.OFF_AND_SILENT) {
                receiver.accept(new Answer.Fenced());
            }
        }
    }

    @Override
    public void powerOn(HostId host, Consumer<@Nullable String> receiver) {
        on.add(host);
        lab.centre.host(host).powerOn();
        if (mode != Mode.ON_AND_SILENT) {
            receiver.accept(null);
        }
    }
}
