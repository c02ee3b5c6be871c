package org.stillwater.server.api.regression;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongFunction;
import org.springframework.stereotype.Component;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.regression.RegressionMonitor;

/**
 * Findings in the stream: those that last, then each that begins, changes or ends. Bounded by the
 * number of findings in memory. Thread-safe; without findings a look costs a comparison.
 */
@Component
public final class FindingTopic implements LongFunction<FindingTopic.News> {

    /** The version before everything. */
    public static final long NOTHING = -1;

    private final RegressionMonitor regressions;
    private final FindingJson json;
    private final EngineClock clock;

    /** Version of the newest change of each finding, oldest first; guarded by its monitor. */
    private final Map<UUID, Long> versions = new LinkedHashMap<>();

    private volatile long version;

    FindingTopic(RegressionMonitor regressions, FleetReader fleet, EngineClock clock) {
        this.regressions = regressions;
        this.json = new FindingJson(fleet);
        this.clock = clock;
        regressions.follow(finding -> {
            changed(finding.id());
            long _ = fleet.changes().nextRevision(); // readers check for new entries
        });
    }

    /**
     * Findings that changed.
     *
     * @param version to ask with the next time
     * @param findings values for Jackson, the oldest change first
     */
    public record News(long version, List<Object> findings) {}

    private void changed(UUID id) {
        synchronized (versions) {
            version++;
            versions.remove(id);
            versions.put(id, version);
            if (versions.size() > regressions.settings().mostFindings()) {
                versions.remove(versions.keySet().iterator().next());
            }
        }
    }

    /** News since a version; all lasting findings for {@link #NOTHING}. */
    @Override
    public News apply(long since) {
        if (since == version) {
            return new News(since, List.of());
        }
        List<Finding> news = new ArrayList<>();
        long now;
        synchronized (versions) {
            now = version;
            if (since == NOTHING) {
                news.addAll(
                        regressions.findings().reversed().stream()
                                .filter(Finding::isOpen)
                                .toList());
            } else {
                versions.forEach((id, changed) -> {
                    Finding finding = changed > since ? regressions.finding(id) : null;
                    if (finding != null) {
                        news.add(finding);
                    }
                });
            }
        }
        Instant at = clock.now();
        return new News(now, news.stream().<Object>map(finding -> json.item(finding, at)).toList());
    }
}
