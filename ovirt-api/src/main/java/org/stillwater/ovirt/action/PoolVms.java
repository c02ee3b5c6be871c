package org.stillwater.ovirt.action;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.store.DefinitionStore.Definition;

/**
 * The VMs that a pool is given when it is added or becomes larger: copies of the blank template,
 * which has no disks, and the only template. Each is added by an operation of its own, all in one
 * batch.
 */
final class PoolVms {

    private static final String BLANK = "00000000-0000-0000-0000-000000000000";
    private static final int USUAL_MEBIBYTES = 1_024;
    private static final Pattern NUMBER = Pattern.compile("\\?+");

    private final Access access;
    private final Operations operations;
    private final DefinitionServices services;

    PoolVms(Access access, Operations operations, DefinitionServices services) {
        this.access = access;
        this.operations = operations;
        this.services = services;
    }

    /** Result of adding VMs. */
    private record Added(List<VmId> vms, @Nullable String failure) {}

    /** A VM that is to be added. */
    private record Planned(VmId vm, Definition definition) {}

    /**
     * Refuses a template that is not the blank one.
     *
     * @throws Refused with the template that does not exist
     */
    static void refuseUnknownTemplate(Body body) {
        String id = body.text("template", "id");
        String name = body.text("template", "name");
        boolean blank =
                id != null ? id.equals(BLANK) : name == null || name.equalsIgnoreCase("blank");
        if (!blank) {
            throw Refused.notFound("Template", id != null ? id : String.valueOf(name));
        }
    }

    /**
     * Adds this number of VMs for a pool, all or none; they are not members yet.
     *
     * @throws Refused if they cannot, with the reason of the first that could not
     */
    List<VmId> add(Change change, VmPool pool, int count) {
        if (count <= 0) {
            return List.of();
        }
        int most = operations.commands().settings().mostInBatch();
        if (count > most) {
            throw Refused.conflict(
                    "Cannot add VMs to VM-Pool: at most %d can be added at once.".formatted(most));
        }
        Added added = begun(change, planned(pool, count));
        if (added.failure() != null) {
            remove(change, added.vms());
            throw Refused.conflict("Cannot add VMs to VM-Pool: " + added.failure());
        }
        return added.vms();
    }

    private List<Planned> planned(VmPool pool, int count) {
        Set<String> taken = new HashSet<>();
        access.fleet()
                .vms()
                .filter(vm ->
                        access.fleet()
                                .clusters()
                                .areOfOneDataCentre(vm.definition().cluster(), pool.cluster()))
                .forEach(vm -> taken.add(vm.definition().name()));
        List<Planned> planned = new ArrayList<>(count);
        for (int number = 1; planned.size() < count; number++) {
            String name = name(pool.name(), number);
            if (taken.add(name)) {
                planned.add(
                        new Planned(
                                VmId.parse(UUID.randomUUID().toString()),
                                blank(name, pool.cluster())));
            }
        }
        return planned;
    }

    /** Question marks in a pool's name stand for the number of its VM, which else comes last. */
    static String name(String pool, int number) {
        Matcher place = NUMBER.matcher(pool);
        if (!place.find()) {
            return pool + "-" + number;
        }
        String digits = Integer.toString(number);
        String padded = "0".repeat(Math.max(0, place.group().length() - digits.length())) + digits;
        return pool.substring(0, place.start()) + padded + pool.substring(place.end());
    }

    private static Definition blank(String name, ClusterId cluster) {
        return new Definition(
                new VmStatic(
                        name,
                        VmOrigin.OVIRT,
                        false,
                        USUAL_MEBIBYTES,
                        USUAL_MEBIBYTES,
                        1,
                        1,
                        1,
                        List.of(),
                        false,
                        cluster),
                VmSpecification.BARE.withConsoles(
                        List.of(new VmConsole(VmConsole.Protocol.VNC, null)),
                        VmSpecification.BARE.video()),
                0,
                null,
                null);
    }

    private Added begun(Change change, List<Planned> planned) {
        List<OperationRequest> wanted = new ArrayList<>(planned.size());
        for (Planned each : planned) {
            wanted.add(
                    new OperationRequest(
                            each.vm(),
                            OperationKind.ADD_VM,
                            new OperationParameters.Definition(services.text(each.definition()))));
        }
        List<CompletableFuture<Answer>> answers =
                operations.commands().submit(wanted, change.origin().in(UUID.randomUUID(), 0));
        List<VmId> added = new ArrayList<>(planned.size());
        String failure = null;
        for (int i = 0; i < planned.size(); i++) {
            Planned each = planned.get(i);
            try {
                Operation ended =
                        operations.ended(
                                operations.accepted(
                                        answers.get(i), each.vm(), "add VMs to VM-Pool"));
                if (ended.state() == OperationState.SUCCEEDED) {
                    added.add(each.vm());
                } else if (failure == null) {
                    failure =
                            "%s: %s"
                                    .formatted(
                                            each.definition().definition().name(),
                                            Operations.sentence(
                                                    ended.isEnded()
                                                            ? Operations.why(ended)
                                                            : "it is not known yet whether it was"
                                                                    + " added"));
                }
            } catch (Refused refused) {
                failure = failure == null ? refused.detail() : failure;
            }
        }
        return new Added(added, failure);
    }

    /** Removes VMs that were added for a pool that did not get them. */
    void remove(Change change, List<VmId> vms) {
        List<CompletableFuture<Answer>> _ =
                operations
                        .commands()
                        .submit(
                                vms.stream()
                                        .map(vm ->
                                                new OperationRequest(
                                                        vm,
                                                        OperationKind.REMOVE_VM,
                                                        OperationParameters.NONE))
                                        .toList(),
                                change.origin().in(UUID.randomUUID(), 0));
    }
}
