package org.stillwater.server.meter;

import io.micrometer.core.instrument.config.MeterFilter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.server.settings.ObservationSettings;

/** Bounds on the tags of meters. */
@Configuration(proxyBeanMethods = false)
class MeterLimits {

    /** So many hosts get a meter of their own; the others share the largest age. */
    @Bean
    MeterFilter hostsWithOwnAge(ObservationSettings settings) {
        return settings.hostsWithOwnLag() == 0
                ? MeterFilter.denyNameStartsWith("stillwater.host.report.age")
                : MeterFilter.maximumAllowableTags(
                        "stillwater.host.report.age",
                        "host",
                        settings.hostsWithOwnLag(),
                        MeterFilter.deny());
    }
}
