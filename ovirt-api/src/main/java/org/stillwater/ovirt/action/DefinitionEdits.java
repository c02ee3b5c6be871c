package org.stillwater.ovirt.action;

import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.monitoring.lock.KeyedLocks;
import org.stillwater.monitoring.vm.VmView;

/**
 * Changes of one device in the definition of a VM: reads the definition, changes it and records it,
 * one change of a VM at a time, because clients add several devices at once and each addition
 * builds on the ones before. Thread-safe.
 */
final class DefinitionEdits {

    private static final FoundDefinition UNREPORTED =
            new FoundDefinition(
                    false, List.of("its devices, which no host has reported"), List.of());

    private final Operations operations;
    private final DefinitionServices services;
    private final KeyedLocks locks = new KeyedLocks("definitions of VMs");

    DefinitionEdits(Operations operations, DefinitionServices services) {
        this.operations = operations;
        this.services = services;
    }

    /** A MAC address that no VM has. */
    String nextMac() {
        return services.nextMac();
    }

    /**
     * Changes a VM's definition; returns once the database has it.
     *
     * @param verb action that a refusal names, for example {@code add Interface}
     * @param edit makes the new definition of the present one, with its specification; an {@link
     *     IllegalArgumentException} gives the reason of a refusal in one clause
     * @return the new definition
     */
    Definition edit(Change change, VmView vm, String verb, UnaryOperator<Definition> edit) {
        return alone(
                vm.id(),
                verb,
                () -> {
                    Definition before = operations.stored(vm.id());
                    if (!isDefined(before)) {
                        throw Refused.conflict(
                                "Cannot %s: the engine found the VM on its host and does not define it."
                                        .formatted(verb));
                    }
                    Definition next = checked(change, vm, before, verb, edit);
                    if (!next.equals(before)) {
                        record(change, vm, verb, next);
                    }
                    return next;
                });
    }

    /**
     * Definition after an edit; the stored one is unchanged.
     *
     * @throws Refused if the edit could not be made
     */
    Definition checked(
            Change change,
            VmView vm,
            Definition before,
            String verb,
            UnaryOperator<Definition> edit) {
        Definition next = edited(before, verb, edit);
        if (!next.equals(before)) {
            Access.refuseReach(change, before, next, verb);
            refuseTaken(vm.id(), before, next, verb);
        }
        return next;
    }

    /**
     * Makes a change of a VM's definition while no other one is made.
     *
     * @param verb action that the refusal names if another change takes too long
     */
    <T> T alone(VmId vm, String verb, Supplier<T> change) {
        try (KeyedLocks.Held _ = locks.alone(vm, operations.limits().ended())) {
            return change.get();
        } catch (KeyedLocks.Busy _) {
            throw Refused.conflict(
                    "Cannot %s: another change of the VM has not ended. Related operation is currently in progress."
                            .formatted(verb));
        }
    }

    /** Whether users define the devices of a VM, rather than the host on which it was found. */
    static boolean isDefined(Definition definition) {
        VmSpecification specification = definition.specification();
        return specification != null
                && (specification.found() == null || !specification.found().followed());
    }

    /**
     * The specification of a definition; bare if there is none, and for a found VM of which the
     * host has not reported the devices, as one that lacks them.
     */
    static VmSpecification of(Definition definition) {
        VmSpecification specification = definition.specification();
        if (specification != null) {
            return specification;
        }
        return definition.definition().origin().isFound()
                ? VmSpecification.BARE.withFound(UNREPORTED)
                : VmSpecification.BARE;
    }

    /** A definition with another specification. */
    static Definition with(Definition before, VmSpecification specification) {
        return new Definition(
                before.definition(),
                specification,
                before.priority(),
                before.lease(),
                before.savedMemory());
    }

    private static Definition edited(
            Definition before, String verb, UnaryOperator<Definition> edit) {
        try {
            Definition next = edit.apply(before);
            VmSpecification specification = next.specification();
            if (specification != null) {
                specification.check(next.definition());
                specification.checkSense();
            }
            return next;
        } catch (IllegalArgumentException e) {
            throw Refused.conflict(
                    "Cannot %s: %s".formatted(verb, Operations.sentence(e.getMessage() + "")));
        }
    }

    private void record(Change change, VmView vm, String verb, Definition next) {
        Operation accepted =
                operations.begin(
                        new OperationRequest(
                                vm.id(),
                                OperationKind.UPDATE_VM,
                                new OperationParameters.Definition(services.text(next))),
                        change.origin(),
                        verb);
        operations.requireDone(operations.ended(accepted), verb);
    }

    /** MAC addresses that the VM did not have before belong to no other VM of its data centre. */
    private void refuseTaken(VmId vm, Definition before, Definition next, String verb) {
        VmSpecification specification = next.specification();
        if (specification == null) {
            return;
        }
        for (VmInterface nic : specification.interfaces()) {
            VmView owner =
                    before.definition().nicWithMac(nic.mac()) != null
                            ? null
                            : services.owner(vm, nic.mac(), next.definition().cluster());
            if (owner != null) {
                throw Refused.conflict(
                        "Cannot %s: the MAC address %s belongs to the VM %s."
                                .formatted(verb, nic.mac(), owner.definition().name()));
            }
        }
    }
}
