package org.stillwater.monitoring;

import org.stillwater.monitoring.audit.AuditSettings;
import org.stillwater.monitoring.feed.FeedSettings;
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
 */
public record MonitoringSettings(
        HostMonitorSettings hosts,
        WriterSettings writer,
        FeedSettings feed,
        AuditSettings audit,
        int usageHistory) {

    /** The documented defaults. */
    public static final MonitoringSettings DEFAULT =
            new MonitoringSettings(
                    HostMonitorSettings.DEFAULT,
                    WriterSettings.DEFAULT,
                    FeedSettings.DEFAULT,
                    AuditSettings.DEFAULT,
                    40);

    /** With the defaults of the audit log. */
    public MonitoringSettings(
            HostMonitorSettings hosts, WriterSettings writer, FeedSettings feed, int usageHistory) {
        this(hosts, writer, feed, AuditSettings.DEFAULT, usageHistory);
    }

    public MonitoringSettings {
        if (usageHistory < 0 || usageHistory > Byte.MAX_VALUE) {
            throw new IllegalArgumentException("the usage history holds 0 to 127 samples");
        }
    }
}
