package org.stillwater.server.api.stream;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.Alert;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.server.api.host.HostJson;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.vm.VmRow;
import tools.jackson.core.JsonGenerator;

/**
 * Everything that is known, in messages of bounded size, of which the last one has the revision
 * that the others are at least as new as. Used by one thread at a time.
 */
final class Snapshot {

    /**
     * VMs by columns come so many times as many in a message: the hosts of so many are named once
     * for all of them.
     */
    private static final int BLOCK = 4;

    private final StreamWriter to;
    private final StreamFilter filter;
    private final long revision;
    private final int most;
    private final VmRow row;
    private final @Nullable List<Column<VmRow>> columns;
    private final Iterator<HostView> hosts;
    private final Iterator<? extends VmReading> vms;
    private final Iterator<Alert> alerts;
    private int hostCount;
    private int vmCount;
    private int alertCount;
    private boolean ended;

    /**
     * A snapshot of which nothing is written.
     *
     * @param revision at which the reader's subscription began, before this was made
     */
    Snapshot(StreamWriter to, long revision) {
        this.to = to;
        this.filter = to.filter();
        this.revision = revision;
        this.most = to.shared().chunk();
        this.row = to.shared().lists().row();
        List<Column<VmRow>> chosen = filter.columns();
        this.columns =
                chosen == null || filter.snapshotForm() == SnapshotForm.ROWS
                        ? null
                        : StreamWriter.withId(chosen);
        this.hosts =
                filter.tellsHosts()
                        ? to.fleet().hosts().stream().filter(filter::tells).iterator()
                        : Collections.emptyIterator();
        this.vms =
                filter.tellsVms()
                        ? to.fleet().readings().stream().filter(vm -> filter.tells(vm)).iterator()
                        : Collections.emptyIterator();
        this.alerts =
                filter.tellsAlerts()
                        ? to.shared().alerts().firing().stream().filter(filter::tells).iterator()
                        : Collections.emptyIterator();
    }

    /**
     * Writes the next message.
     *
     * @return false if there was none left
     */
    boolean writeNext() throws IOException {
        if (hosts.hasNext()) {
            hostCount +=
                    rows(
                            "hosts",
                            hosts,
                            (host, json) ->
                                    HostJson.write(
                                            json,
                                            host.state(),
                                            to.tags(host.state().definition().id())));
        } else if (vms.hasNext()) {
            vmCount +=
                    columns == null
                            ? rows("vms", vms, (vm, json) -> to.whole(json, row, vm))
                            : block(columns);
        } else if (alerts.hasNext()) {
            alertCount += rows("alerts", alerts, (alert, json) -> json.writePOJO(to.item(alert)));
        } else if (ended) {
            return false;
        } else {
            ended = true;
            end();
        }
        return true;
    }

    private interface Form<T> {
        void write(T value, JsonGenerator json);
    }

    private <T> int rows(String name, Iterator<? extends T> values, Form<T> each)
            throws IOException {
        int[] count = {0};
        to.message(
                "snapshot",
                null,
                json -> {
                    json.writeArrayPropertyStart(name);
                    while (values.hasNext() && count[0] < most) {
                        each.write(values.next(), json);
                        count[0]++;
                    }
                    json.writeEndArray();
                });
        return count[0];
    }

    private int block(List<Column<VmRow>> chosen) throws IOException {
        List<VmRow.Pinned> pinned = new ArrayList<>(BLOCK * most);
        while (vms.hasNext() && pinned.size() < BLOCK * most) {
            VmReading vm = vms.next();
            pinned.add(new VmRow.Pinned(vm, vm.state()));
        }
        to.message(
                "snapshot",
                null,
                json -> {
                    json.writeName("vms");
                    new ColumnBlock(pinned, chosen, row, filter.snapshotForm()).write(json);
                });
        return pinned.size();
    }

    private void end() throws IOException {
        to.message(
                "snapshot-end",
                revision,
                json -> {
                    json.writeNumberProperty("revision", revision);
                    json.writeNumberProperty("hosts", hostCount);
                    json.writeNumberProperty("vms", vmCount);
                    if (filter.tellsAlerts()) {
                        json.writeNumberProperty("alerts", alertCount);
                    }
                });
    }
}
