package org.stillwater.server.api.operation;

import org.stillwater.server.api.web.Json;
import tools.jackson.core.JsonGenerator;

/** Open work as JSON. */
final class WorkJson {

    private WorkJson() {}

    static void write(JsonGenerator json, OperationJsonModule.Work row) {
        WorkEntry entry = row.entry();
        json.writeStartObject();
        json.writeStringProperty("kind", entry.kind());
        Json.text(json, "vmId", entry.vmId());
        Json.text(json, "vmName", row.vmName());
        Json.text(json, "hostId", entry.hostId());
        Json.text(json, "hostName", row.hostName());
        switch (entry) {
            case WorkEntry.OfVm(var open) -> {
                json.writeNumberProperty("runGeneration", open.work().generation());
                json.writeNullProperty("episode");
                json.writeNullProperty("attempt");
                json.writeStringProperty("why", open.work().why());
            }
            case WorkEntry.OfHost(var open) -> {
                json.writeNullProperty("runGeneration");
                json.writeNumberProperty("episode", open.work().episode());
                json.writeNumberProperty("attempt", open.work().attempt());
                json.writeStringProperty("why", open.work().why());
            }
        }
        Json.instant(json, "since", entry.since());
        json.writeEndObject();
    }
}
