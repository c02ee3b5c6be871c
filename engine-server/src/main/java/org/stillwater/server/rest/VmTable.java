package org.stillwater.server.rest;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.Coded;
import org.stillwater.core.model.GuestNics;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.VmNic;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.server.rest.Column.Origin;
import tools.jackson.core.JsonGenerator;

/** What is told of VMs: their definition, what the engine decided, what hosts report and count. */
final class VmTable {

    static final Table<VmRow> COLUMNS = new Table<>(columns(), shortNames());

    private VmTable() {}

    private static Map<String, String> shortNames() {
        return Map.of(
                "cpu", "statistics.usageCpuPercent",
                "memory", "statistics.usageMemoryPercent",
                "network", "statistics.usageNetworkPercent",
                "host", "hostName",
                "cluster", "clusterName");
    }

    private static List<Column<VmRow>> columns() {
        List<Column<VmRow>> all = new ArrayList<>();
        all.add(
                Column.of(
                        "id",
                        Column.Type.UUID,
                        Origin.DEFINED,
                        (vm, to) -> to.text(vm.id().toString())));
        all.add(
                Column.of(
                        "name",
                        Column.Type.TEXT,
                        Origin.DEFINED,
                        (vm, to) -> to.text(vm.definition().name())));
        all.add(
                Column.of(
                        "origin",
                        Column.Type.TEXT,
                        Origin.DEFINED,
                        (vm, to) -> to.text(Json.word(vm.definition().origin()))));
        all.add(
                Column.of(
                        "clusterId",
                        Column.Type.UUID,
                        Origin.DEFINED,
                        (vm, to) -> to.text(vm.definition().cluster())));
        all.add(
                Column.<VmRow>of(
                                "clusterName",
                                Column.Type.TEXT,
                                Origin.DEFINED,
                                (vm, to) -> to.text(vm.clusterName()))
                        .onRequest());
        all.add(
                Column.of(
                        "highlyAvailable",
                        Column.Type.FLAG,
                        Origin.DEFINED,
                        (vm, to) -> to.flag(vm.definition().highlyAvailable())));
        all.add(whole("memoryMebibytes", vm -> vm.definition().memoryMebibytes()));
        all.add(
                whole(
                        "guaranteedMemoryMebibytes",
                        vm -> vm.definition().guaranteedMemoryMebibytes()));
        all.add(whole("cpus", vm -> vm.definition().cpus()));
        all.add(whole("sockets", vm -> vm.definition().sockets()));
        all.add(whole("coresPerSocket", vm -> vm.definition().coresPerSocket()));
        all.add(whole("threadsPerCore", vm -> vm.definition().threadsPerCore()));
        all.add(
                Column.of(
                        "hostId",
                        Column.Type.UUID,
                        Origin.DECIDED,
                        (vm, to) -> to.text(vm.state().placement().runOn())));
        all.add(
                Column.<VmRow>of(
                                "hostName",
                                Column.Type.TEXT,
                                Origin.DECIDED,
                                (vm, to) -> to.text(vm.hostName()))
                        .onRequest());
        all.add(
                Column.of(
                        "migratingToHostId",
                        Column.Type.UUID,
                        Origin.DECIDED,
                        (vm, to) -> to.text(vm.state().placement().migratingTo())));
        all.add(
                Column.of(
                        "lastStartAt",
                        Column.Type.TIME,
                        Origin.DECIDED,
                        (vm, to) -> to.text(vm.state().placement().lastStart())));
        all.add(
                Column.of(
                        "lastStopAt",
                        Column.Type.TIME,
                        Origin.DECIDED,
                        (vm, to) -> to.text(vm.state().placement().lastStop())));
        for (RuntimeField field : RuntimeField.values()) {
            all.add(
                    Column.of(
                            FieldNames.of(field),
                            type(field),
                            Origin.REPORTED,
                            (vm, to) -> value(to, vm.state().runtime().value(field))));
        }
        all.add(
                Column.of(
                        "observedAt",
                        Column.Type.TIME,
                        Origin.DECIDED,
                        (vm, to) -> to.text(vm.state().observedAt())));
        all.add(
                Column.of(
                        "revision",
                        Column.Type.WHOLE,
                        Origin.DECIDED,
                        (vm, to) -> to.whole(vm.state().revision())));
        statistics(all);
        return all;
    }

    private static void statistics(List<Column<VmRow>> all) {
        all.add(
                Column.counted(
                        "observedAt",
                        Column.Type.TIME,
                        (vm, to) ->
                                to.text(
                                        vm.numbers().areKnown()
                                                ? Instant.ofEpochMilli(
                                                        vm.numbers().observedEpochMillis())
                                                : null)));
        all.add(Column.counted("stale", Column.Type.FLAG, (vm, to) -> to.flag(vm.isStale())));
        for (VmNumber number : VmNumber.values()) {
            all.add(
                    number.isFraction()
                            ? Column.counted(
                                    number.label(),
                                    Column.Type.FRACTION,
                                    (vm, to) -> to.fraction(vm.fraction(number)))
                            : Column.counted(
                                    number.label(),
                                    Column.Type.WHOLE,
                                    (vm, to) -> whole(to, vm.whole(number))));
        }
        all.add(alias("cpu", VmNumber.CPU_USAGE));
        all.add(alias("memory", VmNumber.MEMORY_USAGE));
        all.add(alias("network", VmNumber.NETWORK_USAGE));
        all.add(
                Column.counted(
                        "disksUsage",
                        Column.Type.TEXT,
                        (vm, to) -> to.text(vm.numbers().disksUsage())));
        all.add(
                Column.counted(
                        "nics",
                        Column.Type.LIST,
                        (vm, to) -> to.composite(json -> nics(json, vm.numbers()))));
        all.add(
                Column.counted(
                        "disks",
                        Column.Type.LIST,
                        (vm, to) -> to.composite(json -> disks(json, vm.numbers()))));
        all.add(history("cpuHistory", vm -> vm.numbers().cpuHistory()));
        all.add(history("memoryHistory", vm -> vm.numbers().memoryHistory()));
        all.add(history("networkHistory", vm -> vm.numbers().networkHistory()));
    }

    private static Column<VmRow> alias(String name, VmNumber number) {
        return Column.<VmRow>counted(
                        name, Column.Type.WHOLE, (vm, to) -> whole(to, vm.whole(number)))
                .onRequest();
    }

    private interface Samples {
        List<Integer> of(VmRow vm);
    }

    private static Column<VmRow> history(String name, Samples samples) {
        return Column.<VmRow>counted(
                        name,
                        Column.Type.LIST,
                        (vm, to) ->
                                to.composite(json -> {
                                    json.writeStartArray();
                                    samples.of(vm).forEach(json::writeNumber);
                                    json.writeEndArray();
                                }))
                .onRequest();
    }

    private interface Whole {
        long of(VmRow vm);
    }

    private static Column<VmRow> whole(String name, Whole number) {
        return Column.of(
                name, Column.Type.WHOLE, Origin.DEFINED, (vm, to) -> to.whole(number.of(vm)));
    }

    static void whole(Sink to, long value) {
        if (value == VmNumbers.UNKNOWN) {
            to.unknown();
        } else {
            to.whole(value);
        }
    }

    private static Column.Type type(RuntimeField field) {
        Class<?> type = field.type().javaType();
        if (type == Boolean.class) {
            return Column.Type.FLAG;
        }
        if (type == Integer.class || type == Long.class) {
            return Column.Type.WHOLE;
        }
        return type == GuestNics.class ? Column.Type.LIST : Column.Type.TEXT;
    }

    private static void value(Sink to, @Nullable Object value) {
        switch (value) {
            case null -> to.unknown();
            case String text -> to.text(text);
            case Integer number -> to.whole(number.longValue());
            case Long number -> to.whole(number.longValue());
            case Boolean flag -> to.flag(flag.booleanValue());
            case GuestNics nics -> to.composite(json -> Json.value(json, nics));
            case Coded code when code instanceof Enum<?> constant -> to.text(Json.word(constant));
            default -> throw new IllegalStateException("no form for " + value.getClass());
        }
    }

    static void nics(JsonGenerator json, VmNumbers vm) {
        json.writeStartArray();
        for (int i = 0; i < vm.nicCount(); i++) {
            if (vm.isNicKnown(i)) {
                VmNic nic = vm.nicDefinition(i);
                json.writeStartObject();
                json.writeStringProperty("id", nic.id().toString());
                json.writeStringProperty("name", nic.name());
                json.writeStringProperty("mac", nic.mac());
                json.writeStringProperty("status", vm.isNicUp(i) ? "up" : "none");
                json.writeNumberProperty("speedMegabitsPerSecond", nic.speedMegabitsPerSecond());
                number(json, "receivedBytes", vm.receivedBytes(i));
                number(json, "sentBytes", vm.sentBytes(i));
                number(json, "receiveRatePercent", vm.receiveRatePercent(i));
                number(json, "sendRatePercent", vm.sendRatePercent(i));
                number(json, "receiveDropped", vm.receiveDropped(i));
                number(json, "sendDropped", vm.sendDropped(i));
                json.writeEndObject();
            }
        }
        json.writeEndArray();
    }

    static void disks(JsonGenerator json, VmNumbers vm) {
        json.writeStartArray();
        for (int i = 0; i < vm.diskCount(); i++) {
            json.writeStartObject();
            json.writeStringProperty("name", vm.diskName(i));
            Json.text(json, "imageId", vm.imageId(i));
            Json.text(json, "lunId", vm.lunId(i));
            number(json, "readBytesPerSecond", vm.readBytesPerSecond(i));
            number(json, "writeBytesPerSecond", vm.writeBytesPerSecond(i));
            number(json, "readOperations", vm.readOperations(i));
            number(json, "writeOperations", vm.writeOperations(i));
            number(json, "actualSizeBytes", vm.actualSizeBytes(i));
            number(json, "readLatencySeconds", vm.readLatencySeconds(i));
            number(json, "writeLatencySeconds", vm.writeLatencySeconds(i));
            number(json, "flushLatencySeconds", vm.flushLatencySeconds(i));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void number(JsonGenerator json, String name, long value) {
        if (value == VmNumbers.UNKNOWN) {
            json.writeNullProperty(name);
        } else {
            json.writeNumberProperty(name, value);
        }
    }

    private static void number(JsonGenerator json, String name, double value) {
        if (Double.isFinite(value)) {
            json.writeNumberProperty(name, value);
        } else {
            json.writeNullProperty(name);
        }
    }
}
