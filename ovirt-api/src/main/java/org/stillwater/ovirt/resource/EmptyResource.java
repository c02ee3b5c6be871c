package org.stillwater.ovirt.resource;

import java.util.List;

/**
 * A collection of entities that the engine does not have: always empty, so that clients continue.
 */
final class EmptyResource<P> extends Resource<P, String> {

    EmptyResource(Kind kind) {
        super(kind);
    }

    @Override
    List<String> list(Scope scope, P parent) {
        return List.of();
    }

    @Override
    String id(String item) {
        return item;
    }

    @Override
    Object tell(Scope scope, At<P, String> at) {
        throw new IllegalStateException("there are no entities of " + kind());
    }
}
