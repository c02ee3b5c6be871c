package org.stillwater.server.api.stream;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.alert.Alert;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.server.api.alert.AlertTopic;
import org.stillwater.server.api.engine.EngineTopic;
import org.stillwater.server.api.history.AuditJson;
import org.stillwater.server.api.host.HostJson;
import org.stillwater.server.api.rows.Column;
import org.stillwater.server.api.rows.JsonSink;
import org.stillwater.server.api.vm.VmJson;
import org.stillwater.server.api.vm.VmLists;
import org.stillwater.server.api.vm.VmRow;
import org.stillwater.server.api.vm.VmTable;
import org.stillwater.server.api.web.FieldNames;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.ObjectWriter;

/**
 * Sends one reader of the stream the requested data: snapshots, changes in order, and statistics in
 * their state at that time. Changes come from a cache if another reader gets the same. Used by one
 * thread.
 *
 * <p>It is long because snapshots, changes and statistics follow one position in the feed.
 */
final class StreamWriter implements AutoCloseable {

    /** Services that all writers share. */
    record Shared(
            FleetReader fleet,
            VmLists lists,
            StreamBodies bodies,
            EncodedFrameCaches caches,
            SharedSnapshots snapshots,
            AlertTopic alerts,
            ObjectWriter json,
            int chunk) {}

    private final Shared shared;
    private final FleetReader fleet;
    private final StreamOutput out;
    private final StreamFilter filter;
    private final VmLists lists;
    private final EncodedFrameCaches.@Nullable Seat seat;
    private EncodedFrameCache.@Nullable Encoder encoder;
    private long told;

    private StreamWriter(
            Shared shared,
            StreamOutput outlet,
            StreamFilter filter,
            EncodedFrameCaches.@Nullable Seat seat) {
        this.shared = shared;
        this.fleet = shared.fleet();
        this.out = outlet;
        this.filter = filter;
        this.lists = shared.lists();
        this.seat = seat;
    }

    /** A writer for a reader; to be closed when the reader gets no more messages of it. */
    static StreamWriter open(Shared shared, StreamOutput outlet, StreamFilter filter) {
        return new StreamWriter(
                shared, outlet, filter, shared.caches().enter(filter.audience(), outlet.isTyped()));
    }

    @Override
    public void close() {
        if (seat != null) {
            seat.close();
        }
    }

    /** Grows with everything that is sent, heart-beats included. */
    long told() {
        return told;
    }

    void heartBeat() throws IOException {
        told++;
        out.heartBeat(fleet.revision());
    }

    /**
     * A heart-beat before the snapshot. It carries no revision of the feed: a reader that came back
     * with one would not get its snapshot.
     */
    void waits() throws IOException {
        told++;
        out.heartBeat(0);
    }

    /** The engine itself. */
    void engine(EngineTopic.Reading reading) throws IOException {
        message("engine", null, to -> to.writePOJOProperty("engine", reading));
        out.flush();
    }

    /** Findings of regressions, a message each. */
    void findings(List<Object> findings) throws IOException {
        for (Object finding : findings) {
            message("finding", null, to -> to.writePOJOProperty("finding", finding));
        }
        if (!findings.isEmpty()) {
            out.flush();
        }
    }

    /** Writes the members of a message. */
    interface Body {
        void write(JsonGenerator to);
    }

    void message(String type, @Nullable Long revision, Body body) throws IOException {
        told++;
        write(out.begin(type, revision), type, body);
        out.end();
    }

    private void write(OutputStream into, String type, Body body) {
        try (JsonGenerator to = shared.json().createGenerator(into)) {
            to.writeStartObject();
            if (out.isTyped()) {
                to.writeStringProperty("type", type);
            }
            body.write(to);
            to.writeEndObject();
        }
    }

    /** A message that is the same for every reader of a form, and is made for the first. */
    private void shared(String type, long revision, Body body) throws IOException {
        byte[] made = shared.bodies().of(revision, filter.form(), out.isTyped());
        if (made == null) {
            ByteArrayOutputStream into = new ByteArrayOutputStream(512);
            write(into, type, body);
            made = into.toByteArray();
            shared.bodies().keep(revision, filter.form(), out.isTyped(), made);
        }
        told++;
        out.begin(type, revision).write(made);
        out.end();
    }

    /**
     * Everything that is known. Readers that get the same at about the same time share its parts;
     * between two of them other threads run: until a reader's buffer is full nothing else would,
     * and with a hundred readers, messages of hosts would wait for seconds.
     */
    @SuppressWarnings("ThreadPriorityCheck") // a virtual thread is never preempted
    void snapshot(Subscription subscription) throws IOException {
        try (SharedSnapshots.Ticket ticket = ticket(subscription)) {
            if (ticket == null) {
                Snapshot own = new Snapshot(this, subscription.startRevision());
                while (own.writeNext()) {
                    Thread.yield();
                }
            } else {
                for (byte[] part = ticket.next(); part != null; part = ticket.next()) {
                    told++;
                    out.send(part, new int[] {part.length}, 0, 0, 1);
                    Thread.yield();
                }
            }
        }
        out.flush();
    }

    /**
     * Null for a reader of numbers, which would be as old as the shared snapshot, and for one of
     * events, which would receive some from before it came.
     */
    private SharedSnapshots.@Nullable Ticket ticket(Subscription subscription) throws IOException {
        if (filter.numbers() != null || filter.tellsEvents()) {
            return null;
        }
        return shared.snapshots()
                .join(
                        new SharedSnapshots.Key(
                                filter.audience(), out.isTyped(), filter.snapshotForm()),
                        subscription,
                        () -> {
                            ByteArrayOutputStream memory = new ByteArrayOutputStream(64 * 1024);
                            StreamWriter writer =
                                    new StreamWriter(shared, out.onto(memory), filter, null);
                            Snapshot parts = new Snapshot(writer, subscription.startRevision());
                            return () -> {
                                memory.reset();
                                return parts.writeNext() ? memory.toByteArray() : null;
                            };
                        });
    }

    FleetReader fleet() {
        return fleet;
    }

    StreamFilter filter() {
        return filter;
    }

    Shared shared() {
        return shared;
    }

    Object item(Alert alert) {
        return shared.alerts().item(alert);
    }

    /** A VM with all that the reader gets. */
    void whole(JsonGenerator to, VmRow row, VmReading vm) {
        List<Column<VmRow>> columns = filter.columns();
        if (columns == null) {
            VmJson.write(to, vm.id(), vm.definition(), vm.state(), tags(vm.id()), filter.form());
        } else {
            new JsonSink(to, false).row(row.of(vm), withId(columns));
        }
    }

    /** A VM without its id could not be assigned. */
    static List<Column<VmRow>> withId(List<Column<VmRow>> columns) {
        if (columns.stream().anyMatch(column -> column.path().equals("id"))) {
            return columns;
        }
        List<Column<VmRow>> all = new ArrayList<>();
        all.addAll(VmTable.COLUMNS.select("id", false));
        all.addAll(columns);
        return all;
    }

    /** Changes in order, then one flush if any of them is sent. */
    void deltas(List<Delta> deltas) throws IOException {
        long before = told;
        EncodedFrameCache cache = seat == null ? null : seat.cache();
        if (cache == null) {
            for (Delta delta : deltas) {
                delta(delta);
            }
        } else {
            cache.tell(
                    deltas,
                    encoder(),
                    (bytes, ends, begin, from, to) -> {
                        told++;
                        out.send(bytes, ends, begin, from, to);
                    });
        }
        if (told != before) {
            out.flush();
        }
    }

    /** Writes changes as this writer does, to memory. */
    private EncodedFrameCache.Encoder encoder() {
        EncodedFrameCache.Encoder known = encoder;
        if (known == null) {
            ByteArrayOutputStream memory = new ByteArrayOutputStream(1_024);
            StreamWriter writer = new StreamWriter(shared, out.onto(memory), filter, null);
            known =
                    delta -> {
                        memory.reset();
                        writer.delta(delta);
                        return memory;
                    };
            encoder = known;
        }
        return known;
    }

    private void delta(Delta delta) throws IOException {
        switch (delta) {
            case Delta.VmAdded added -> {
                if (filter.tellsVms()
                        && filter.tells(added.vmId(), added.definition(), added.state())) {
                    vm(added, "added", added.vmId(), added.definition(), added.state());
                }
            }
            case Delta.VmRedefined redefined -> {
                if (!filter.tellsVms()) {
                    break;
                }
                if (filter.tells(redefined.vmId(), redefined.definition(), redefined.state())) {
                    vm(
                            redefined,
                            "redefined",
                            redefined.vmId(),
                            redefined.definition(),
                            redefined.state());
                } else if (filter.looksAtDefinitions()
                        && filter.mayHaveTold(
                                redefined.vmId(),
                                redefined.cluster(),
                                redefined.state().placement().runOn())) {
                    gone(redefined, "vm", redefined.vmId().toString());
                }
            }
            case Delta.VmChanged changed -> {
                if (filter.tellsVms()) {
                    changed(changed);
                }
            }
            case Delta.VmTagged tagged -> {
                if (filter.tellsVms() && filter.showsTags()) {
                    tagged(tagged);
                }
            }
            case Delta.VmRemoved removed -> {
                if (filter.tellsVms()
                        && filter.mayHaveTold(
                                removed.vmId(), removed.cluster(), removed.before())) {
                    gone(removed, "vm", removed.vmId().toString());
                }
            }
            case Delta.Audited audited -> {
                if (filter.tells(audited.entry())) {
                    message(
                            "audit",
                            audited.revision(),
                            to -> {
                                to.writeNumberProperty("revision", audited.revision());
                                to.writeNumberProperty("observedNanos", audited.observedNanos());
                                to.writeName("entry");
                                AuditJson.write(to, audited.entry());
                            });
                }
            }
            case Delta.Alerted alerted -> {
                if (filter.tellsAlerts() && filter.tells(alerted.alert())) {
                    message(
                            "alert",
                            alerted.revision(),
                            to -> {
                                to.writeNumberProperty("revision", alerted.revision());
                                to.writeNumberProperty("observedNanos", alerted.observedNanos());
                                to.writePOJOProperty("alert", item(alerted.alert()));
                            });
                }
            }
            case Delta.HostAdded added -> host(added, "added", added.state());
            case Delta.HostChanged changed -> {
                if (filter.tellsHosts()
                        && !filter.tells(changed.state())
                        && filter.mayHaveTold(changed.hostId(), changed.cluster())) {
                    gone(changed, "host", changed.hostId().toString());
                } else {
                    host(changed, "changed", changed.state());
                }
            }
            case Delta.HostRemoved removed -> {
                if (filter.tellsHosts()
                        && filter.mayHaveTold(removed.hostId(), removed.cluster())) {
                    gone(removed, "host", removed.hostId().toString());
                }
            }
            case Delta.Untold _ -> {}
        }
    }

    private void changed(Delta.VmChanged changed) throws IOException {
        VmReading known = fleet.reading(changed.vmId());
        if (known == null) {
            leftAndRemoved(changed);
            return;
        }
        VmStatic definition = known.definition();
        boolean told = filter.tells(changed.vmId(), definition, changed.state());
        if (filter.looksAtPlaces() && changed.placementChanged()) {
            boolean before =
                    filter.mayHaveTold(changed.vmId(), definition.cluster(), changed.before());
            if (told && !before) {
                vm(changed, "added", changed.vmId(), definition, changed.state());
                return;
            }
            if (before && !told) {
                gone(changed, "vm", changed.vmId().toString());
                return;
            }
        }
        if (!told || !filter.shows(changed)) {
            return;
        }
        List<Column<VmRow>> columns = filter.columns();
        if (columns == null) {
            shared(
                    "delta",
                    changed.revision(),
                    to -> {
                        whatChanged(to, changed);
                        VmJson.writeChanged(to, changed, filter.form());
                    });
            return;
        }
        message(
                "delta",
                changed.revision(),
                to -> {
                    whatChanged(to, changed);
                    List<Column<VmRow>> touched =
                            columns.stream()
                                    .filter(column ->
                                            StreamFilter.isStamp(column)
                                                    || StreamFilter.shows(changed, column))
                                    .toList();
                    new JsonSink(to, false)
                            .row(
                                    lists.row().of(new VmRow.Pinned(known, changed.state())),
                                    withId(touched));
                });
    }

    /**
     * The removal of the VM follows, but a reader of a host gets that of VMs on the host only: one
     * that left the host first is removed here.
     */
    private void leftAndRemoved(Delta.VmChanged changed) throws IOException {
        if (filter.looksAtPlaces()
                && changed.placementChanged()
                && filter.mayHaveTold(changed.vmId(), changed.cluster(), changed.before())) {
            gone(changed, "vm", changed.vmId().toString());
        }
    }

    /** The present tags: if they have changed again, another message about that follows. */
    private void tagged(Delta.VmTagged tagged) throws IOException {
        VmReading known = fleet.reading(tagged.vmId());
        if (known == null || !filter.tells(tagged.vmId(), known.definition(), tagged.state())) {
            return;
        }
        List<Column<VmRow>> columns = filter.columns();
        message(
                "delta",
                tagged.revision(),
                to -> {
                    head(to, tagged, "vm", "changed", tagged.vmId().toString());
                    to.writeArrayPropertyStart("changed");
                    to.writeString(VmTable.TAGS);
                    to.writeEndArray();
                    to.writeName("vm");
                    if (columns == null) {
                        VmJson.writeTags(to, tagged.vmId(), tagged.state(), tags(tagged.vmId()));
                        return;
                    }
                    new JsonSink(to, false)
                            .row(
                                    lists.row().of(new VmRow.Pinned(known, tagged.state())),
                                    withId(
                                            columns.stream()
                                                    .filter(column ->
                                                            StreamFilter.isStamp(column)
                                                                    || StreamFilter.isTags(column))
                                                    .toList()));
                });
    }

    private List<String> tags(VmId id) {
        return fleet.tags().set(id).names();
    }

    /** Names of a host's present tags. */
    List<String> tags(HostId id) {
        return fleet.tags().set(id).names();
    }

    /** The changed members of a message; readers of one form or of the same fields get the same. */
    private void whatChanged(JsonGenerator to, Delta.VmChanged changed) {
        head(to, changed, "vm", "changed", changed.vmId().toString());
        to.writeArrayPropertyStart("changed");
        changed.changed()
                .forEach(field -> {
                    if (filter.shows(field)) {
                        to.writeString(FieldNames.of(field));
                    }
                });
        if (changed.placementChanged() && filter.showsPlacement()) {
            to.writeString("placement");
        }
        to.writeEndArray();
        to.writeName("vm");
    }

    private void vm(Delta delta, String change, VmId id, VmStatic definition, VmState state)
            throws IOException {
        List<Column<VmRow>> columns = filter.columns();
        VmReading known = columns == null ? null : fleet.reading(id);
        if (columns != null && known == null) {
            return; // its removal follows
        }
        message(
                "delta",
                delta.revision(),
                to -> {
                    head(to, delta, "vm", change, id.toString());
                    to.writeName("vm");
                    if (columns == null || known == null) {
                        VmJson.write(to, id, definition, state, tags(id), filter.form());
                    } else {
                        new JsonSink(to, false)
                                .row(
                                        lists.row().of(new VmRow.Pinned(known, state)),
                                        withId(columns));
                    }
                });
    }

    private void host(Delta delta, String change, HostState state) throws IOException {
        if (!filter.tellsHosts() || !filter.tells(state)) {
            return;
        }
        message(
                "delta",
                delta.revision(),
                to -> {
                    head(to, delta, "host", change, state.definition().id().toString());
                    to.writeName("host");
                    HostJson.write(to, state, tags(state.definition().id()));
                });
    }

    private void gone(Delta delta, String entity, String id) throws IOException {
        message("delta", delta.revision(), to -> head(to, delta, entity, "removed", id));
    }

    private static void head(
            JsonGenerator to, Delta delta, String entity, String change, String id) {
        to.writeNumberProperty("revision", delta.revision());
        to.writeStringProperty("entity", entity);
        to.writeStringProperty("change", change);
        to.writeStringProperty("id", id);
        to.writeNumberProperty("observedNanos", delta.observedNanos());
    }

    /**
     * The present numbers of the VMs of hosts that were polled, one message for each host: a reader
     * that is slow gets the newest ones only.
     */
    void statistics(Set<HostId> hosts) throws IOException {
        List<Column<VmRow>> numbers = filter.numbers();
        if (numbers == null || hosts.isEmpty()) {
            return;
        }
        VmRow row = lists.row();
        List<Column<VmRow>> told = withId(numbers);
        for (HostId host : hosts) {
            List<VmReading> vms =
                    fleet.readingsOn(host).stream().filter(vm -> filter.tells(vm)).toList();
            if (vms.isEmpty()) {
                continue;
            }
            message(
                    "statistics",
                    null,
                    to -> {
                        to.writeStringProperty("hostId", host.toString());
                        to.writeArrayPropertyStart("vms");
                        JsonSink sink = new JsonSink(to, false);
                        for (VmReading vm : vms) {
                            sink.row(row.of(vm), told);
                        }
                        to.writeEndArray();
                    });
        }
        out.flush();
    }
}
