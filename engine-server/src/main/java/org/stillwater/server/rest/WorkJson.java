package org.stillwater.server.rest;

import org.stillwater.core.model.PendingWork;
import tools.jackson.core.JsonGenerator;

/** Open work as JSON. */
final class WorkJson {

    private WorkJson() {}

    static void write(JsonGenerator json, ApiJson.Work row) {
        PendingWork work = row.open().work();
        json.writeStartObject();
        json.writeStringProperty("kind", work.kind().label());
        json.writeStringProperty("vmId", work.vmId().toString());
        Json.text(json, "vmName", row.vmName());
        json.writeNumberProperty("runGeneration", work.generation());
        Json.text(json, "hostId", work.host());
        json.writeStringProperty("why", work.why());
        Json.instant(json, "since", row.open().since());
        json.writeEndObject();
    }
}
