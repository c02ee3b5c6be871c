package org.stillwater.server.api.history;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.VmNic;
import org.stillwater.monitoring.vm.VmNumbers;
import org.stillwater.server.api.rows.AgedRow;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.Column.Origin;
import org.stillwater.server.api.rows.CsvSink;
import org.stillwater.server.api.rows.ValueAge;
import org.stillwater.server.api.vm.VmRow;
import org.stillwater.server.api.vm.VmTable;

/**
 * Lines of CSV with the numbers of VMs: one for a VM, and one for each of its interfaces and disks
 * where they are wanted. Used by one thread.
 */
final class VmCsvLines {

    private final CsvSink csv;
    private final List<Column<VmRow>> columns;
    private final boolean nics;
    private final boolean disks;
    private final List<Column<VmPart>> parts = new ArrayList<>();

    /** Lines with these columns of VMs. */
    VmCsvLines(CsvSink csv, List<Column<VmRow>> columns, boolean nics, boolean disks) {
        this.csv = csv;
        this.columns = columns;
        this.nics = nics;
        this.disks = disks;
        if (nics) {
            parts.addAll(VmPart.NICS);
        }
        if (disks) {
            parts.addAll(VmPart.DISKS);
        }
    }

    /** Writes the header. */
    void header() {
        if (!parts.isEmpty()) {
            csv.field("row");
        }
        csv.header(columns);
        csv.header(parts);
        csv.end();
    }

    /** Writes the VM's line, then one for each of its parts; every part's line has the VM's id. */
    void write(VmRow row) {
        if (!parts.isEmpty()) {
            csv.field("vm");
        }
        csv.row(row, columns);
        csv.skip(parts.size());
        csv.end();
        if (nics) {
            for (int i = 0; i < row.numbers().nicCount(); i++) {
                if (row.numbers().isNicKnown(i)) {
                    csv.field("nic");
                    part(row);
                    csv.row(new VmPart(row, i), VmPart.NICS);
                    csv.skip(parts.size() - VmPart.NICS.size());
                    csv.end();
                }
            }
        }
        if (disks) {
            for (int i = 0; i < row.numbers().diskCount(); i++) {
                csv.field("disk");
                part(row);
                csv.skip(parts.size() - VmPart.DISKS.size());
                csv.row(new VmPart(row, i), VmPart.DISKS);
                csv.end();
            }
        }
    }

    private void part(VmRow row) {
        for (Column<VmRow> column : columns) {
            if (column.name().equals("id")) {
                csv.row(row, List.of(column));
            } else {
                csv.skip(1);
            }
        }
    }

    /**
     * An interface or disk of a VM, as a line of CSV.
     *
     * @param vm the VM
     * @param index which one
     */
    private record VmPart(VmRow vm, int index) implements AgedRow {

        static final List<Column<VmPart>> NICS =
                List.of(
                        text("nic.id", part -> part.nic().id().toString()),
                        text("nic.name", part -> part.nic().name()),
                        text("nic.mac", part -> part.nic().mac()),
                        whole("nic.receivedBytes", part -> part.of().receivedBytes(part.index)),
                        whole("nic.sentBytes", part -> part.of().sentBytes(part.index)),
                        fraction(
                                "nic.receiveRatePercent",
                                part -> part.of().receiveRatePercent(part.index)),
                        fraction(
                                "nic.sendRatePercent",
                                part -> part.of().sendRatePercent(part.index)),
                        whole("nic.receiveDropped", part -> part.of().receiveDropped(part.index)),
                        whole("nic.sendDropped", part -> part.of().sendDropped(part.index)));

        static final List<Column<VmPart>> DISKS =
                List.of(
                        text("disk.name", part -> part.of().diskName(part.index)),
                        text(
                                "disk.imageId",
                                part -> {
                                    var id = part.of().imageId(part.index);
                                    return id == null ? null : id.toString();
                                }),
                        text("disk.lunId", part -> part.of().lunId(part.index)),
                        fraction(
                                "disk.readBytesPerSecond",
                                part -> part.of().readBytesPerSecond(part.index)),
                        fraction(
                                "disk.writeBytesPerSecond",
                                part -> part.of().writeBytesPerSecond(part.index)),
                        whole("disk.readOperations", part -> part.of().readOperations(part.index)),
                        whole(
                                "disk.writeOperations",
                                part -> part.of().writeOperations(part.index)),
                        whole(
                                "disk.actualSizeBytes",
                                part -> part.of().actualSizeBytes(part.index)),
                        fraction(
                                "disk.readLatencySeconds",
                                part -> part.of().readLatencySeconds(part.index)),
                        fraction(
                                "disk.writeLatencySeconds",
                                part -> part.of().writeLatencySeconds(part.index)),
                        fraction(
                                "disk.flushLatencySeconds",
                                part -> part.of().flushLatencySeconds(part.index)));

        private interface Text {
            @Nullable String of(VmPart part);
        }

        private interface Whole {
            long of(VmPart part);
        }

        private interface Fraction {
            double of(VmPart part);
        }

        private static Column<VmPart> text(String name, Text text) {
            return Column.of(
                    name, Column.Type.TEXT, Origin.COUNTED, (part, to) -> to.text(text.of(part)));
        }

        private static Column<VmPart> whole(String name, Whole number) {
            return Column.of(
                    name,
                    Column.Type.WHOLE,
                    Origin.COUNTED,
                    (part, to) -> VmTable.whole(to, number.of(part)));
        }

        private static Column<VmPart> fraction(String name, Fraction number) {
            return Column.of(
                    name,
                    Column.Type.FRACTION,
                    Origin.COUNTED,
                    (part, to) -> to.fraction(number.of(part)));
        }

        private VmNumbers of() {
            return vm.numbers();
        }

        private VmNic nic() {
            return of().nicDefinition(index);
        }

        @Override
        public ValueAge age(Origin origin) {
            return vm.age(origin);
        }
    }
}
