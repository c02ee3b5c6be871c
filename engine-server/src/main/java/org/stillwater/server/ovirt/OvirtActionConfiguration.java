package org.stillwater.server.ovirt;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.command.host.HostOperations;
import org.stillwater.command.operation.CommandEngine;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.ovirt.action.ActionLimits;
import org.stillwater.ovirt.action.ApiWrites;
import org.stillwater.ovirt.action.Changes;
import org.stillwater.ovirt.action.DefinitionServices;
import org.stillwater.ovirt.action.FenceAgentAccess;
import org.stillwater.ovirt.action.ProxyTicketSigner;
import org.stillwater.ovirt.codec.Codec;
import org.stillwater.ovirt.resource.OvirtApi;
import org.stillwater.server.fence.FenceAgents;
import org.stillwater.server.security.ClusterRemoved;
import org.stillwater.server.settings.ClusterSettings;
import org.stillwater.server.settings.OvirtActionSettings;
import org.stillwater.server.settings.RestSettings;

/** Changes of the compatible API, bound to the commands of this engine. */
@Configuration(proxyBeanMethods = false)
class OvirtActionConfiguration {

    @Bean(destroyMethod = "close")
    Changes ovirtChanges(
            MonitoringEngine engine,
            ObjectProvider<CommandEngine> commands,
            ObjectProvider<HostOperations> hosts,
            ObjectProvider<PoolKeeper> pools,
            DefinitionServices services,
            FenceAgents power,
            FenceAgentAccess agents,
            TagRegistry tags,
            ProxyTicketSigner signer,
            ApplicationEventPublisher events,
            RestSettings rest,
            OvirtActionSettings actions,
            ClusterSettings clusters) {
        CommandEngine commanded = commands.getIfAvailable();
        return new Changes(
                engine,
                commanded == null
                        ? null
                        : new Changes.Parts(
                                commanded, hosts.getObject(), pools.getObject(), signer),
                services,
                power,
                new Changes.Administration(
                        agents, cluster -> events.publishEvent(new ClusterRemoved(cluster)), tags),
                new ActionLimits(
                        rest.orderPatience(),
                        actions.ordered(),
                        actions.ended(),
                        rest.maxBody().toBytes(),
                        actions.mostTags(),
                        clusters.mostGroupMembers()));
    }

    @Bean
    ApiWrites ovirtWrites(Changes changes, Codec codec) {
        return new ApiWrites(changes, codec);
    }

    /** Each needs the other: the answer to a change shows the object as other answers do. */
    @Bean
    SmartInitializingSingleton ovirtWritesAttached(ApiWrites writes, OvirtApi api) {
        return () -> writes.attach(api);
    }
}
