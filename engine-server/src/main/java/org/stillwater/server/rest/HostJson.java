package org.stillwater.server.rest;

import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.HostDefinition;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;
import tools.jackson.core.JsonGenerator;

/** A host as JSON. */
final class HostJson {

    private HostJson() {}

    /** All that is known, what changes rarely included. */
    static void writeFull(JsonGenerator json, HostView host) {
        json.writeStartObject();
        state(json, host.state());
        numbers(json, host);
        pojo(json, "capabilities", host.state().capabilities());
        pojo(json, "hardware", host.state().hardware());
        json.writeEndObject();
    }

    /** What a list tells. */
    static void write(JsonGenerator json, HostView host) {
        json.writeStartObject();
        state(json, host.state());
        numbers(json, host);
        json.writeEndObject();
    }

    /** What the stream tells: nothing that changes with every cycle. */
    static void write(JsonGenerator json, HostState host) {
        json.writeStartObject();
        state(json, host);
        json.writeEndObject();
    }

    private static void state(JsonGenerator json, HostState host) {
        HostDefinition definition = host.definition();
        json.writeStringProperty("id", definition.id().toString());
        json.writeStringProperty("name", definition.name());
        json.writeStringProperty("address", definition.address());
        json.writeNumberProperty("port", definition.port());
        json.writeStringProperty("clusterId", definition.cluster().toString());
        json.writeStringProperty("status", Json.word(host.status()));
        Json.text(json, "statusSince", host.since());
        Json.text(json, "reason", host.reason());
        json.writeNumberProperty("revision", host.revision());
    }

    private static void numbers(JsonGenerator json, HostView host) {
        json.writeBooleanProperty("connected", host.connected());
        json.writeNumberProperty("vms", host.vms());
        json.writeNumberProperty("committedMemoryMebibytes", host.committedMemoryMebibytes());
        Json.text(json, "lastPollAt", host.lastPollAt());
        Json.text(json, "statisticsAt", host.statisticsAt());
        pojo(json, "statistics", host.statistics());
    }

    private static void pojo(JsonGenerator json, String name, @Nullable Object value) {
        if (value == null) {
            json.writeNullProperty(name);
        } else {
            json.writePOJOProperty(name, value);
        }
    }
}
