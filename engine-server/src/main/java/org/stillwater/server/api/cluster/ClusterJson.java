package org.stillwater.server.api.cluster;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.ClusterNetwork;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.EnumNames;
import org.stillwater.server.api.web.Json;
import org.stillwater.server.api.web.JsonObjectReader;
import tools.jackson.core.JsonGenerator;

/** A cluster as JSON, both ways. */
final class ClusterJson {

    private static final Map<String, CpuArchitecture> ARCHITECTURES =
            EnumNames.of(CpuArchitecture.values());

    private static final Map<String, MigrateOnError> MIGRATIONS =
            EnumNames.of(MigrateOnError.values(), MigrateOnError::label);

    private ClusterJson() {}

    static void write(JsonGenerator json, ClusterJsonModule.ClusterView view) {
        Cluster cluster = view.cluster();
        HostRequirements needs = cluster.requirements();
        CpuArchitecture architecture = needs.architecture();
        json.writeStartObject();
        json.writeStringProperty("id", cluster.id().toString());
        json.writeStringProperty("name", cluster.name());
        json.writeStringProperty("description", cluster.description());
        json.writeStringProperty("dataCentre", cluster.dataCentre().toString());
        Json.text(json, "compatibilityVersion", needs.version());
        cpuType(json, needs.cpuType());
        Json.text(json, "architecture", architecture == null ? null : Json.word(architecture));
        texts(json, "machineTypes", needs.machineTypes());
        Json.text(json, "emulatedMachine", needs.emulatedMachine());
        texts(json, "rngSources", needs.rngSources());
        texts(json, "features", needs.features());
        flag(json, "fips", needs.fips());
        json.writeBooleanProperty("uniformSystem", needs.uniformSystem());
        json.writeBooleanProperty("hostedEngine", needs.hostedEngine());
        networks(json, needs.networks());
        json.writeStringProperty("migrateOnError", cluster.migrateOnError().label());
        fencing(json, cluster.fencing());
        json.writeObjectPropertyStart("memory");
        json.writeNumberProperty("leastFreeMebibytes", cluster.memory().leastFreeMebibytes());
        json.writeNumberProperty("mostUsedPercent", cluster.memory().mostUsedPercent());
        json.writeEndObject();
        json.writeStringProperty("hypervisor", cluster.hypervisor().label());
        json.writeNumberProperty("hosts", view.hosts());
        json.writeNumberProperty("silentPercent", view.silentPercent());
        json.writeEndObject();
    }

    private static void cpuType(JsonGenerator json, @Nullable CpuType type) {
        if (type == null) {
            json.writeNullProperty("cpuType");
            return;
        }
        json.writeObjectPropertyStart("cpuType");
        json.writeStringProperty("name", type.name());
        texts(json, "flags", type.flags());
        Json.text(json, "since", type.since());
        Json.text(json, "until", type.until());
        json.writeEndObject();
    }

    private static void networks(JsonGenerator json, List<ClusterNetwork> networks) {
        json.writeArrayPropertyStart("networks");
        for (ClusterNetwork network : networks) {
            json.writeStartObject();
            json.writeStringProperty("name", network.name());
            json.writeBooleanProperty("required", network.required());
            json.writeBooleanProperty("vmNetwork", network.vmNetwork());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void fencing(JsonGenerator json, FencingPolicy fencing) {
        json.writeObjectPropertyStart("fencing");
        json.writeBooleanProperty("enabled", fencing.enabled());
        json.writeName("mostSilentPercent");
        Json.value(json, fencing.mostSilentPercent());
        json.writeBooleanProperty("leaseRespected", fencing.leaseRespected());
        json.writeEndObject();
    }

    private static void texts(JsonGenerator json, String name, Iterable<String> values) {
        json.writeArrayPropertyStart(name);
        values.forEach(json::writeString);
        json.writeEndArray();
    }

    private static void flag(JsonGenerator json, String name, @Nullable Boolean value) {
        json.writeName(name);
        Json.value(json, value);
    }

    /**
     * Reads a cluster that a client sent: missing members take their defaults, and read-only ones
     * may be sent back, so that a client can send an answer with its changes.
     *
     * @param managedBy manager of its hosts, which stays
     * @param dataCentres finds a data centre by name or id; refuses one that does not exist
     */
    static Cluster read(
            ClusterId id,
            Hypervisor managedBy,
            JsonObjectReader body,
            Function<String, DataCentre> dataCentres) {
        String given = body.text("id");
        if (given != null && !given.strip().equalsIgnoreCase(id.toString())) {
            throw ApiException.badRequest("id is that of another cluster");
        }
        String hypervisor = body.text("hypervisor");
        if (hypervisor != null && !hypervisor.strip().equalsIgnoreCase(managedBy.label())) {
            throw body.refusal(
                    "hypervisor",
                    "hypervisor is read-only: the hosts of this cluster are managed by "
                            + managedBy.label());
        }
        body.skipNumbers("hosts", "silentPercent");
        try {
            String dataCentre = body.text("dataCentre");
            Cluster cluster =
                    new Cluster(
                            id,
                            dataCentre == null
                                    ? DataCentreId.DEFAULT
                                    : dataCentres.apply(dataCentre.strip()).id(),
                            body.requiredName("name"),
                            body.text("description", ""),
                            requirements(body),
                            body.word(
                                    "migrateOnError", MIGRATIONS, Cluster.DEFAULT.migrateOnError()),
                            fencing(body.object("fencing")),
                            memory(body.object("memory")));
            body.end();
            return cluster.managedBy(managedBy);
        } catch (IllegalArgumentException e) {
            throw ApiException.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private static HostRequirements requirements(JsonObjectReader body) {
        HostRequirements defaults = HostRequirements.NONE;
        return new HostRequirements(
                version(body, "compatibilityVersion"),
                cpuType(body.object("cpuType")),
                body.<@Nullable CpuArchitecture>word("architecture", ARCHITECTURES, null),
                body.texts("machineTypes"),
                body.text("emulatedMachine"),
                new HashSet<>(body.texts("rngSources")),
                new HashSet<>(body.texts("features")),
                body.flag("fips"),
                body.flag("uniformSystem", defaults.uniformSystem()),
                body.flag("hostedEngine", defaults.hostedEngine()),
                body.objects("networks").stream().map(ClusterJson::network).toList());
    }

    private static @Nullable CompatibilityVersion version(JsonObjectReader body, String name) {
        String text = body.text(name);
        try {
            return text == null ? null : CompatibilityVersion.parse(text.strip());
        } catch (IllegalArgumentException _) {
            throw ApiException.badRequest(name + " must be two numbers, such as \"4.8\"");
        }
    }

    private static @Nullable CpuType cpuType(@Nullable JsonObjectReader type) {
        if (type == null) {
            return null;
        }
        CpuType read =
                new CpuType(
                        type.requiredText("name"),
                        new HashSet<>(type.texts("flags")),
                        version(type, "since"),
                        version(type, "until"));
        type.end();
        return read;
    }

    private static ClusterNetwork network(JsonObjectReader network) {
        ClusterNetwork read =
                new ClusterNetwork(
                        network.requiredText("name"),
                        network.flag("required", true),
                        network.flag("vmNetwork", true));
        network.end();
        return read;
    }

    private static FencingPolicy fencing(@Nullable JsonObjectReader fencing) {
        FencingPolicy defaults = FencingPolicy.DEFAULT;
        if (fencing == null) {
            return defaults;
        }
        FencingPolicy read =
                new FencingPolicy(
                        fencing.flag("enabled", defaults.enabled()),
                        fencing.number("mostSilentPercent"),
                        fencing.flag("leaseRespected", defaults.leaseRespected()));
        fencing.end();
        return read;
    }

    private static MemoryThresholds memory(@Nullable JsonObjectReader memory) {
        MemoryThresholds defaults = MemoryThresholds.DEFAULT;
        if (memory == null) {
            return defaults;
        }
        MemoryThresholds read =
                new MemoryThresholds(
                        memory.number("leastFreeMebibytes", defaults.leastFreeMebibytes()),
                        memory.number("mostUsedPercent", defaults.mostUsedPercent()));
        memory.end();
        return read;
    }
}
