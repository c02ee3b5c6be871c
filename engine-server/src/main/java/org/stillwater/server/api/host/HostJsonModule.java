package org.stillwater.server.api.host;

import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.monitoring.host.ContestedVm;
import org.stillwater.monitoring.host.HostView;
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
     * @param claims VMs of other hosts that it says it runs
     */
    record Host(HostView view, List<ContestedVm> claims) {}

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
                                HostJson.writeFull(json, host.view(), host.claims())))
                .addSerializer(
                        HostNuma.class,
                        JsonForm.serializer((json, numa) -> HostNumaJson.write(json, numa.view())));
    }
}
