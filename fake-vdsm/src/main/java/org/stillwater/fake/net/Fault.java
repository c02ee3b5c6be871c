package org.stillwater.fake.net;

import tools.jackson.databind.node.ObjectNode;

/**
 * A fault in force.
 *
 * @param id its name on the board
 * @param spec the order that created it
 * @param struck how often it has struck
 */
public record Fault(String id, FaultSpec spec, long struck) {

    /** The order with {@code id} and {@code struck} added. */
    public ObjectNode toJson() {
        ObjectNode json = spec.toJson();
        json.put("id", id);
        json.put("struck", struck);
        return json;
    }
}
