package org.stillwater.command.operation;

import java.time.Duration;
import java.util.function.Consumer;
import org.stillwater.core.fence.SoftFence;
import org.stillwater.core.host.HostDefinition;

/**
 * Restarts agents in two seconds of a laboratory's time, which brings hosts back or does not.
 *
 * @param lab the laboratory with the hosts
 * @param helps whether the network of a host is as new afterwards
 */
record AgentRestarts(CommandLab lab, boolean helps) implements SoftFence {

    @Override
    public int atOnce() {
        return 1;
    }

    @Override
    public void restartAgent(HostDefinition host, Consumer<Answer> receiver) {
        lab.centre.after(
                Duration.ofSeconds(2),
                () -> {
                    if (helps) {
                        lab.centre.host(host.id()).heal();
                        receiver.accept(new Answer.Restarted());
                    } else {
                        receiver.accept(new Answer.Failed("no route"));
                    }
                });
    }
}
