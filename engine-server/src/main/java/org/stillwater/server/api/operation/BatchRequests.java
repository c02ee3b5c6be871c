package org.stillwater.server.api.operation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.stereotype.Component;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.security.Rejected;
import org.stillwater.server.settings.IfCommandsAreEnabled;

/** Makes the requests of a batch of its action and its VMs. Thread-safe. */
@IfCommandsAreEnabled
@Component
final class BatchRequests {

    private final Commands commands;
    private final DefinitionWriter writer;
    private final BatchFilter filter;
    private final CallerScope scope;

    BatchRequests(
            Commands commands, DefinitionWriter writer, BatchFilter filter, CallerScope scope) {
        this.commands = commands;
        this.writer = writer;
        this.filter = filter;
        this.scope = scope;
    }

    /**
     * The requests of a batch.
     *
     * @param requests for the VMs without a refusal, in their order
     * @param refusals the other VMs
     */
    record Planned(List<OperationRequest> requests, Map<VmId, ProblemDetail> refusals) {}

    /**
     * VMs of a request: those that it names, or those that match its filter now. A later change of
     * a VM neither adds it to the batch nor removes it.
     */
    List<VmId> vms(JsonObjectReader members) {
        int most = commands.engine().settings().mostInBatch();
        JsonObjectReader conditions = members.object("filter");
        boolean named = members.has("vms");
        if (named && conditions != null) {
            throw ApiException.badRequest("vms and filter exclude each other: give one of them")
                    .about("filter");
        }
        if (conditions != null) {
            return filter.matching(conditions, most);
        }
        if (!named) {
            throw ApiException.badRequest("The VMs are missing: give vms or filter").about("vms");
        }
        return named(members.texts("vms"), most);
    }

    private List<VmId> named(List<String> texts, int most) {
        if (texts.isEmpty() || texts.size() > most) {
            throw ApiException.badRequest(
                    "vms must name 1 to %d VMs, not %d (stillwater.commands.most-in-batch)"
                            .formatted(most, texts.size()));
        }
        return scope.distinctVms(texts);
    }

    /** Requests for the VMs on which the caller may act; reads definitions that change. */
    Planned plan(VmAction action, List<VmId> vms, JsonObjectReader parameters) {
        DefinitionChange change =
                switch (action) {
                    case PROTECT -> DefinitionChange.protection(true);
                    case UNPROTECT -> DefinitionChange.protection(false);
                    case EDIT -> DefinitionChange.read(parameters);
                    case START,
                            SHUTDOWN,
                            STOP,
                            REBOOT,
                            RESET,
                            PAUSE,
                            RESUME,
                            SUSPEND,
                            MIGRATE,
                            CANCEL_MIGRATION,
                            REMOVE ->
                            null;
                };
        OperationParameters how =
                change == null ? action.read(parameters, commands) : OperationParameters.NONE;
        parameters.end();
        Map<VmId, ProblemDetail> refusals = refusals(vms);
        List<VmId> free = vms.stream().filter(vm -> !refusals.containsKey(vm)).toList();
        if (change != null) {
            return new Planned(changes(change, free, refusals), refusals);
        }
        return new Planned(
                free.stream().map(vm -> new OperationRequest(vm, action.kind(), how)).toList(),
                refusals);
    }

    /** VMs that the caller may not act on, with the refusal of each. */
    private Map<VmId, ProblemDetail> refusals(List<VmId> vms) {
        Map<VmId, ProblemDetail> refusals = new HashMap<>();
        for (VmId vm : vms) {
            try {
                scope.check(vm, true);
            } catch (ApiException refusal) {
                refusals.put(vm, problem(refusal));
            } catch (Rejected refusal) {
                refusals.put(vm, refusal.getBody());
            }
        }
        return refusals;
    }

    static ProblemDetail problem(ApiException refusal) {
        return ProblemDetail.forStatusAndDetail(
                refusal.status(), String.valueOf(refusal.getMessage()));
    }

    /** Changes of definitions; adds the refusals of VMs that it cannot be made for. */
    private List<OperationRequest> changes(
            DefinitionChange change, List<VmId> vms, Map<VmId, ProblemDetail> refusals) {
        Map<VmId, Definition> stored;
        try {
            stored = vms.isEmpty() ? Map.of() : commands.engine().definitions().load(vms);
        } catch (StoreUnavailable e) {
            throw Commands.unread("The definition of a VM", e);
        }
        List<OperationRequest> requests = new ArrayList<>(vms.size());
        for (VmId vm : vms) {
            Definition before = stored.get(vm);
            try {
                requests.add(request(change, vm, before));
            } catch (IllegalArgumentException e) {
                refusals.put(
                        vm,
                        ProblemDetail.forStatusAndDetail(
                                HttpStatus.CONFLICT,
                                Commands.sentence(String.valueOf(e.getMessage()))));
            }
        }
        return requests;
    }

    private OperationRequest request(
            DefinitionChange change, VmId vm, @Nullable Definition before) {
        String problem = before == null ? null : before.problem();
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        VmSpecification specification = before == null ? null : before.specification();
        if (before == null || specification == null) {
            throw new IllegalArgumentException(
                    "the engine found the VM on its host and does not define it");
        }
        Definition next = change.over(before, specification);
        if (next.equals(before)) {
            throw new IllegalArgumentException(change.refusalOfSame());
        }
        specification.check(next.definition());
        return OperationRequest.changing(
                vm, new OperationParameters.Definition(writer.text(next)), before);
    }
}
