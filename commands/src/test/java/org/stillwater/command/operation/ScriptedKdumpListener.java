package org.stillwater.command.operation;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.fence.KdumpListener;
import org.stillwater.core.id.HostId;

/** Receives the messages that a test sends. */
final class ScriptedKdumpListener implements KdumpListener {

    private final CommandLab lab;
    final Map<HostId, String> attended = new LinkedHashMap<>();
    private final Map<HostId, Long> heard = new HashMap<>();
    State state;

    /** To ask of this host fails. */
    @Nullable HostId deafFor;

    ScriptedKdumpListener(CommandLab lab) {
        this.lab = lab;
        this.state = new State.Listening(lab.clock.nanoTime());
    }

    /** A host reports that it writes a dump. */
    void says(int host) {
        if (attended.containsKey(CommandLab.hostId(host))) {
            heard.put(CommandLab.hostId(host), lab.clock.nanoTime());
        }
    }

    /** The engine has ended. */
    void forget() {
        attended.clear();
        heard.clear();
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public void attend(HostId host, String address) {
        attended.put(host, address);
    }

    @Override
    public void leave(HostId host) {
        attended.remove(host);
        heard.remove(host);
    }

    @Override
    public @Nullable Long lastHeardNanos(HostId host) {
        if (host.equals(deafFor)) {
            throw new IllegalStateException("cannot be asked about " + host);
        }
        return heard.get(host);
    }
}
