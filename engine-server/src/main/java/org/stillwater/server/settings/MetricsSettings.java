package org.stillwater.server.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What collectors of metrics are told under {@code /metrics}.
 *
 * @param exporterNames whether series have the names and labels of ovirt_exporter, too, for
 *     dashboards that were made for it
 */
@ConfigurationProperties("stillwater.metrics")
public record MetricsSettings(@DefaultValue("false") boolean exporterNames) {}
