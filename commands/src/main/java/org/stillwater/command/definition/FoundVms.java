package org.stillwater.command.definition;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.store.DefinitionStore.Definition;

/**
 * Runs of VMs that were found on hosts: none begins with a definition that is known to lack a part
 * of the VM. Pure.
 */
public final class FoundVms {

    /** Clauses that a refusal repeats; the definition has all of them. */
    private static final int MOST_NAMED = 5;

    private FoundVms() {}

    /**
     * The reason why no run begins with this definition, and what to do; null if one may.
     *
     * @param definition a definition that is not of a XAPI pool, which keeps its VMs itself
     */
    public static @Nullable String refusal(Definition definition) {
        String problem = definition.problem();
        if (problem != null) {
            return problem;
        }
        VmSpecification specification = definition.specification();
        if (specification == null) {
            return definition.definition().origin().isFound()
                    ? "the VM was found on a host that has not reported its devices: define them"
                            + " first (PUT /api/v1/vms/ID/definition)"
                    : null;
        }
        FoundDefinition found = specification.found();
        if (found == null || found.missing().isEmpty()) {
            return null;
        }
        int more = found.missing().size() - MOST_NAMED;
        String named =
                String.join(
                        "; ",
                        found.missing().subList(0, Math.min(MOST_NAMED, found.missing().size())));
        return "the VM was found on a host, and its definition lacks: %s%s. Add what the guest needs to the definition, and send the definition without \"foundOnHost\" to run it as it is (PUT /api/v1/vms/ID/definition)"
                .formatted(named, more > 0 ? "; and %d more".formatted(more) : "");
    }
}
