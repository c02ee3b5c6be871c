package org.stillwater.server.rest;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.stillwater.core.model.AuditEntry;
import org.stillwater.core.model.Cluster;
import org.stillwater.core.model.HistoryMetric.Subject;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmJob;
import org.stillwater.core.model.VmNumaNode;
import org.stillwater.core.model.VmStatisticsView;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.port.DefinitionStore;
import org.stillwater.monitoring.history.HistoryAnswer;
import org.stillwater.monitoring.host.ContestedVm;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.module.SimpleModule;

/** The answers of the interface and how Jackson writes them. */
@Configuration(proxyBeanMethods = false)
class ApiJson {

    /**
     * All that is known of one host.
     *
     * @param view the host
     * @param claims VMs of other hosts that it says it runs
     */
    record Host(HostView view, List<ContestedVm> claims) {}

    /**
     * One VM, with the hosts that say they run it although another is responsible.
     *
     * @param view the VM
     * @param claims what other hosts say
     */
    record Vm(VmView view, List<ContestedVm> claims) {}

    /**
     * One cluster with its hosts in numbers.
     *
     * @param cluster the cluster
     * @param hosts how many hosts belong to it
     * @param silentPercent share of those watched that is silent
     */
    record ClusterView(Cluster cluster, int hosts, int silentPercent) {}

    /** Some of the audit log, newest first; {@code next} is the cursor of older ones, or null. */
    record Events(List<AuditEntry> items, @Nullable String next) {}

    /** One VM's numbers; {@code view} is null when no poll has brought any. */
    record Statistics(VmId vmId, @Nullable VmStatisticsView view, boolean stale) {}

    /**
     * One open work with names, null when the VM or host is not known or there is none.
     *
     * @param entry what is open
     * @param vmName name of the VM it is about
     * @param hostName name of the host it is about or follows from
     */
    record Work(WorkEntry entry, @Nullable String vmName, @Nullable String hostName) {}

    /** One page of open work; {@code next} is the cursor of the following one, null at the end. */
    record Works(List<Work> items, int total, @Nullable String next) {}

    /** History of one VM or host. */
    record History(Subject subject, UUID id, HistoryAnswer answer) {}

    /** Jobs that a host does on one VM. */
    record Jobs(VmId vmId, List<VmJob> items) {}

    /** Where one VM's memory is; {@code nodes} is null when its host does not say. */
    record VmNuma(VmId vmId, @Nullable List<VmNumaNode> nodes) {}

    /** NUMA nodes of one host. */
    record HostNuma(HostView view) {}

    /** An operation with names, null where nothing of that identity is known. */
    record OperationView(
            Operation operation,
            @Nullable String vmName,
            @Nullable String hostName,
            @Nullable String targetName) {}

    /** All of one VM's definition. */
    record VmDefinition(VmId id, DefinitionStore.Definition definition) {}

    /** One page of operations, the newest first. */
    record Operations(List<OperationView> items, @Nullable String next) {}

    @Bean
    JacksonModule stillwaterJson() {
        return new SimpleModule("stillwater")
                .addSerializer(
                        Vm.class,
                        form((vm, json) -> VmJson.writeFull(json, vm.view(), vm.claims())))
                .addSerializer(
                        AuditEntry.class, form((entry, json) -> AuditJson.write(json, entry)))
                .addSerializer(HostView.class, form((host, json) -> HostJson.write(json, host)))
                .addSerializer(
                        Host.class,
                        form((host, json) -> HostJson.writeFull(json, host.view(), host.claims())))
                .addSerializer(
                        Statistics.class,
                        form((statistics, json) -> StatisticsJson.write(json, statistics)))
                .addSerializer(
                        History.class, form((history, json) -> HistoryJson.write(json, history)))
                .addSerializer(Work.class, form((work, json) -> WorkJson.write(json, work)))
                .addSerializer(
                        Jobs.class,
                        form((jobs, json) -> BesideJson.jobs(json, jobs.vmId(), jobs.items())))
                .addSerializer(
                        VmNuma.class,
                        form((numa, json) -> BesideJson.numa(json, numa.vmId(), numa.nodes())))
                .addSerializer(
                        HostNuma.class, form((numa, json) -> BesideJson.numa(json, numa.view())))
                .addSerializer(
                        ClusterView.class,
                        form((cluster, json) -> ClusterJson.write(json, cluster)))
                .addSerializer(
                        OperationView.class,
                        form((operation, json) -> OperationJson.write(json, operation)))
                .addSerializer(
                        VmDefinition.class,
                        form((definition, json) -> DefinitionJson.write(json, definition)))
                .addSerializer(Double.class, form(ApiJson::known));
    }

    /** Not-a-number stands for "not known", which JSON calls null. */
    private static void known(Double value, JsonGenerator json) {
        if (value.isNaN() || value.isInfinite()) {
            json.writeNull();
        } else {
            json.writeNumber(value);
        }
    }

    /** Writes one value. */
    private interface Form<T> {
        void write(T value, JsonGenerator json);
    }

    private static <T> ValueSerializer<T> form(Form<T> form) {
        return new ValueSerializer<>() {
            @Override
            public void serialize(T value, JsonGenerator json, SerializationContext context) {
                form.write(value, json);
            }
        };
    }
}
