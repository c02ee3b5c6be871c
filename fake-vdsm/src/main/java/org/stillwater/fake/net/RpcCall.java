package org.stillwater.fake.net;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One request. The JSON-RPC id stays with the transport, which echoes it as it came.
 *
 * @param method the verb, {@code Host.getStats}
 * @param params an object, or an array of positional arguments; an empty object if there were none
 * @param correlationId the {@code ovirtCorrelationId} header
 */
public record RpcCall(String method, JsonNode params, @Nullable String correlationId) {}
