package org.stillwater.server.api.vm;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNumaNode;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.VmJob;
import org.stillwater.server.api.web.Json;
import tools.jackson.core.JsonGenerator;

/** Jobs and NUMA nodes of a VM as JSON. */
final class VmDetailJson {

    private VmDetailJson() {}

    static void jobs(JsonGenerator json, VmId vmId, List<VmJob> jobs) {
        json.writeStartObject();
        json.writeStringProperty("vmId", vmId.toString());
        json.writeArrayPropertyStart("items");
        for (VmJob job : jobs) {
            json.writeStartObject();
            json.writeStringProperty("id", job.id().toString());
            json.writeStringProperty("state", Json.word(job.state()));
            json.writeStringProperty("type", Json.word(job.type()));
            json.writeStringProperty("blockType", Json.word(job.blockType()));
            Json.text(json, "imageGroupId", job.imageGroupId());
            json.writeNumberProperty(
                    "bandwidthMebibytesPerSecond", job.bandwidthMebibytesPerSecond());
            json.writeNumberProperty("doneBytes", job.cursorCurrent());
            json.writeNumberProperty("totalBytes", job.cursorEnd());
            Json.number(json, "progressPercent", job.progressPercent());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeNumberProperty("total", jobs.size());
        json.writeEndObject();
    }

    static void numa(JsonGenerator json, VmId vmId, @Nullable List<VmNumaNode> nodes) {
        json.writeStartObject();
        json.writeStringProperty("vmId", vmId.toString());
        json.writeBooleanProperty("reported", nodes != null);
        json.writeArrayPropertyStart("items");
        for (VmNumaNode node : Objects.requireNonNullElse(nodes, List.<VmNumaNode>of())) {
            json.writeStartObject();
            json.writeNumberProperty("index", node.index());
            Json.numbers(json, "hostNodes", node.hostNodes());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
