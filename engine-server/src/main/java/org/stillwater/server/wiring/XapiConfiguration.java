package org.stillwater.server.wiring;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.time.EngineClock;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.XapiSettings;
import org.stillwater.server.xapi.XapiPools;

/** The connections to XAPI pools. */
@Configuration(proxyBeanMethods = false)
class XapiConfiguration {

    /** Started and stopped by {@link XapiLifecycle}; closing twice does no harm. */
    @Bean(destroyMethod = "close")
    XapiPools xapiPools(XapiSettings settings, FleetSettings fleet, EngineClock clock) {
        return new XapiPools(settings, fleet.dataFolder(), clock);
    }
}
