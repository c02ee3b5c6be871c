package org.stillwater.vdsm.client;

import org.jspecify.annotations.Nullable;
import org.stillwater.vdsm.jsonrpc.Json;
import org.stillwater.vdsm.wire.MigrationField;
import org.stillwater.vdsm.wire.ParamField;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;

/**
 * The VM that a request of the engine concerns.
 *
 * @param vm identity of the VM; null for none
 * @param destination target host of a migration; null for none
 */
public record RequestFields(@Nullable String vm, @Nullable String destination) {

    /** Reads a JSON-RPC request that this engine wrote. */
    public static RequestFields of(byte[] request) {
        String vm = null;
        String destination = null;
        try (JsonParser p = Json.FACTORY.createParser(ObjectReadContext.empty(), request)) {
            for (JsonToken token = p.nextToken(); token != null; token = p.nextToken()) {
                if (token == JsonToken.VALUE_STRING) {
                    String member = p.currentName();
                    if (vm == null && ParamField.VM_ID.equals(member)) {
                        vm = p.getString();
                    } else if (destination == null && MigrationField.DESTINATION.equals(member)) {
                        destination = p.getString();
                    }
                }
            }
        }
        return new RequestFields(vm, destination);
    }
}
