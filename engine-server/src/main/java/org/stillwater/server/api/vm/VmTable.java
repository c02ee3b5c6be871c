package org.stillwater.server.api.vm;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.Coded;
import org.stillwater.core.vm.GuestNics;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.Column.Origin;
import org.stillwater.server.api.rows.Sink;
import org.stillwater.server.api.rows.Table;
import org.stillwater.server.api.web.FieldNames;
import org.stillwater.server.api.web.Json;

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
                "reportedAt", "statistics.reportedAt",
                "diskReadRate", "statistics.diskReadRate",
                "diskWriteRate", "statistics.diskWriteRate",
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
                        (vm, to) ->
                                to.uuid(
                                        vm.id().mostSignificantBits(),
                                        vm.id().leastSignificantBits())));
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
        all.add(
                Column.<VmRow>counted(
                                "reportedAt",
                                Column.Type.TIME,
                                (vm, to) -> to.text(moment(vm.reportedEpochMillis())))
                        .onRequest());
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
                        (vm, to) -> to.composite(json -> VmDeviceJson.nics(json, vm.numbers()))));
        all.add(
                Column.counted(
                        "disks",
                        Column.Type.LIST,
                        (vm, to) -> to.composite(json -> VmDeviceJson.disks(json, vm.numbers()))));
        all.add(transfer("diskReadRate", VmNumbers::readBytesPerSecond));
        all.add(transfer("diskWriteRate", VmNumbers::writeBytesPerSecond));
        all.add(history("cpuHistory", vm -> vm.numbers().cpuHistory()));
        all.add(history("memoryHistory", vm -> vm.numbers().memoryHistory()));
        all.add(history("networkHistory", vm -> vm.numbers().networkHistory()));
    }

    /** A time with milliseconds always, so that the order of texts is that of times. */
    private static @Nullable String moment(long epochMillis) {
        if (epochMillis == 0) {
            return null;
        }
        String text = Instant.ofEpochMilli(epochMillis).toString();
        return text.contains(".") ? text : text.replace("Z", ".000Z");
    }

    private static Column<VmRow> alias(String name) {
        VmNumber number = Objects.requireNonNull(ALIASES.get(name));
        return Column.<VmRow>counted(
                        name, Column.Type.WHOLE, (vm, to) -> whole(to, vm.whole(number)))
                .onRequest();
    }

    private interface DiskRate {
        double of(VmNumbers numbers, int disk);
    }

    /**
     * Transfer of all disks together, B/s; unknown without disks, and if that of one is unknown.
     */
    private static Column<VmRow> transfer(String name, DiskRate rate) {
        return Column.<VmRow>counted(
                        name,
                        Column.Type.FRACTION,
                        (vm, to) -> {
                            VmNumbers numbers = vm.numbers();
                            int disks = numbers.diskCount();
                            double sum = disks == 0 ? Double.NaN : 0;
                            for (int i = 0; i < disks; i++) {
                                sum += rate.of(numbers, i);
                            }
                            to.fraction(sum);
                        })
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
                                    json.startArray();
                                    samples.of(vm).forEach(json::whole);
                                    json.endArray();
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
            case GuestNics nics -> to.composite(json -> Json.guestNics(json, nics));
            case Coded code when code instanceof Enum<?> constant -> to.text(Json.word(constant));
            default -> throw new IllegalStateException("no form for " + value.getClass());
        }
    }
}
