package org.stillwater.server.api.operation;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmTraits;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.JsonObjectReader;

/**
 * The same change of the definitions of many VMs: members that have a meaning for many. A null
 * member stays as each VM has it. Immutable.
 *
 * @param description its description, empty for none
 * @param comment its comment, empty for none
 * @param priority 0 to 100: VMs with more are started first
 * @param highlyAvailable whether the engine restarts it after a failure
 * @param deleteProtected whether its removal is refused
 */
record DefinitionChange(
        @Nullable String description,
        @Nullable String comment,
        @Nullable Integer priority,
        @Nullable Boolean highlyAvailable,
        @Nullable Boolean deleteProtected) {

    private static final int MOST_PRIORITY = 100;

    DefinitionChange {
        if (priority != null && (priority < 0 || priority > MOST_PRIORITY)) {
            throw new IllegalArgumentException(
                    "priority is 0 to %d, not %d".formatted(MOST_PRIORITY, priority));
        }
        // The rules of texts are those of a specification.
        VmSpecification _ = VmSpecification.BARE.withWords(description, comment);
    }

    /** Protects VMs from being removed, or takes that back. */
    static DefinitionChange protection(boolean deleteProtected) {
        return new DefinitionChange(null, null, null, null, deleteProtected);
    }

    /** Reads the members of a body; refuses one without any. */
    static DefinitionChange read(JsonObjectReader body) {
        String description = body.text("description");
        String comment = body.text("comment");
        Integer priority = body.number("priority");
        Boolean highlyAvailable = body.flag("highlyAvailable");
        Boolean deleteProtected = body.flag("deleteProtected");
        body.end();
        if (description == null
                && comment == null
                && priority == null
                && highlyAvailable == null
                && deleteProtected == null) {
            throw ApiException.badRequest(
                    "parameters has at least one of description, comment, priority,"
                            + " highlyAvailable and deleteProtected");
        }
        return body.make(() ->
                new DefinitionChange(
                        description, comment, priority, highlyAvailable, deleteProtected));
    }

    /** Whether it only sets the protection. */
    private boolean isOfProtection() {
        return description == null
                && comment == null
                && priority == null
                && highlyAvailable == null;
    }

    /** Why it changes nothing of a VM that has its values, a clause. */
    String refusalOfSame() {
        if (!isOfProtection()) {
            return "the VM has these values already";
        }
        return Boolean.TRUE.equals(deleteProtected)
                ? "the VM is protected already"
                : "the VM is not protected";
    }

    /**
     * A definition with the change.
     *
     * @param specification that of the definition
     * @throws IllegalArgumentException if the values do not fit the VM, with the reason
     */
    Definition over(Definition before, VmSpecification specification) {
        VmTraits traits = specification.traits();
        VmSpecification next =
                specification.withWords(
                        description == null ? specification.description() : description,
                        comment == null ? specification.comment() : comment);
        if (deleteProtected != null) {
            next =
                    next.withTraits(
                            new VmTraits(
                                    traits.guestSystem(),
                                    traits.workload(),
                                    traits.cpuShares(),
                                    deleteProtected));
        }
        return new Definition(
                highlyAvailable == null
                        ? before.definition()
                        : before.definition().withHighAvailability(highlyAvailable),
                next,
                priority == null ? before.priority() : priority,
                before.lease(),
                before.savedMemory());
    }
}
