package org.stillwater.ovirt.action;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.core.access.Role;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.action.Operations.Subject;

/** VMs that are added, changed and removed. Each is answered once it is done. */
final class VmChanges {

    private final Access access;
    private final Operations operations;
    private final DefinitionServices services;
    private final VmDefinitions definitions;
    private final PoolKeeper pools;

    VmChanges(Access access, Operations operations, DefinitionServices services, PoolKeeper pools) {
        this.access = access;
        this.operations = operations;
        this.services = services;
        this.pools = pools;
        this.definitions = new VmDefinitions(services);
    }

    Outcome add(Change change) {
        ClusterId named = access.cluster(change, null);
        ClusterId cluster = named == null ? ClusterId.DEFAULT : named;
        if (!change.caller().has(Role.OPERATOR, cluster)) {
            throw Refused.forbidden();
        }
        Definition definition =
                definitions.read(
                        change.body(),
                        cluster,
                        new VmDefinitions.Standing(
                                architecture(cluster),
                                false,
                                null,
                                nic -> NicChanges.connection(access, change, nic, cluster),
                                id -> requireDomain(change, id)));
        VmId vm = VmId.parse(UUID.randomUUID().toString());
        Access.refuseReach(change, null, definition, "add VM");
        refuseTaken(vm, definition, null);
        return shown(change, vm, OperationKind.ADD_VM, definition, 201, "add VM");
    }

    Outcome update(Change change, String id) {
        VmView vm = access.vm(change, id);
        Definition before = operations.stored(vm.id());
        ClusterId cluster = access.cluster(change, vm.definition().cluster());
        if (cluster != null && !cluster.equals(vm.definition().cluster())) {
            throw Refused.conflict("Cannot edit VM: it stays in its cluster.");
        }
        Definition definition = definitions.over(change.body(), before, standing(change, vm));
        Access.refuseReach(change, before, definition, "edit VM");
        refuseTaken(vm.id(), definition, vm);
        return shown(change, vm.id(), OperationKind.UPDATE_VM, definition, 200, "edit VM");
    }

    /** Storage domains are known as far as hosts report them and VMs use them. */
    private static void requireDomain(Change change, UUID id) {
        Object _ = change.lookup().entity("storagedomains", id.toString());
    }

    private VmDefinitions.Standing standing(Change change, VmView vm) {
        VmPool pool = pools.poolOf(vm.id());
        return new VmDefinitions.Standing(
                architecture(vm.definition().cluster()),
                pool != null && !pool.stateful(),
                vm.state().runtime().text(RuntimeField.GUEST_HOST_NAME),
                nic -> NicChanges.connection(access, change, nic, vm.definition().cluster()),
                id -> requireDomain(change, id));
    }

    /** Architecture that GET shows for VMs of a cluster that have none of their own. */
    private String architecture(ClusterId id) {
        for (Cluster each : access.fleet().clusters().clusters()) {
            CpuArchitecture architecture = each.requirements().architecture();
            if (each.id().equals(id) && architecture != null) {
                return architecture.name();
            }
        }
        return CpuArchitecture.X86_64.name();
    }

    Outcome remove(Change change, String id) {
        VmView vm = access.vm(change, id);
        Operation accepted =
                operations.begin(
                        new OperationRequest(
                                vm.id(), OperationKind.REMOVE_VM, OperationParameters.NONE),
                        change.origin(),
                        "remove VM");
        String path = "vms/" + vm.id();
        if (change.flag("async") || Boolean.TRUE.equals(change.async())) {
            return operations.answer(change, accepted, path, Subject.vm(vm.id()), "remove VM");
        }
        Operation ended = operations.ended(accepted);
        failed(ended, "remove VM");
        return Operations.removed(change, ended.id().toString());
    }

    private Outcome shown(
            Change change,
            VmId vm,
            OperationKind kind,
            Definition definition,
            int status,
            String verb) {
        Operation accepted =
                operations.begin(
                        new OperationRequest(
                                vm,
                                kind,
                                new OperationParameters.Definition(services.text(definition))),
                        change.origin(),
                        verb);
        failed(operations.ended(accepted), verb);
        return Outcome.showing(status, "vms/" + vm);
    }

    private static void failed(Operation operation, String verb) {
        if (!operation.isEnded()) {
            throw Refused.unavailable(
                    "The outcome of the request to %s is unknown: poll the job %s."
                            .formatted(verb, operation.id()));
        }
        if (operation.state() != OperationState.SUCCEEDED) {
            throw Refused.conflict(
                    "Cannot %s: %s"
                            .formatted(verb, Operations.sentence(Operations.why(operation))));
        }
    }

    /** Names and MAC addresses of VMs of a data centre are their own. */
    private void refuseTaken(VmId id, Definition definition, @Nullable VmView before) {
        String name = definition.definition().name();
        boolean renamed = before == null || !before.definition().name().equals(name);
        ClusterId cluster = definition.definition().cluster();
        boolean taken =
                renamed
                        && access.fleet()
                                .vms()
                                .anyMatch(vm ->
                                        vm.definition().name().equals(name)
                                                && access.fleet()
                                                        .clusters()
                                                        .areOfOneDataCentre(
                                                                vm.definition().cluster(),
                                                                cluster));
        if (taken) {
            throw Refused.conflict(
                    "Cannot %s VM. The VM name is already in use, please choose a unique name and try again."
                            .formatted(before == null ? "add" : "edit"));
        }
        VmSpecification specification = definition.specification();
        if (specification == null) {
            return;
        }
        for (VmInterface nic : specification.interfaces()) {
            VmView owner = services.owner(id, nic.mac(), cluster);
            if (owner != null) {
                throw Refused.conflict(
                        "Cannot %s VM: the MAC address %s belongs to the VM %s."
                                .formatted(
                                        before == null ? "add" : "edit",
                                        nic.mac(),
                                        owner.definition().name()));
            }
        }
    }
}
