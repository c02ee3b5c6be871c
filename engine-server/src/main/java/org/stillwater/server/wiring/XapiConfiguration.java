package org.stillwater.server.wiring;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.time.EngineClock;
import org.stillwater.dal.Database;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.server.security.ClusterRemoved;
import org.stillwater.server.settings.FleetSettings;
import org.stillwater.server.settings.XapiSettings;
import org.stillwater.server.xapi.PoolAdministration;
import org.stillwater.server.xapi.XapiPools;

/** The connections to XAPI pools, and their administration. */
@Configuration(proxyBeanMethods = false)
class XapiConfiguration {

    /** Started and stopped by {@link XapiLifecycle}; closing twice does no harm. */
    @Bean(destroyMethod = "close")
    XapiPools xapiPools(XapiSettings settings, FleetSettings fleet, EngineClock clock) {
        return new XapiPools(settings, fleet.dataFolder(), clock);
    }

    @Bean
    PoolAdministration poolAdministration(
            XapiPools pools,
            Database database,
            MonitoringEngine engine,
            EngineClock clock,
            ApplicationEventPublisher events) {
        return new PoolAdministration(
                pools,
                database.xapiPools(),
                engine,
                clock,
                cluster -> events.publishEvent(new ClusterRemoved(cluster)));
    }
}
