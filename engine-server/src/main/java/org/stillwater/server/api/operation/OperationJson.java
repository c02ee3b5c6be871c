package org.stillwater.server.api.operation;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationFailure;
import org.stillwater.server.api.web.Json;
import tools.jackson.core.JsonGenerator;

/** An operation as JSON. */
final class OperationJson {

    private OperationJson() {}

    static void write(JsonGenerator json, OperationJsonModule.OperationView view) {
        Operation operation = view.operation();
        json.writeStartObject();
        json.writeStringProperty("id", operation.id().toString());
        json.writeStringProperty("kind", operation.kind().label());
        json.writeStringProperty("state", operation.state().label());
        json.writeStringProperty("step", operation.step());
        json.writeNumberProperty("progress", operation.progress());
        Json.text(json, "vmId", operation.vm());
        Json.text(json, "vmName", view.vmName());
        Json.text(json, "hostId", operation.host());
        Json.text(json, "hostName", view.hostName());
        Json.text(json, "targetHostId", operation.target());
        Json.text(json, "targetHostName", view.targetName());
        json.writeArrayPropertyStart("tried");
        for (HostId host : operation.tried()) {
            json.writeString(host.toString());
        }
        json.writeEndArray();
        Json.text(json, "explanation", operation.explanation());
        failure(json, operation.failure());
        json.writeStringProperty("requestedBy", operation.origin().requestedBy());
        json.writeStringProperty("correlationId", operation.origin().correlation());
        UUID batch = operation.origin().batch();
        Json.text(json, "batchId", batch);
        json.writeName("position");
        Json.value(json, batch == null ? null : operation.origin().position());
        Json.instant(json, "createdAt", operation.createdAt());
        Json.instant(json, "startedAt", operation.startedAt());
        Json.instant(json, "endedAt", operation.endedAt());
        json.writeEndObject();
    }

    private static void failure(JsonGenerator json, @Nullable OperationFailure failure) {
        if (failure == null) {
            json.writeNullProperty("failure");
            return;
        }
        json.writeObjectPropertyStart("failure");
        json.writeStringProperty("code", failure.code().label());
        json.writeStringProperty("reason", failure.reason());
        json.writeEndObject();
    }
}
