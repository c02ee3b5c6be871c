package org.stillwater.server.api.history;

import java.util.TreeMap;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.server.api.web.Json;
import tools.jackson.core.JsonGenerator;

/** An entry of the audit log as JSON. */
public final class AuditJson {

    private AuditJson() {}

    public static void write(JsonGenerator json, AuditEntry entry) {
        json.writeStartObject();
        json.writeNumberProperty("id", entry.id());
        Json.instant(json, "at", entry.at());
        json.writeNumberProperty("code", entry.event().code());
        json.writeStringProperty("event", entry.event().name());
        json.writeStringProperty("severity", entry.event().severity().label());
        Json.text(json, "vmId", entry.vmId());
        Json.text(json, "vmName", entry.vmName());
        Json.text(json, "hostId", entry.hostId());
        Json.text(json, "hostName", entry.hostName());
        json.writeObjectPropertyStart("details");
        new TreeMap<>(entry.details()).forEach(json::writeStringProperty);
        json.writeEndObject();
        json.writeStringProperty("text", entry.text());
        json.writeEndObject();
    }
}
