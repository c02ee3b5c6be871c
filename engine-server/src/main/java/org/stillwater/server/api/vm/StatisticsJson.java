package org.stillwater.server.api.vm;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.core.vm.VmStatisticsView.Disk;
import org.stillwater.core.vm.VmStatisticsView.Nic;
import org.stillwater.server.api.web.Json;
import tools.jackson.core.JsonGenerator;

/** A VM's numbers as JSON; unknown values are null, members are always present. */
final class StatisticsJson {

    /** Nothing is known. */
    private static final VmStatisticsView NOTHING =
            new VmStatisticsView(
                    Instant.EPOCH,
                    Double.NaN,
                    Double.NaN,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of());

    private StatisticsJson() {}

    static void write(JsonGenerator json, VmJsonModule.Statistics statistics) {
        VmStatisticsView given = statistics.view();
        boolean known = given != null;
        VmStatisticsView view = given == null ? NOTHING : given;
        json.writeStartObject();
        json.writeStringProperty("vmId", statistics.vmId().toString());
        Json.text(json, "observedAt", known ? view.observedAt() : null);
        json.writeBooleanProperty("stale", statistics.stale());
        number(json, "cpuUserPercent", view.cpuUserPercent());
        number(json, "cpuSystemPercent", view.cpuSystemPercent());
        number(json, "usageCpuPercent", view.usageCpuPercent());
        number(json, "usageMemoryPercent", view.usageMemoryPercent());
        number(json, "usageNetworkPercent", view.usageNetworkPercent());
        number(json, "elapsedSeconds", view.elapsedSeconds());
        number(json, "memoryFreeKibibytes", view.memoryFreeKibibytes());
        number(json, "memoryUnusedKibibytes", view.memoryUnusedKibibytes());
        number(json, "memoryBufferedKibibytes", view.memoryBufferedKibibytes());
        number(json, "memoryCachedKibibytes", view.memoryCachedKibibytes());
        number(json, "balloonCurrentKibibytes", view.balloonCurrentKibibytes());
        number(json, "balloonMaximumKibibytes", view.balloonMaximumKibibytes());
        number(json, "balloonTargetKibibytes", view.balloonTargetKibibytes());
        number(json, "balloonMinimumKibibytes", view.balloonMinimumKibibytes());
        number(json, "migrationProgressPercent", view.migrationProgressPercent());
        Json.text(json, "disksUsage", view.disksUsage());
        json.writeArrayPropertyStart("nics");
        view.nics().forEach(nic -> nic(json, nic));
        json.writeEndArray();
        json.writeArrayPropertyStart("disks");
        view.disks().forEach(disk -> disk(json, disk));
        json.writeEndArray();
        history(json, "cpuHistory", view.cpuHistory());
        history(json, "memoryHistory", view.memoryHistory());
        history(json, "networkHistory", view.networkHistory());
        json.writeEndObject();
    }

    private static void nic(JsonGenerator json, Nic nic) {
        json.writeStartObject();
        json.writeStringProperty("id", nic.id().toString());
        json.writeStringProperty("name", nic.name());
        json.writeStringProperty("mac", nic.mac());
        json.writeStringProperty("status", Json.word(nic.status()));
        json.writeNumberProperty("speedMegabitsPerSecond", nic.speedMegabitsPerSecond());
        number(json, "receivedBytes", nic.receivedBytes());
        number(json, "sentBytes", nic.sentBytes());
        number(json, "receivedOffsetBytes", nic.receivedOffsetBytes());
        number(json, "sentOffsetBytes", nic.sentOffsetBytes());
        number(json, "receiveRatePercent", nic.receiveRatePercent());
        number(json, "sendRatePercent", nic.sendRatePercent());
        number(json, "receiveDropped", nic.receiveDropped());
        number(json, "sendDropped", nic.sendDropped());
        number(json, "sampleTimeSeconds", nic.sampleTimeSeconds());
        json.writeEndObject();
    }

    private static void disk(JsonGenerator json, Disk disk) {
        json.writeStartObject();
        json.writeStringProperty("name", disk.name());
        Json.text(json, "imageId", disk.imageId());
        Json.text(json, "lunId", disk.lunId());
        number(json, "readBytesPerSecond", disk.readBytesPerSecond());
        number(json, "writeBytesPerSecond", disk.writeBytesPerSecond());
        number(json, "readOperations", disk.readOperations());
        number(json, "writeOperations", disk.writeOperations());
        number(json, "actualSizeBytes", disk.actualSizeBytes());
        number(json, "readLatencySeconds", disk.readLatencySeconds());
        number(json, "writeLatencySeconds", disk.writeLatencySeconds());
        number(json, "flushLatencySeconds", disk.flushLatencySeconds());
        json.writeEndObject();
    }

    private static void history(JsonGenerator json, String name, Iterable<Integer> samples) {
        json.writeArrayPropertyStart(name);
        samples.forEach(json::writeNumber);
        json.writeEndArray();
    }

    private static void number(JsonGenerator json, String name, @Nullable Number value) {
        switch (value) {
            case null -> json.writeNullProperty(name);
            case Double number when !Double.isFinite(number) -> json.writeNullProperty(name);
            case Double number -> json.writeNumberProperty(name, number);
            case Integer number -> json.writeNumberProperty(name, number);
            default -> json.writeNumberProperty(name, value.longValue());
        }
    }
}
