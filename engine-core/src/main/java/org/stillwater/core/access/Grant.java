package org.stillwater.core.access;

/** A role, and its scope. */
public record Grant(Role role, Scope scope) {

    /** The role on everything. */
    public static Grant everywhere(Role role) {
        return new Grant(role, new Scope.Everything());
    }
}
