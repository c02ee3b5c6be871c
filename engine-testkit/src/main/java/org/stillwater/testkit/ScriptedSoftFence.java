package org.stillwater.testkit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.stillwater.core.fence.SoftFence;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;

/** Restarts of agents that end when and as a test orders. Thread-safe. */
public final class ScriptedSoftFence implements SoftFence {

    private final Map<HostId, Consumer<Answer>> asked = new LinkedHashMap<>();
    private final List<HostId> all = new ArrayList<>();
    private final int atOnce;

    /** A port that takes this many restarts at once. */
    public ScriptedSoftFence(int atOnce) {
        this.atOnce = atOnce;
    }

    @Override
    public int atOnce() {
        return atOnce;
    }

    @Override
    public synchronized void restartAgent(HostDefinition host, Consumer<Answer> receiver) {
        all.add(host.id());
        if (asked.size() == atOnce) {
            throw new IllegalStateException("more than " + atOnce + " restarts at once");
        }
        asked.put(host.id(), receiver);
    }

    /** Hosts with a restart under way, in the order of the calls. */
    public synchronized List<HostId> asked() {
        return List.copyOf(asked.keySet());
    }

    /** Every call so far. */
    public synchronized List<HostId> all() {
        return List.copyOf(all);
    }

    /** Ends the restart of this host's agent. */
    public void answer(HostId host, Answer answer) {
        Consumer<Answer> receiver;
        synchronized (this) {
            receiver = Objects.requireNonNull(asked.remove(host), "no restart under way");
        }
        receiver.accept(answer);
    }
}
