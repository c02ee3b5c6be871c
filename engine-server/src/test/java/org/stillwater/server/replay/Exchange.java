package org.stillwater.server.replay;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One recorded request of a client and the conditions on its answer. Immutable.
 *
 * @param name the client's purpose
 * @param method of HTTP
 * @param path path and query as they are sent; <code>{{name}}</code> stands for a variable here, in
 *     the headers, in the body and in the values of checks
 * @param headers by their names
 * @param body the body of the request, empty for none
 * @param checks conditions on the answer
 * @param departure reason for another behaviour than oVirt's; null for the same behaviour
 */
public record Exchange(
        String name,
        String method,
        String path,
        Map<String, String> headers,
        String body,
        List<Check> checks,
        @Nullable String departure) {

    public Exchange {
        headers = Map.copyOf(headers);
        checks = List.copyOf(checks);
    }

    /** The statuses that the answer may have, by the recording. */
    String statuses() {
        for (Check check : checks) {
            if (check instanceof Check.Status status) {
                return String.join(", ", status.allowed().stream().map(String::valueOf).toList());
            }
        }
        return "";
    }
}
