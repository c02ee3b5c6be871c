package org.stillwater.server.health;

import java.util.Locale;
import org.stillwater.core.model.HostStatus;
import org.stillwater.monitoring.host.HostHealth;

/** Trouble in one sentence. */
final class Words {

    private Words() {}

    static String trouble(HostHealth host) {
        String status = host.status().name().toLowerCase(Locale.ROOT);
        if (host.reason() != null) {
            return status + ": " + host.reason();
        }
        return host.status() == HostStatus.UP && host.pollOverdue()
                ? "up, but its statistics are overdue since " + host.lastPollAt()
                : status;
    }
}
