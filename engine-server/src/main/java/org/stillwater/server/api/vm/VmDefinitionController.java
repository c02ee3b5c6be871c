package org.stillwater.server.api.vm;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.HostReach;
import org.stillwater.core.access.Role;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.text.SafeText;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.server.api.operation.Commands;
import org.stillwater.server.api.operation.OperationJsonModule;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Correlation;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.security.AuditedAs;
import org.stillwater.server.security.Rejected;
import org.stillwater.server.settings.IfCommandsAreEnabled;
import tools.jackson.databind.JsonNode;

/** Definitions of VMs: added, read, changed and removed. */
@IfCommandsAreEnabled
@RestController
@RequestMapping("/api/v1/vms")
class VmDefinitionController {

    private final Commands commands;
    private final FleetReader fleet;
    private final MacAddresses macs;

    private final CallerScope scope;

    VmDefinitionController(
            Commands commands, FleetReader fleet, MacAddresses macs, CallerScope scope) {
        this.scope = scope;
        this.commands = commands;
        this.fleet = fleet;
        this.macs = macs;
    }

    @AuditedAs({AuditEvent.USER_ADD_VM, AuditEvent.VM_OPERATION_FAILED})
    @PostMapping
    ResponseEntity<OperationJsonModule.OperationView> add(
            @RequestAttribute(Correlation.ATTRIBUTE) String correlation,
            @RequestBody JsonNode body) {
        UUID given = JsonObjectReader.of(body).uuid("id");
        if (given != null) {
            throw ApiException.badRequest("id is chosen by the engine; leave it out");
        }
        Definition definition = read(body, VmOrigin.OVIRT, null);
        refuseMisleading(definition.definition().name());
        scope.act(definition.definition().cluster());
        refuseReach(null, definition);
        VmId vm = VmId.parse(UUID.randomUUID().toString());
        return submit(vm, OperationKind.ADD_VM, definition, correlation);
    }

    @GetMapping("/{id}/definition")
    VmJsonModule.VmDefinition one(@PathVariable String id) {
        VmId vm = commands.known(id).id();
        return new VmJsonModule.VmDefinition(vm, stored(vm, id));
    }

    @AuditedAs({AuditEvent.USER_UPDATE_VM, AuditEvent.VM_OPERATION_FAILED})
    @PutMapping("/{id}/definition")
    ResponseEntity<OperationJsonModule.OperationView> change(
            @PathVariable String id,
            @RequestAttribute(Correlation.ATTRIBUTE) String correlation,
            @RequestBody JsonNode body) {
        VmView vm = commands.known(id);
        UUID given = JsonObjectReader.of(body).uuid("id");
        if (given != null && !given.equals(vm.id().toUuid())) {
            throw ApiException.badRequest("id is that of another VM");
        }
        Definition definition = read(body, vm.definition().origin(), vm.definition().cluster());
        if (!definition.definition().name().equals(vm.definition().name())) {
            refuseMisleading(definition.definition().name());
        }
        if (!definition.definition().cluster().equals(vm.definition().cluster())) {
            scope.act(definition.definition().cluster());
        }
        if (!scope.caller().has(Role.ADMINISTRATOR, definition.definition().cluster())) {
            refuseReach(stored(vm.id(), id), definition);
        }
        return submit(vm.id(), OperationKind.UPDATE_VM, definition, correlation);
    }

    @AuditedAs({AuditEvent.VM_OPERATION_DONE, AuditEvent.VM_OPERATION_FAILED})
    @DeleteMapping("/{id}")
    ResponseEntity<OperationJsonModule.OperationView> remove(
            @PathVariable String id, @RequestAttribute(Correlation.ATTRIBUTE) String correlation) {
        return commands.submit(
                commands.known(id).id(),
                OperationKind.REMOVE_VM,
                OperationParameters.NONE,
                correlation);
    }

    private ResponseEntity<OperationJsonModule.OperationView> submit(
            VmId vm, OperationKind kind, Definition definition, String correlation) {
        return commands.submit(
                vm,
                kind,
                new OperationParameters.Definition(DefinitionJson.text(definition)),
                correlation);
    }

    /** Refuses a name that looks like another VM's, or that hides characters. */
    private static void refuseMisleading(String name) {
        if (!SafeText.isSafe(name)) {
            throw ApiException.badRequest(
                    "name has no character that is invisible or turns the direction of others");
        }
    }

    /** Refuses a definition that accesses hosts beyond the caller's rights. */
    private void refuseReach(@Nullable Definition before, Definition next) {
        String refusal =
                HostReach.refusal(
                        scope.caller(),
                        next.definition().cluster(),
                        before == null ? null : before.specification(),
                        next.specification());
        if (refusal != null) {
            throw Rejected.forbidden("The definition was not recorded: " + refusal + ".");
        }
    }

    private Definition read(JsonNode body, VmOrigin origin, @Nullable ClusterId present) {
        return DefinitionJson.read(
                body,
                origin,
                new DefinitionJson.Makers(
                        text -> cluster(text, present), UUID::randomUUID, macs::next));
    }

    /** The VM's present cluster, or one that the caller may see. */
    private ClusterId cluster(String text, @Nullable ClusterId present) {
        String wanted = text.strip();
        Caller caller = scope.caller();
        return fleet.clusters().clusters().stream()
                .filter(each -> each.id().equals(present) || scope.sees(each.id(), caller))
                .filter(each ->
                        each.name().equals(wanted) || each.id().toString().equalsIgnoreCase(wanted))
                .map(Cluster::id)
                .findFirst()
                .orElseThrow(() ->
                        ApiException.badRequest(
                                "There is no cluster " + Ids.shortened(wanted) + "."));
    }

    private Definition stored(VmId vm, String id) {
        Definition found;
        try {
            found = commands.engine().definitions().load(List.of(vm)).get(vm);
        } catch (StoreUnavailable e) {
            throw ApiException.unavailable(
                    "The definition was not read, because the database does not answer: "
                            + e.getMessage());
        }
        if (found == null) {
            throw ApiException.notFound("There is no VM " + Ids.shortened(id) + ".");
        }
        String problem = found.problem();
        if (problem != null) {
            throw ApiException.conflict(
                    "The definition was not read: "
                            + problem
                            + ". An administrator replaces it by a whole one.");
        }
        return found;
    }
}
