package org.stillwater.server.api.vm;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.vm.VmJob;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.monitoring.host.ContestedVm;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.server.api.web.JsonForm;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.module.SimpleModule;

/** The answers of VMs and how Jackson writes them. */
@Configuration(proxyBeanMethods = false)
class VmJsonModule {

    /**
     * One VM, with the hosts that claim to run it although another is responsible.
     *
     * @param view the VM
     * @param tags names of its tags
     * @param claims claims of other hosts
     * @param hypervisor manager of its hosts
     */
    record Vm(VmView view, List<String> tags, List<ContestedVm> claims, Hypervisor hypervisor) {}

    /** One VM's numbers; {@code view} is null when no poll has brought any. */
    record Statistics(VmId vmId, @Nullable VmStatisticsView view, boolean stale) {}

    /** Jobs that a host does on one VM. */
    record Jobs(VmId vmId, List<VmJob> items) {}

    /** NUMA nodes with one VM's memory; {@code nodes} is null if its host does not report them. */
    record VmNuma(VmId vmId, @Nullable List<VmNumaNode> nodes) {}

    /** All of one VM's definition. */
    record VmDefinition(VmId id, DefinitionStore.Definition definition) {}

    @Bean
    JacksonModule vmJson() {
        return new SimpleModule("stillwater-vm")
                .addSerializer(
                        Vm.class,
                        JsonForm.serializer((json, vm) ->
                                VmJson.writeFull(
                                        json, vm.view(), vm.tags(), vm.claims(), vm.hypervisor())))
                .addSerializer(Statistics.class, JsonForm.serializer(StatisticsJson::write))
                .addSerializer(
                        Jobs.class,
                        JsonForm.serializer(
                                (json, jobs) -> VmDetailJson.jobs(json, jobs.vmId(), jobs.items())))
                .addSerializer(
                        VmNuma.class,
                        JsonForm.serializer(
                                (json, numa) -> VmDetailJson.numa(json, numa.vmId(), numa.nodes())))
                .addSerializer(VmDefinition.class, JsonForm.serializer(DefinitionJson::write));
    }
}
