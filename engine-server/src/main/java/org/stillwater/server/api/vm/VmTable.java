package org.stillwater.server.api.vm;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.Coded;
import org.stillwater.core.model.GuestNics;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.core.model.VmNic;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.Column.Origin;
import org.stillwater.server.api.rows.Decimals;
import org.stillwater.server.api.rows.Sink;
import org.stillwater.server.api.rows.Table;
import org.stillwater.server.api.web.FieldNames;
import org.stillwater.server.api.web.Json;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.io.SerializedString;

/**
 * The columns of VMs: their definition, the engine's decisions, and the reports and counters of
 * hosts.
 */
public final class VmTable {

    /** The column of {@link VmRow#trouble}. */
    static final String TROUBLE = "trouble";

    /** The column of {@link VmRow#tags}. */
    public static final String TAGS = "tags";

    private static final Map<String, VmNumber> ALIASES =
            Map.of(
                    "cpu", VmNumber.CPU_USAGE,
                    "memory", VmNumber.MEMORY_USAGE,
                    "network", VmNumber.NETWORK_USAGE);

    public static final Table<VmRow> COLUMNS = new Table<>(columns(), shortNames());

    private static final Map<String, VmNumber> NUMBERS = numbers();

    private VmTable() {}

    private static Map<String, VmNumber> numbers() {
        Map<String, VmNumber> all = new HashMap<>(ALIASES);
        for (VmNumber number : VmNumber.values()) {
            all.put(number.label(), number);
        }
        return Map.copyOf(all);
    }

    /** The number of a column, null for a column without a number. */
    static @Nullable VmNumber number(@Nullable Column<VmRow> column) {
        return column == null || !column.isStatistic() ? null : NUMBERS.get(column.name());
    }

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
                Column.<VmRow>of(
                                "hypervisor",
                                Column.Type.TEXT,
                                Origin.DEFINED,
                                (vm, to) -> to.text(vm.hypervisor()))
                        .onRequest());
        all.add(
                Column.<VmRow>of(
                                TAGS,
                                Column.Type.TEXTS,
                                Origin.DEFINED,
                                (vm, to) -> to.texts(vm.tags().names()))
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
                Column.<VmRow>of(
                                TROUBLE,
                                Column.Type.WHOLE,
                                Origin.DECIDED,
                                (vm, to) -> to.whole(vm.trouble()))
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
        all.add(alias("cpu"));
        all.add(alias("memory"));
        all.add(alias("network"));
        all.add(
                Column.counted(
                        "disksUsage",
                        Column.Type.TEXT,
                        (vm, to) -> to.text(vm.numbers().disksUsage())));
        all.add(
                Column.counted(
                        "nics",
                        Column.Type.LIST,
                        (vm, to) -> to.composite(json -> nics(json, vm))));
        all.add(
                Column.counted(
                        "disks",
                        Column.Type.LIST,
                        (vm, to) -> to.composite(json -> disks(json, vm))));
        all.add(history("cpuHistory", vm -> vm.numbers().cpuHistory()));
        all.add(history("memoryHistory", vm -> vm.numbers().memoryHistory()));
        all.add(history("networkHistory", vm -> vm.numbers().networkHistory()));
    }

    private static Column<VmRow> alias(String name) {
        VmNumber number = Objects.requireNonNull(ALIASES.get(name));
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

    public static void whole(Sink to, long value) {
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

    public static void nics(JsonGenerator json, VmRow row) {
        VmNumbers vm = row.numbers();
        Decimals decimals = row.decimals();
        json.writeStartArray();
        for (int i = 0; i < vm.nicCount(); i++) {
            if (vm.isNicKnown(i)) {
                VmNic nic = vm.nicDefinition(i);
                json.writeStartObject();
                text(json, Keys.ID, nic.id().toString());
                text(json, Keys.NAME, nic.name());
                text(json, Keys.MAC, nic.mac());
                text(json, Keys.STATUS, vm.isNicUp(i) ? "up" : "none");
                number(json, Keys.SPEED_MEGABITS_PER_SECOND, nic.speedMegabitsPerSecond());
                number(json, Keys.RECEIVED_BYTES, vm.receivedBytes(i));
                number(json, Keys.SENT_BYTES, vm.sentBytes(i));
                number(json, decimals, Keys.RECEIVE_RATE_PERCENT, vm.receiveRatePercent(i));
                number(json, decimals, Keys.SEND_RATE_PERCENT, vm.sendRatePercent(i));
                number(json, Keys.RECEIVE_DROPPED, vm.receiveDropped(i));
                number(json, Keys.SEND_DROPPED, vm.sendDropped(i));
                json.writeEndObject();
            }
        }
        json.writeEndArray();
    }

    public static void disks(JsonGenerator json, VmRow row) {
        VmNumbers vm = row.numbers();
        Decimals decimals = row.decimals();
        json.writeStartArray();
        for (int i = 0; i < vm.diskCount(); i++) {
            json.writeStartObject();
            text(json, Keys.NAME, vm.diskName(i));
            text(json, Keys.IMAGE_ID, vm.imageId(i));
            text(json, Keys.LUN_ID, vm.lunId(i));
            number(json, decimals, Keys.READ_BYTES_PER_SECOND, vm.readBytesPerSecond(i));
            number(json, decimals, Keys.WRITE_BYTES_PER_SECOND, vm.writeBytesPerSecond(i));
            number(json, Keys.READ_OPERATIONS, vm.readOperations(i));
            number(json, Keys.WRITE_OPERATIONS, vm.writeOperations(i));
            number(json, Keys.ACTUAL_SIZE_BYTES, vm.actualSizeBytes(i));
            number(json, decimals, Keys.READ_LATENCY_SECONDS, vm.readLatencySeconds(i));
            number(json, decimals, Keys.WRITE_LATENCY_SECONDS, vm.writeLatencySeconds(i));
            number(json, decimals, Keys.FLUSH_LATENCY_SECONDS, vm.flushLatencySeconds(i));
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void text(JsonGenerator json, SerializedString name, @Nullable Object value) {
        json.writeName(name);
        if (value == null) {
            json.writeNull();
        } else {
            json.writeString(value.toString());
        }
    }

    private static void number(JsonGenerator json, SerializedString name, long value) {
        json.writeName(name);
        if (value == VmNumbers.UNKNOWN) {
            json.writeNull();
        } else {
            json.writeNumber(value);
        }
    }

    private static void number(
            JsonGenerator json, Decimals decimals, SerializedString name, double value) {
        json.writeName(name);
        if (Double.isFinite(value)) {
            decimals.write(json, value);
        } else {
            json.writeNull();
        }
    }

    /** Names of members, as bytes that are copied. */
    private static final class Keys {
        private static final SerializedString ID = new SerializedString("id");
        private static final SerializedString NAME = new SerializedString("name");
        private static final SerializedString MAC = new SerializedString("mac");
        private static final SerializedString STATUS = new SerializedString("status");
        private static final SerializedString SPEED_MEGABITS_PER_SECOND =
                new SerializedString("speedMegabitsPerSecond");
        private static final SerializedString RECEIVED_BYTES =
                new SerializedString("receivedBytes");
        private static final SerializedString SENT_BYTES = new SerializedString("sentBytes");
        private static final SerializedString RECEIVE_RATE_PERCENT =
                new SerializedString("receiveRatePercent");
        private static final SerializedString SEND_RATE_PERCENT =
                new SerializedString("sendRatePercent");
        private static final SerializedString RECEIVE_DROPPED =
                new SerializedString("receiveDropped");
        private static final SerializedString SEND_DROPPED = new SerializedString("sendDropped");
        private static final SerializedString IMAGE_ID = new SerializedString("imageId");
        private static final SerializedString LUN_ID = new SerializedString("lunId");
        private static final SerializedString READ_BYTES_PER_SECOND =
                new SerializedString("readBytesPerSecond");
        private static final SerializedString WRITE_BYTES_PER_SECOND =
                new SerializedString("writeBytesPerSecond");
        private static final SerializedString READ_OPERATIONS =
                new SerializedString("readOperations");
        private static final SerializedString WRITE_OPERATIONS =
                new SerializedString("writeOperations");
        private static final SerializedString ACTUAL_SIZE_BYTES =
                new SerializedString("actualSizeBytes");
        private static final SerializedString READ_LATENCY_SECONDS =
                new SerializedString("readLatencySeconds");
        private static final SerializedString WRITE_LATENCY_SECONDS =
                new SerializedString("writeLatencySeconds");
        private static final SerializedString FLUSH_LATENCY_SECONDS =
                new SerializedString("flushLatencySeconds");
    }
}
