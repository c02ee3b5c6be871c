package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;
import org.stillwater.xapi.client.RrdColumn;

/** Columns of a legend find their objects. */
class RrdLegendTest {

    private static final String VM = "6b1f2d3c-0000-4000-8000-000000000001";
    private static final String OTHER = "6b1f2d3c-0000-4000-8000-000000000002";

    private static RrdLegend legend(String uuid, String... names) {
        List<RrdColumn> columns = new ArrayList<>();
        columns.add(new RrdColumn("AVERAGE", "host", OTHER, "cpu_avg", 1));
        for (String name : names) {
            columns.add(new RrdColumn("AVERAGE", "vm", uuid, name, 1));
        }
        return new RrdLegend(columns);
    }

    private static VmColumns columns(String... names) {
        return legend(VM, names).of(VmId.parse(VM));
    }

    /** A row in which each column has its place as its value. */
    private static double[] row() {
        double[] row = new double[20];
        for (int i = 0; i < row.length; i++) {
            row[i] = i;
        }
        return row;
    }

    @Test
    @DisplayName("X48 virtual CPUs are added up to the first that is missing; others are left out")
    void cpus() {
        VmColumns columns = columns("cpu1", "cpu0", "cpu3", "cpu_usage", "cpux");
        assertThat(columns.isThere()).isTrue();
        assertThat(columns.cpu(row())).isEqualTo(1 + 2);
        double[] unknown = row();
        unknown[1] = Double.NaN;
        assertThat(columns.cpu(unknown)).isEqualTo(2);
        assertThat(columns.waiting(row())).isNaN();
        assertThat(columns.memory(row())).isNaN();
    }

    @Test
    @DisplayName("X48 memory and waiting have their columns")
    void memory() {
        VmColumns columns =
                columns("memory", "runstate_partial_contention", "memory_internal_free");
        assertThat(columns.memory(row())).isEqualTo(1);
        assertThat(columns.memoryFree(row())).isEqualTo(3);
        double[] row = row();
        row[2] = 0.25;
        assertThat(columns.waiting(row)).isEqualTo(0.25);
    }

    @Test
    @DisplayName("X48 interfaces and disks have theirs by device, and missing ones are none")
    void devices() {
        RrdLegend legend =
                legend(
                        VM,
                        "vif_0_rx",
                        "vif_0_tx",
                        "vif_1_rx",
                        "vif_2_tx",
                        "vbd_xvda_read",
                        "vbd_xvda_write",
                        "vbd_xvda_read_latency",
                        "vbd_sdb_read",
                        "vbd_sdb_write_latency");
        VmColumns columns = legend.of(VmId.parse(VM));
        assertThat(legend.counted())
                .extracting(RrdLegend.Counted::column)
                .containsExactly(1, 2, 3, 4);
        assertThat(columns.nic("0")).isEqualTo(new VmColumns.Nic(0, 1));
        assertThat(columns.nic("1")).isEqualTo(new VmColumns.Nic(2, VmColumns.NONE));
        assertThat(columns.nic("2")).isNull();
        assertThat(columns.disk("xvda")).isEqualTo(new VmColumns.Disk(5, 6, 7, VmColumns.NONE));
        assertThat(columns.disk("sdb"))
                .isEqualTo(new VmColumns.Disk(8, VmColumns.NONE, VmColumns.NONE, 9));
        assertThat(columns.disk("xvdb")).isNull();
    }

    @Test
    @DisplayName("X50 an object without columns, or without an identity, has none")
    void others() {
        assertThat(columns().isThere()).isFalse();
        assertThat(columns().cpu(row())).isZero();
        assertThat(legend("nobody", "cpu0").of(VmId.parse(VM)).isThere()).isFalse();
        assertThat(legend(VM, "cpu0").host()).containsOnlyKeys("cpu_avg");
    }
}
