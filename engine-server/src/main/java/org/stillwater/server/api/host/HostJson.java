package org.stillwater.server.api.host;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cadence.Pace;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.ContestedVm;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.relay.intake.RelayIntake;
import org.stillwater.server.api.web.Json;
import tools.jackson.core.JsonGenerator;

/** A host as JSON. */
public final class HostJson {

    private HostJson() {}

    /** Writes all known data, including data that rarely changes. */
    static void writeFull(
            JsonGenerator json,
            HostView host,
            List<String> tags,
            List<ContestedVm> claims,
            RelayIntake.@Nullable HostStatus relay,
            @Nullable Pace pace,
            Hypervisor hypervisor) {
        json.writeStartObject();
        state(json, host.state());
        json.writeStringProperty("hypervisor", hypervisor.label());
        numbers(json, host);
        usage(json, host.usage());
        nics(json, host.usage());
        pojo(json, "certificate", HostCertificateController.Certificate.of(host.trust()));
        pojo(json, "statistics", host.statistics());
        pojo(json, "capabilities", host.state().capabilities());
        pojo(json, "hardware", host.state().hardware());
        tags(json, tags);
        json.writeArrayPropertyStart("claims");
        for (ContestedVm claim : claims) {
            json.writeStartObject();
            json.writeStringProperty("vmId", claim.vm().toString());
            json.writeStringProperty("vmName", claim.name());
            json.writeStringProperty("responsibleHostId", claim.responsible().toString());
            claim(json, claim);
            json.writeEndObject();
        }
        json.writeEndArray();
        relay(json, relay);
        cadence(json, pace);
        json.writeEndObject();
    }

    /** The interval of the host and the reason of it; null where intervals do not adapt. */
    private static void cadence(JsonGenerator json, @Nullable Pace pace) {
        if (pace == null) {
            json.writeNullProperty("cadence");
            return;
        }
        json.writeObjectPropertyStart("cadence");
        json.writeNumberProperty("intervalMillis", pace.interval().toMillis());
        json.writeStringProperty("code", pace.reason().code());
        json.writeStringProperty("reason", pace.reason().text());
        json.writeNumberProperty("movedPercent", pace.percent());
        json.writeEndObject();
    }

    /**
     * Whether a relay stands for the polls of the host, and whether commands go through it; null
     * for a host without relay.
     */
    private static void relay(JsonGenerator json, RelayIntake.@Nullable HostStatus relay) {
        if (relay == null) {
            json.writeNullProperty("relay");
            return;
        }
        String trouble = relay.trouble();
        json.writeObjectPropertyStart("relay");
        json.writeStringProperty("name", relay.relay());
        json.writeBooleanProperty("pushed", trouble == null);
        if (trouble == null) {
            json.writeNullProperty("reason");
        } else {
            json.writeStringProperty("reason", trouble);
        }
        String detour = relay.detour();
        json.writeStringProperty("commands", detour == null ? "relay" : "direct");
        if (detour == null) {
            json.writeNullProperty("commandsReason");
        } else {
            json.writeStringProperty("commandsReason", detour);
        }
        json.writeEndObject();
    }

    /** Claim of a host to a VM for which another one is responsible. */
    public static void claim(JsonGenerator json, ContestedVm claim) {
        json.writeStringProperty("status", Json.word(claim.status()));
        Json.text(json, "since", claim.since());
        json.writeBooleanProperty("refused", claim.refused());
    }

    /** A host in a list, without members that grow with its interfaces or processors. */
    public static void write(JsonGenerator json, HostView host) {
        json.writeStartObject();
        state(json, host.state());
        numbers(json, host);
        usage(json, host.usage());
        json.writeEndObject();
    }

    /** A host in the stream, without members that change with every cycle. */
    public static void write(JsonGenerator json, HostState host, List<String> tags) {
        json.writeStartObject();
        state(json, host);
        tags(json, tags);
        json.writeEndObject();
    }

    private static void tags(JsonGenerator json, List<String> tags) {
        json.writeArrayPropertyStart("tags");
        tags.forEach(json::writeString);
        json.writeEndArray();
    }

    private static void state(JsonGenerator json, HostState host) {
        HostDefinition definition = host.definition();
        json.writeStringProperty("id", definition.id().toString());
        json.writeStringProperty("name", definition.name());
        json.writeStringProperty("address", definition.address());
        json.writeNumberProperty("port", definition.port());
        json.writeStringProperty("clusterId", definition.cluster().toString());
        json.writeBooleanProperty("powerManagement", definition.traits().powerManagement());
        json.writeBooleanProperty("kdumpIntegration", definition.traits().kdumpIntegration());
        json.writeBooleanProperty("storagePoolManager", definition.traits().storagePoolManager());
        json.writeBooleanProperty("olderAgent", definition.traits().olderAgent());
        json.writeStringProperty("comment", definition.traits().comment());
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
    }

    private static void usage(JsonGenerator json, HostUsage usage) {
        json.writeObjectPropertyStart("usage");
        pojo(json, "cpuPercent", usage.cpuPercent());
        pojo(json, "memoryPercent", usage.memoryPercent());
        pojo(json, "networkPercent", usage.networkPercent());
        json.writeEndObject();
    }

    /** Totals and rates; the host's own report is in the statistics. */
    private static void nics(JsonGenerator json, HostUsage usage) {
        json.writeName("nics");
        nicList(json, usage);
    }

    public static void nicList(JsonGenerator json, HostUsage usage) {
        json.writeStartArray();
        usage.nics()
                .forEach((name, nic) -> {
                    json.writeStartObject();
                    json.writeStringProperty("name", name);
                    pojo(json, "up", nic.up());
                    pojo(json, "speedMegabitsPerSecond", nic.speedMegabitsPerSecond());
                    pojo(json, "receivedBytes", nic.receivedBytes());
                    pojo(json, "sentBytes", nic.sentBytes());
                    pojo(json, "receiveRatePercent", nic.receiveRatePercent());
                    pojo(json, "sendRatePercent", nic.sendRatePercent());
                    pojo(json, "receiveDropped", nic.receiveDropped());
                    pojo(json, "sendDropped", nic.sendDropped());
                    json.writeEndObject();
                });
        json.writeEndArray();
    }

    private static void pojo(JsonGenerator json, String name, @Nullable Object value) {
        if (value == null) {
            json.writeNullProperty(name);
        } else {
            json.writePOJOProperty(name, value);
        }
    }
}
