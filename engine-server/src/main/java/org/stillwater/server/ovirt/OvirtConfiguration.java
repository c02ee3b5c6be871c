package org.stillwater.server.ovirt;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.audit.AuditReader;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.ovirt.codec.Codec;
import org.stillwater.ovirt.fleet.CommandReader;
import org.stillwater.ovirt.fleet.EngineFleet;
import org.stillwater.ovirt.fleet.Fleet;
import org.stillwater.ovirt.fleet.Specifications;
import org.stillwater.ovirt.resource.Limits;
import org.stillwater.ovirt.resource.OvirtApi;
import org.stillwater.ovirt.resource.ReferenceData;
import org.stillwater.ovirt.resource.Writes;
import org.stillwater.ovirt.search.MemorySearch;
import org.stillwater.ovirt.search.SearchLimits;
import org.stillwater.server.api.rows.ListHelper;
import org.stillwater.server.fence.FenceAgentCatalog;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.OvirtReferenceSettings;
import org.stillwater.server.settings.OvirtSettings;

/** The compatible API with its parts plugged in. */
@Configuration(proxyBeanMethods = false)
class OvirtConfiguration {

    private static final int DEFAULT_PAGE = 100;

    @Bean
    Codec ovirtCodec() {
        return new Codec(new ListHelper());
    }

    @Bean(destroyMethod = "close")
    Specifications ovirtSpecifications(
            FleetReader fleet,
            Workers workers,
            DefinitionStore store,
            EngineClock clock,
            OvirtSettings settings,
            FenceAgentCatalog catalog) {
        return new Specifications(
                fleet, workers, store, clock, settings.mostSpecifications(), catalog::isSecret);
    }

    @Bean
    TagRegistry ovirtTags(FleetReader fleet) {
        return fleet.tags();
    }

    @Bean(destroyMethod = "close")
    EngineFleet ovirtFleet(
            FleetReader fleet,
            AuditReader auditLog,
            ObjectProvider<CommandEngine> commands,
            ObjectProvider<PoolKeeper> pools,
            Specifications specifications,
            TagRegistry tags,
            EngineClock clock) {
        return new EngineFleet(
                fleet,
                auditLog,
                new CommandReader(commands.getIfAvailable(), pools.getIfAvailable()),
                specifications,
                tags,
                clock);
    }

    @Bean
    OvirtApi ovirtApi(
            Fleet fleet,
            EngineClock clock,
            OvirtSettings settings,
            OvirtReferenceSettings reference,
            ObjectProvider<Writes> writes) {
        return new OvirtApi(
                fleet,
                new MemorySearch(
                        new SearchLimits(
                                settings.longestSearch(), settings.mostSearchTerms(), DEFAULT_PAGE),
                        clock),
                new ReferenceData(
                        reference.instanceId(),
                        reference.productName(),
                        reference.vendor(),
                        reference.major(),
                        reference.minor(),
                        reference.build(),
                        reference.fullVersion(),
                        reference.storageName(),
                        reference.storageType(),
                        reference.storageAddress(),
                        reference.storagePath(),
                        reference.storageSize() == null
                                ? null
                                : (Long) reference.storageSize().toBytes(),
                        reference.networkName(),
                        reference.webSocketProxy()),
                new Limits(
                        settings.mostEntities(),
                        settings.deepestFollow(),
                        settings.mostFollowed(),
                        settings.longestQuery(),
                        Limits.USUAL.deepestPath()),
                writes.getIfAvailable(() -> Writes.NONE));
    }

    @Bean
    ServletRegistrationBean<OvirtServlet> ovirtServlet(
            OvirtApi api, Codec codec, Callers callers, OvirtSettings settings, EngineClock clock) {
        ServletRegistrationBean<OvirtServlet> registration =
                new ServletRegistrationBean<>(
                        new OvirtServlet(api, codec, callers, settings, clock),
                        "/ovirt-engine/api",
                        "/ovirt-engine/api/*");
        registration.setName("ovirt");
        return registration;
    }

    /** Reads definitions as soon as monitoring has recovered, and not before. */
    @Bean
    SmartLifecycle ovirtReading(Specifications specifications) {
        return new SmartLifecycle() {
            private volatile boolean running;

            @Override
            public void start() {
                specifications.start();
                running = true;
            }

            @Override
            public void stop() {
                specifications.close();
                running = false;
            }

            @Override
            public boolean isRunning() {
                return running;
            }

            // After the engine's own, which is 0; so it ends before that.
            @Override
            public int getPhase() {
                return 1;
            }
        };
    }
}
