package org.stillwater.monitoring.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MonitoringMetersTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MonitoringMeters meters = new MonitoringMeters(registry);

    private @Nullable Meter host(String name, double age) {
        return meters.reportAge(name, this, _ -> age);
    }

    private @Nullable Double age(String name) {
        Gauge gauge = registry.find("stillwater.host.report.age").tag("host", name).gauge();
        return gauge == null ? null : gauge.value();
    }

    @Test
    void theMeterOfAHostIsThatOfItsLatestMonitor() {
        Meter former = host("alpha", 1);
        Meter latest = host("alpha", 2);
        assertThat(age("alpha")).isEqualTo(2);
        meters.remove(former); // the former monitor ends late
        assertThat(age("alpha")).isEqualTo(2);
        meters.remove(latest);
        assertThat(age("alpha")).isNull();
    }

    @Test
    void aReplacedMeterCountsOnce() {
        meters.hostGauges(2);
        Meter former = host("alpha", 1);
        host("alpha", 2);
        assertThat(host("beta", 3)).isNotNull();
        assertThat(host("gamma", 4)).isNull();
        meters.remove(former);
        assertThat(host("gamma", 4)).isNull();
        meters.remove(null);
        assertThat(age("alpha")).isEqualTo(2);
        assertThat(age("beta")).isEqualTo(3);
    }
}
