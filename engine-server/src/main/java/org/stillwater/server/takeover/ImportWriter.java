package org.stillwater.server.takeover;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.secret.SecretBox;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.DefinitionStore;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.StoreUnavailable;

/**
 * Writes a plan into the database of an engine that does not run. An existing object with the same
 * identity is replaced, so that an interrupted import can be repeated; data that only this engine
 * has, such as passwords, stays; no object is removed. An object that the database refuses does not
 * affect the others. Used by one thread.
 */
public final class ImportWriter {

    private final ClusterStore clusters;
    private final HostStore hosts;
    private final DefinitionStore definitions;
    private final ReferenceWriter references;
    private final Refusals refusals = new Refusals();

    /**
     * A writer into these stores.
     *
     * @param references writes the objects that refer to the others
     */
    public ImportWriter(
            ClusterStore clusters,
            HostStore hosts,
            DefinitionStore definitions,
            ReferenceWriter references) {
        this.clusters = clusters;
        this.hosts = hosts;
        this.definitions = definitions;
        this.references = references;
    }

    /**
     * Writes everything.
     *
     * @return the refusals of the database
     * @throws StoreUnavailable if the database stops answering; written objects stay
     */
    public List<Loss> write(ImportPlan plan) throws StoreUnavailable {
        for (DataCentre each : plan.dataCentres()) {
            boolean _ =
                    refusals.save(
                            "data centre",
                            each.name(),
                            () -> {
                                Saved added = clusters.update(each);
                                return added == Saved.UNKNOWN ? clusters.add(each) : added;
                            });
        }
        writeClusters(plan.clusters());
        for (HostDefinition each : plan.hosts()) {
            boolean _ =
                    refusals.save(
                            "host",
                            each.name(),
                            () -> saved(hosts.update(each) || hosts.add(each)));
        }
        for (Map.Entry<HostId, List<FenceAgent>> each : plan.agents().entrySet()) {
            boolean _ =
                    refusals.save(
                            "fence agents of host",
                            each.getKey().toString(),
                            () -> saveAgents(each));
        }
        Map<VmId, Definition> here = definitions.load(plan.vms().keySet());
        for (Map.Entry<VmId, Definition> each : plan.vms().entrySet()) {
            Definition vm = each.getValue();
            if (vm.equals(here.get(each.getKey()))) {
                continue;
            }
            String name = vm.definition().name();
            if (!refusals.save("VM", name, () -> save(each.getKey(), vm))) {
                refusals.missing(each.getKey(), name);
            }
        }
        for (AffinityGroup each : plan.groups()) {
            String kind = "affinity group";
            Set<VmId> present = refusals.present(kind, each.name(), each.members());
            boolean _ =
                    refusals.save(
                            kind, each.name(), () -> definitions.save(each.withMembers(present)));
        }
        references.write(plan, refusals);
        return refusals.all();
    }

    /** CPU types and thresholds of memory are set here: the other engine does not report them. */
    private void writeClusters(List<Cluster> planned) throws StoreUnavailable {
        Map<ClusterId, Cluster> here = new HashMap<>();
        for (Cluster each : clusters.loadClusters()) {
            here.put(each.id(), each);
        }
        for (Cluster each : planned) {
            Cluster known = here.get(each.id());
            boolean _ =
                    refusals.save(
                            "cluster",
                            each.name(),
                            () ->
                                    known == null
                                            ? clusters.add(each)
                                            : clusters.update(withOwn(each, known)));
        }
    }

    private static Cluster withOwn(Cluster planned, Cluster here) {
        HostRequirements theirs = planned.requirements();
        HostRequirements ours = here.requirements();
        return new Cluster(
                planned.id(),
                planned.dataCentre(),
                planned.name(),
                planned.description(),
                new HostRequirements(
                        theirs.version(),
                        ours.cpuType(),
                        theirs.architecture(),
                        ours.machineTypes(),
                        ours.emulatedMachine(),
                        theirs.rngSources(),
                        ours.features(),
                        theirs.fips(),
                        ours.uniformSystem(),
                        ours.hostedEngine(),
                        theirs.networks()),
                planned.migrateOnError(),
                planned.fencing(),
                here.memory(),
                here.hypervisor());
    }

    private Saved save(VmId vm, Definition definition) throws StoreUnavailable {
        if (definitions.add(vm, definition)) {
            return Saved.SAVED;
        }
        return saved(definitions.update(vm, definition));
    }

    private Saved saveAgents(Map.Entry<HostId, List<FenceAgent>> agents) throws StoreUnavailable {
        try {
            if (!definitions.fenceAgents(agents.getKey()).isEmpty()) {
                return Saved.SAVED; // with passwords that were set here meanwhile
            }
            return saved(definitions.saveFenceAgents(agents.getKey(), agents.getValue()));
        } catch (SecretBox.Unusable e) {
            throw new IllegalArgumentException(
                    "there is no key to encrypt them with: " + e.getMessage(), e);
        }
    }

    private static Saved saved(boolean whether) {
        return whether ? Saved.SAVED : Saved.TAKEN;
    }
}
