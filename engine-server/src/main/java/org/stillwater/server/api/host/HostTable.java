package org.stillwater.server.api.host;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.Column.Origin;
import org.stillwater.server.api.rows.Table;
import org.stillwater.server.api.web.Json;
import org.stillwater.server.api.web.JsonText;

/** Columns of hosts in lists: none that grows with their interfaces or processors. */
public final class HostTable {

    private static final String USAGE = "usage";

    public static final Table<HostRow> COLUMNS =
            new Table<>(
                    columns(),
                    Map.of(
                            "cpu", "usage.cpuPercent",
                            "memory", "usage.memoryPercent",
                            "network", "usage.networkPercent",
                            "cluster", "clusterName"));

    private HostTable() {}

    private static List<Column<HostRow>> columns() {
        List<Column<HostRow>> all = new ArrayList<>();
        all.add(
                column(
                        "id",
                        Column.Type.UUID,
                        Origin.DEFINED,
                        (host, to) -> to.text(host.definition().id())));
        all.add(
                column(
                        "name",
                        Column.Type.TEXT,
                        Origin.DEFINED,
                        (host, to) -> to.text(host.definition().name())));
        all.add(
                column(
                        "address",
                        Column.Type.TEXT,
                        Origin.DEFINED,
                        (host, to) -> to.text(host.definition().address())));
        all.add(
                column(
                        "port",
                        Column.Type.WHOLE,
                        Origin.DEFINED,
                        (host, to) -> to.whole((long) host.definition().port())));
        all.add(
                column(
                        "clusterId",
                        Column.Type.UUID,
                        Origin.DEFINED,
                        (host, to) -> to.text(host.definition().cluster())));
        all.add(
                column(
                                "clusterName",
                                Column.Type.TEXT,
                                Origin.DEFINED,
                                (host, to) -> to.text(host.clusterName()))
                        .onRequest());
        all.add(
                column(
                                "hypervisor",
                                Column.Type.TEXT,
                                Origin.DEFINED,
                                (host, to) -> to.text(host.managedBy().label()))
                        .onRequest());
        all.add(
                column(
                                "tags",
                                Column.Type.TEXTS,
                                Origin.DEFINED,
                                (host, to) -> to.texts(host.tags().names()))
                        .onRequest());
        all.add(
                column(
                        "powerManagement",
                        Column.Type.FLAG,
                        Origin.DEFINED,
                        (host, to) -> to.flag(host.definition().traits().powerManagement())));
        all.add(
                column(
                        "kdumpIntegration",
                        Column.Type.FLAG,
                        Origin.DEFINED,
                        (host, to) -> to.flag(host.definition().traits().kdumpIntegration())));
        all.add(
                column(
                        "storagePoolManager",
                        Column.Type.FLAG,
                        Origin.DEFINED,
                        (host, to) -> to.flag(host.definition().traits().storagePoolManager())));
        all.add(
                column(
                        "olderAgent",
                        Column.Type.FLAG,
                        Origin.DEFINED,
                        (host, to) -> to.flag(host.definition().traits().olderAgent())));
        all.add(
                column(
                        "comment",
                        Column.Type.TEXT,
                        Origin.DEFINED,
                        (host, to) -> to.text(host.definition().traits().comment())));
        all.add(
                column(
                        "status",
                        Column.Type.TEXT,
                        Origin.DECIDED,
                        (host, to) -> to.text(Json.word(host.view().state().status()))));
        all.add(
                column(
                        "statusSince",
                        Column.Type.TIME,
                        Origin.DECIDED,
                        (host, to) -> to.text(host.view().state().since())));
        all.add(
                column(
                        "reason",
                        Column.Type.TEXT,
                        Origin.DECIDED,
                        (host, to) -> to.text(host.view().state().reason())));
        all.add(
                column(
                        "revision",
                        Column.Type.WHOLE,
                        Origin.DECIDED,
                        (host, to) -> to.whole(host.view().state().revision())));
        all.add(
                column(
                        "connected",
                        Column.Type.FLAG,
                        Origin.DECIDED,
                        (host, to) -> to.flag(host.view().connected())));
        all.add(
                column(
                        "vms",
                        Column.Type.WHOLE,
                        Origin.DECIDED,
                        (host, to) -> to.whole((long) host.view().vms())));
        all.add(
                column(
                        "committedMemoryMebibytes",
                        Column.Type.WHOLE,
                        Origin.DECIDED,
                        (host, to) -> to.whole(host.view().committedMemoryMebibytes())));
        all.add(
                column(
                        "lastPollAt",
                        Column.Type.TIME,
                        Origin.DECIDED,
                        (host, to) -> to.text(host.view().lastPollAt())));
        all.add(
                column(
                        "statisticsAt",
                        Column.Type.TIME,
                        Origin.DECIDED,
                        (host, to) -> to.text(host.view().statisticsAt())));
        all.add(usage("cpuPercent", (host, to) -> to.whole(host.view().usage().cpuPercent())));
        all.add(
                usage(
                        "memoryPercent",
                        (host, to) -> to.whole(host.view().usage().memoryPercent())));
        all.add(
                usage(
                        "networkPercent",
                        (host, to) -> to.whole(host.view().usage().networkPercent())));
        all.add(
                Column.counted(
                        "observedAt",
                        Column.Type.TIME,
                        (host, to) -> to.text(host.view().statisticsAt())));
        all.add(Column.counted("stale", Column.Type.FLAG, (host, to) -> to.flag(host.isStale())));
        all.add(fraction("cpuUserPercent", of -> of.cpu().userPercent()));
        all.add(fraction("cpuSystemPercent", of -> of.cpu().systemPercent()));
        all.add(fraction("cpuIdlePercent", of -> of.cpu().idlePercent()));
        all.add(fraction("cpuLoad", of -> of.cpu().load()));
        all.add(whole("memoryFreeMebibytes", of -> of.memory().freeMebibytes()));
        all.add(whole("memorySharedMebibytes", of -> of.memory().sharedMebibytes()));
        all.add(whole("swapTotalMebibytes", of -> of.memory().swapTotalMebibytes()));
        all.add(whole("swapFreeMebibytes", of -> of.memory().swapFreeMebibytes()));
        all.add(
                whole(
                        "anonymousHugePagesMebibytes",
                        of -> of.memory().anonymousHugePagesMebibytes()));
        all.add(whole("ksmCpuPercent", of -> widened(of.ksm().cpuPercent())));
        all.add(whole("vmsActive", of -> widened(of.vms().active())));
        all.add(whole("vmsMigrating", of -> widened(of.vms().migrating())));
        all.add(whole("bootTimeEpochSeconds", HostStatistics::bootTimeEpochSeconds));
        all.add(
                Column.<HostRow>counted(
                                "nics",
                                Column.Type.LIST,
                                (host, to) -> to.composite(json -> nics(json, host)))
                        .onRequest());
        return all;
    }

    /** Writes the interfaces of a host. */
    public static void nics(JsonText json, HostRow host) {
        json.generated(generator -> HostJson.nicList(generator, host.view().usage()));
    }

    private static Column<HostRow> column(
            String name, Column.Type type, Origin origin, Column.Cell<HostRow> cell) {
        return Column.of(name, type, origin, cell);
    }

    private static Column<HostRow> usage(String name, Column.Cell<HostRow> cell) {
        return Column.counted(name, Column.Type.WHOLE, cell).in(USAGE);
    }

    private static @Nullable Long widened(@Nullable Integer number) {
        return number == null ? null : (Long) number.longValue();
    }

    private interface Statistic<N> {
        @Nullable N of(HostStatistics statistics);
    }

    private static Column<HostRow> fraction(String name, Statistic<Double> number) {
        return Column.counted(
                name,
                Column.Type.FRACTION,
                (host, to) -> {
                    HostStatistics statistics = host.statistics();
                    to.fraction(statistics == null ? null : number.of(statistics));
                });
    }

    private static Column<HostRow> whole(String name, Statistic<Long> number) {
        return Column.counted(
                name,
                Column.Type.WHOLE,
                (host, to) -> {
                    HostStatistics statistics = host.statistics();
                    to.whole(statistics == null ? null : number.of(statistics));
                });
    }
}
