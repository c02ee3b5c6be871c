package org.stillwater.server.api.engine;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.server.settings.CommandsSettings;
import org.stillwater.server.settings.StreamSettings;

/**
 * The structures of the engine that grow with the fleet or with a backlog, as their meters have
 * them. Thread-safe.
 */
@Component
class EngineStructures {

    private final MeterRegistry meters;
    private final Map<String, Long> bounds;

    /** Names in answers, by the name of the meter. */
    private static final List<Named> ALL =
            List.of(
                    new Named("vms", "stillwater.vms"),
                    new Named("hosts", "stillwater.hosts"),
                    new Named("writer queue", "stillwater.writer.queue"),
                    new Named("audit queue", "stillwater.audit.queue"),
                    new Named("history queue", "stillwater.history.waiting"),
                    new Named("wire buffers, bytes", "stillwater.wire.buffered"),
                    new Named("external data", "stillwater.external.data.open"),
                    new Named("jobs", "stillwater.jobs"),
                    new Named("pending work of VMs", "stillwater.work.open"),
                    new Named("pending work of hosts", "stillwater.host.work.open"),
                    new Named("open operations", "stillwater.operations.open"),
                    new Named("command mailbox", "stillwater.commands.mailbox"),
                    new Named("stream readers", "stillwater.stream.subscribers"),
                    new Named("feed readers", "stillwater.feed.subscribers"));

    private record Named(String name, String meter) {}

    /**
     * A structure.
     *
     * @param meter the meter that has the same number
     * @param bound most entries; null where the fleet bounds them
     * @param fill entries by bound, 0 to 1
     */
    record Structure(
            String name, String meter, long entries, @Nullable Long bound, @Nullable Double fill) {}

    EngineStructures(MeterRegistry meters, CommandsSettings commands, StreamSettings stream) {
        this.meters = meters;
        this.bounds =
                Map.of(
                        "stillwater.operations.open", (long) commands.mostOpen(),
                        "stillwater.commands.mailbox", (long) commands.mailbox(),
                        "stillwater.stream.subscribers", (long) stream.maxSubscribers());
    }

    /** Those that this engine has. */
    List<Structure> all() {
        List<Structure> all = new ArrayList<>();
        for (Named named : ALL) {
            Gauge gauge = meters.find(named.meter()).gauge();
            if (gauge != null && !Double.isNaN(gauge.value())) {
                long entries = Math.round(gauge.value());
                Long bound = bounds.get(named.meter());
                all.add(
                        new Structure(
                                named.name(),
                                named.meter(),
                                entries,
                                bound,
                                bound == null
                                        ? null
                                        : (Double)
                                                (Math.round(1_000.0 * entries / bound) / 1_000.0)));
            }
        }
        return all;
    }
}
