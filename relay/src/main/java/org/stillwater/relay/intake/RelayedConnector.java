package org.stillwater.relay.intake;

import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.time.EngineClock;

/**
 * Connects to hosts by another connector, and answers polls of hosts with a relay from the relay's
 * reports. Events, capabilities and the host's own statistics use the connection itself; the
 * connection sends commands through {@link RelayIntake#passage}, if it has that passage.
 * Thread-safe.
 */
public final class RelayedConnector implements HostConnector {

    private final HostConnector direct;
    private final RelayIntake relays;
    private final EngineClock clock;

    /** Wraps another connector. */
    public RelayedConnector(HostConnector direct, RelayIntake relays, EngineClock clock) {
        this.direct = direct;
        this.relays = relays;
        this.clock = clock;
    }

    @Override
    public HostConnection open(HostDefinition host, HostListener listener) {
        HostIntake intake = relays.of(host.id());
        if (intake == null) {
            return direct.open(host, listener);
        }
        RelayedConnection connection =
                new RelayedConnection(host.id(), intake, relays, clock, listener);
        connection.open(direct, host);
        return connection;
    }
}
