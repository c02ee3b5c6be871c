package org.stillwater.server.health;

import java.util.Locale;
import org.stillwater.core.host.HostStatus;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.worker.WorkerHealth;

/** Describes trouble in one sentence. */
final class TroubleText {

    private TroubleText() {}

    static String trouble(WorkerHealth worker) {
        return "%s for %d s, failures in a row: %d; %s"
                .formatted(
                        worker.condition().name().toLowerCase(Locale.ROOT),
                        worker.lasts().toSeconds(),
                        worker.failuresInRow(),
                        worker.reason());
    }

    static String trouble(HostHealth host) {
        String status = host.status().name().toLowerCase(Locale.ROOT);
        if (host.reason() != null) {
            return status + ": " + host.reason();
        }
        if (host.floodsSince() != null) {
            return status + ", but it floods the engine since " + host.floodsSince();
        }
        return host.status() == HostStatus.UP && host.pollOverdue()
                ? "up, but its statistics are overdue since " + host.lastPollAt()
                : status;
    }
}
