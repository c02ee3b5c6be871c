package org.stillwater.monitoring;

import java.time.Duration;
import org.stillwater.monitoring.audit.AuditSettings;
import org.stillwater.monitoring.cluster.ClusterSettings;
import org.stillwater.monitoring.dwh.WarehouseSettings;
import org.stillwater.monitoring.feed.FeedSettings;
import org.stillwater.monitoring.history.HistorySettings;
import org.stillwater.monitoring.host.HostMonitorSettings;
import org.stillwater.monitoring.write.WriterSettings;

/**
 * All settings of monitoring.
 *
 * @param hosts how hosts are watched
 * @param writer how changes reach the database
 * @param feed limits of the change feed
 * @param audit limits of the audit log
 * @param usageHistory usage samples kept per VM and metric ({@code UsageHistoryLimit}), 0–127
 * @param warehouse work for readers outside the engine
 * @param clusters limits of clusters
 * @param history limits of history in memory and of questions about history
 */
public record MonitoringSettings(
        HostMonitorSettings hosts,
        WriterSettings writer,
        FeedSettings feed,
        AuditSettings audit,
        int usageHistory,
        WarehouseSettings warehouse,
        ClusterSettings clusters,
        HistorySettings history) {

    /** The documented defaults. */
    public static final MonitoringSettings DEFAULT =
            new MonitoringSettings(
                    HostMonitorSettings.DEFAULT,
                    WriterSettings.DEFAULT,
                    FeedSettings.DEFAULT,
                    AuditSettings.DEFAULT,
                    40,
                    WarehouseSettings.DEFAULT,
                    ClusterSettings.DEFAULT,
                    HistorySettings.DEFAULT);

    /** With the defaults of the audit log, of clusters and of history. */
    public MonitoringSettings(
            HostMonitorSettings hosts,
            WriterSettings writer,
            FeedSettings feed,
            int usageHistory,
            WarehouseSettings warehouse) {
        this(
                hosts,
                writer,
                feed,
                AuditSettings.DEFAULT,
                usageHistory,
                warehouse,
                ClusterSettings.DEFAULT,
                HistorySettings.DEFAULT);
    }

    public MonitoringSettings {
        if (usageHistory < 0 || usageHistory > Byte.MAX_VALUE) {
            throw new IllegalArgumentException("the usage history holds 0 to 127 samples");
        }
    }

    /** The same with hosts watched differently. */
    public MonitoringSettings withHosts(HostMonitorSettings other) {
        return new MonitoringSettings(
                other, writer, feed, audit, usageHistory, warehouse, clusters, history);
    }

    /** The same with another interval between dumps. */
    public MonitoringSettings withDumpInterval(Duration interval) {
        return new MonitoringSettings(
                hosts,
                writer,
                feed,
                audit,
                usageHistory,
                warehouse.withDumpInterval(interval),
                clusters,
                history);
    }

    /** The same with other limits of history. */
    public MonitoringSettings withHistory(HistorySettings other) {
        return new MonitoringSettings(
                hosts, writer, feed, audit, usageHistory, warehouse, clusters, other);
    }
}
