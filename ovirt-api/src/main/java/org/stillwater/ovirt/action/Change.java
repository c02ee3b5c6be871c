package org.stillwater.ovirt.action;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;
import org.stillwater.core.operation.Operation;
import org.stillwater.ovirt.resource.Expectation;

/**
 * A request that changes something.
 *
 * @param method {@code POST}, {@code PUT} or {@code DELETE}; {@code GET} for the status of an
 *     action
 * @param path segments below the API's root, without matrix parameters
 * @param parameters of the query and of the matrix, the last of each name
 * @param body the sent body
 * @param caller the origin of the request
 * @param correlation correlation id of the caller
 * @param base prefix of every address: {@code /ovirt-engine/api}, or that and {@code /v4}
 * @param expectation when the caller expects the answer, if the body does not determine it
 * @param lookup entities as the API shows them to the caller
 */
public record Change(
        String method,
        List<String> path,
        Map<String, String> parameters,
        Body body,
        Caller caller,
        String correlation,
        String base,
        Expectation expectation,
        EntityLookup lookup) {

    public Change {
        path = List.copyOf(path);
        parameters = Map.copyOf(parameters);
    }

    /**
     * A parameter as a truth value: present without a value is true, absent is false.
     *
     * @throws Refused if it is neither true nor false
     */
    boolean flag(String name) {
        String value = parameters.get(name);
        return value != null && QueryRules.truth(name, value);
    }

    /** The address of something below the API's root. */
    String href(String path) {
        return base + "/" + path;
    }

    String at(int segment) {
        return path.get(segment);
    }

    /** Origin of this request's operations. */
    Operation.Origin origin() {
        return new Operation.Origin(caller.name(), correlation);
    }

    /** Asynchrony by the body, else by a header; null if neither sets it. */
    @Nullable Boolean async() {
        Boolean said = body.flag("async");
        if (said != null) {
            return said;
        }
        return switch (expectation) {
            case EARLY -> Boolean.TRUE;
            case AT_END -> Boolean.FALSE;
            case USUAL -> null;
        };
    }
}
