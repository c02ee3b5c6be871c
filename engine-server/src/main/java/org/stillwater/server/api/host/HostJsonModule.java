package org.stillwater.server.api.host;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.cadence.Pace;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.monitoring.host.ContestedVm;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.relay.intake.RelayIntake;
import org.stillwater.server.api.web.JsonForm;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

/** The answers of hosts and how Jackson writes them. */
@Configuration(proxyBeanMethods = false)
class HostJsonModule {

    /**
     * All that is known of one host.
     *
     * @param view the host
     * @param tags names of its tags
     * @param claims VMs of other hosts that it claims to run
     * @param relay its state at its relay; null for a host without relay
     * @param pace its interval; null where intervals do not adapt
     * @param hypervisor manager of the hosts of its cluster
     */
    record Host(
            HostView view,
            List<String> tags,
            List<ContestedVm> claims,
            RelayIntake.@Nullable HostStatus relay,
            @Nullable Pace pace,
            Hypervisor hypervisor) {}

    /** NUMA nodes of one host. */
    record HostNuma(HostView view) {}

    @Bean
    JacksonModule hostJson() {
        return new SimpleModule("stillwater-host")
                .addSerializer(
                        HostView.class,
                        JsonForm.serializer((json, host) -> HostJson.write(json, host)))
                .addSerializer(
                        Host.class,
                        JsonForm.serializer((json, host) ->
                                HostJson.writeFull(
                                        json,
                                        host.view(),
                                        host.tags(),
                                        host.claims(),
                                        host.relay(),
                                        host.pace(),
                                        host.hypervisor())))
                .addSerializer(
                        HostNuma.class,
                        JsonForm.serializer((json, numa) -> HostNumaJson.write(json, numa.view())));
    }
}
