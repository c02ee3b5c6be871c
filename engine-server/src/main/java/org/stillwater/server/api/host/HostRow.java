package org.stillwater.server.api.host;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.tag.TagSet;
import org.stillwater.server.api.rows.AgedRow;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.Page;
import org.stillwater.server.api.rows.ValueAge;

/**
 * One host at one moment.
 *
 * @param view the host
 * @param clusterName name of its cluster
 * @param managedBy software that manages the hosts of its cluster
 * @param nowMillis when the answer is made
 * @param staleMillis age from which numbers are stale
 * @param tags its tags
 */
public record HostRow(
        HostView view,
        String clusterName,
        Hypervisor managedBy,
        long nowMillis,
        long staleMillis,
        TagSet tags)
        implements AgedRow {

    static final Page.ToIds<HostRow> IDS =
            new Page.ToIds<>() {
                @Override
                public long upper(HostRow row) {
                    return row.definition().id().value().getMostSignificantBits();
                }

                @Override
                public long lower(HostRow row) {
                    return row.definition().id().value().getLeastSignificantBits();
                }
            };

    static HostRow of(FleetReader fleet, HostView view, Instant now, Duration staleAfter) {
        var id = view.state().definition().cluster();
        var cluster = fleet.cluster(id);
        return new HostRow(
                view,
                cluster == null ? id.toString() : cluster.name(),
                fleet.hypervisor(id),
                now.toEpochMilli(),
                staleAfter.toMillis() + fleet.slackMillis(view.state().definition().id()),
                fleet.tags().set(view.state().definition().id()));
    }

    HostDefinition definition() {
        return view.state().definition();
    }

    @Nullable HostStatistics statistics() {
        return view.statistics();
    }

    private static long millis(@Nullable Instant time) {
        return time == null ? 0 : time.toEpochMilli();
    }

    /** Whether its numbers are stale: there are none, they are old, or it is not polled. */
    boolean isStale() {
        return view.statisticsAt() == null
                || nowMillis - millis(view.statisticsAt()) > staleMillis
                || !view.state().status().isInContact();
    }

    @Override
    public ValueAge age(Column.Origin origin) {
        return switch (origin) {
            case DEFINED, DECIDED -> ValueAge.CURRENT;
            case REPORTED -> {
                long polled = millis(view.lastPollAt());
                yield ValueAge.of(
                        nowMillis, polled, polled == 0 || nowMillis - polled > staleMillis);
            }
            case COUNTED -> ValueAge.of(nowMillis, millis(view.statisticsAt()), isStale());
        };
    }
}
