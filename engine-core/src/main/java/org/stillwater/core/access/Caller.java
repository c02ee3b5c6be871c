package org.stillwater.core.access;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;

/**
 * The origin of a request, with its rights to see and act. Decided from memory; immutable, so any
 * thread may ask.
 *
 * @param name the user's name, as in audit events; {@code anonymous} without a login
 * @param grants grants of the user, already narrowed to those of the used token
 */
public record Caller(String name, Set<Grant> grants) {

    public Caller {
        grants = Set.copyOf(grants);
    }

    /** A caller with one role on everything. */
    public static Caller withRole(String name, Role role) {
        return new Caller(name, Set.of(Grant.everywhere(role)));
    }

    /** Whether the caller has a role on the whole data centre. */
    public boolean has(Role role) {
        for (Grant grant : grants) {
            if (grant.scope() instanceof Scope.Everything && grant.role().contains(role)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the caller has a role on a VM: on it, on its cluster, or on everything. */
    public boolean has(Role role, VmId vm, @Nullable ClusterId cluster) {
        for (Grant grant : grants) {
            if (grant.role().contains(role)
                    && switch (grant.scope()) {
                        case Scope.Everything _ -> true;
                        case Scope.OfCluster(ClusterId id) -> id.equals(cluster);
                        case Scope.OfVm(VmId id) -> id.equals(vm);
                    }) {
                return true;
            }
        }
        return false;
    }

    /** Whether the caller has a role on a cluster, or on everything. */
    public boolean has(Role role, @Nullable ClusterId cluster) {
        for (Grant grant : grants) {
            if (grant.role().contains(role)
                    && switch (grant.scope()) {
                        case Scope.Everything _ -> true;
                        case Scope.OfCluster(ClusterId id) -> id.equals(cluster);
                        case Scope.OfVm _ -> false;
                    }) {
                return true;
            }
        }
        return false;
    }

    /** Whether the caller has a role on any object. */
    public boolean hasAnywhere(Role role) {
        for (Grant grant : grants) {
            if (grant.role().contains(role)) {
                return true;
            }
        }
        return false;
    }
}
