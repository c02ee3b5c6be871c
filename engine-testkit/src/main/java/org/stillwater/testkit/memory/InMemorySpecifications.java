package org.stillwater.testkit.memory;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.id.VmId;

/** Specifications of the VMs of an {@link InMemoryVmStore}, which two stores write. Thread-safe. */
final class InMemorySpecifications {

    private final Map<VmId, VmSpecification> specifications = new HashMap<>();

    /** The specification of a VM, or null. */
    synchronized @Nullable VmSpecification of(VmId vm) {
        return specifications.get(vm);
    }

    /** A user defines a VM; null for no specification. */
    synchronized void define(VmId vm, @Nullable VmSpecification specification) {
        if (specification == null) {
            specifications.remove(vm);
        } else {
            specifications.put(vm, specification);
        }
    }

    /** A host reports the definition of a VM; one that a user made stays. */
    synchronized void follow(VmId vm, @Nullable VmSpecification specification) {
        VmSpecification before = specifications.get(vm);
        if (specification != null && (before == null || follows(before))) {
            specifications.put(vm, specification);
        }
    }

    /** VMs with a specification of a user's. */
    synchronized Set<VmId> defined() {
        return specifications.entrySet().stream()
                .filter(each -> !follows(each.getValue()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    private static boolean follows(VmSpecification specification) {
        FoundDefinition found = specification.found();
        return found != null && found.followed();
    }

    /** A VM is removed. */
    synchronized void remove(VmId vm) {
        specifications.remove(vm);
    }
}
