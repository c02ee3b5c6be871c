package org.stillwater.server.settings;

import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Metrics that collectors read under {@code /metrics}.
 *
 * @param exporterNames whether series have the names and labels of ovirt_exporter, too, for
 *     dashboards that were made for it
 * @param vmFamilies groups or names of the families under {@code /metrics/vms} when a scrape names
 *     none; {@code all} for all of them
 */
@ConfigurationProperties("stillwater.metrics")
public record MetricsSettings(
        @DefaultValue("false") boolean exporterNames,
        @DefaultValue({"state", "usage", "traffic"}) List<String> vmFamilies) {

    public MetricsSettings {
        vmFamilies = List.copyOf(vmFamilies);
    }
}
