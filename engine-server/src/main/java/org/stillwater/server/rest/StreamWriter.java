package org.stillwater.server.rest;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.RuntimeField;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.feed.HostState;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes server-sent events (WHATWG HTML, section 9.2). JSON goes straight to the socket's buffer,
 * so that a snapshot of any size needs no more memory than that buffer. Used by one thread.
 */
final class StreamWriter {

    private static final int BUFFER_BYTES = 32 * 1024;
    private static final byte[] COMMENT = bytes(":\n\n");
    private static final byte[] END = bytes("\n\n");

    /** Which entities a reader wants. */
    enum Entities {
        ALL,
        VM,
        HOST,
        EVENT;

        static Entities of(String text) {
            return switch (text) {
                case "" -> ALL;
                case "vm" -> VM;
                case "host" -> HOST;
                case "event" -> EVENT;
                default -> throw ApiException.badRequest("entity must be vm, host or event");
            };
        }

        boolean vms() {
            return this == ALL || this == VM;
        }

        boolean hosts() {
            return this == ALL || this == HOST;
        }

        boolean events() {
            return this == ALL || this == EVENT;
        }
    }

    private final OutputStream out;
    private final ObjectWriter json;
    private final StreamIds ids;
    private final Entities entities;
    private final VmJson.Form form;
    private final int chunk;

    StreamWriter(
            OutputStream socket,
            JsonMapper mapper,
            StreamIds ids,
            Entities entities,
            VmJson.Form form,
            int chunk) {
        this.out = new BufferedOutputStream(socket, BUFFER_BYTES);
        this.json =
                mapper.writer()
                        .without(StreamWriteFeature.AUTO_CLOSE_TARGET)
                        .without(StreamWriteFeature.FLUSH_PASSED_TO_STREAM);
        this.ids = ids;
        this.entities = entities;
        this.form = form;
        this.chunk = chunk;
    }

    void retry(Duration pause) throws IOException {
        out.write(bytes("retry: " + pause.toMillis() + "\n\n"));
        out.flush();
    }

    void heartBeat() throws IOException {
        out.write(COMMENT);
        out.flush();
    }

    /** Everything that is known, in events of bounded size, and the revision it is as new as. */
    void snapshot(long revision, List<HostView> hosts, Iterator<VmView> vms) throws IOException {
        int hostCount = 0;
        int vmCount = 0;
        if (entities.hosts()) {
            Iterator<HostView> rest = hosts.iterator();
            while (rest.hasNext()) {
                hostCount += chunk("hosts", rest, (host, to) -> HostJson.write(to, host.state()));
            }
        }
        if (entities.vms()) {
            while (vms.hasNext()) {
                vmCount += chunk("vms", vms, (vm, to) -> VmJson.write(to, vm, form));
            }
        }
        begin("snapshot-end", revision);
        try (JsonGenerator to = json.createGenerator(out)) {
            to.writeStartObject();
            to.writeNumberProperty("revision", revision);
            to.writeNumberProperty("hosts", hostCount);
            to.writeNumberProperty("vms", vmCount);
            to.writeEndObject();
        }
        out.write(END);
        out.flush();
    }

    private interface Form<T> {
        void write(T value, JsonGenerator to);
    }

    private <T> int chunk(String name, Iterator<T> values, Form<T> each) throws IOException {
        int count = 0;
        begin("snapshot", null);
        try (JsonGenerator to = json.createGenerator(out)) {
            to.writeStartObject();
            to.writeArrayPropertyStart(name);
            while (values.hasNext() && count < chunk) {
                each.write(values.next(), to);
                count++;
            }
            to.writeEndArray();
            to.writeEndObject();
        }
        out.write(END);
        return count;
    }

    /** Changes in order, then one flush. */
    void deltas(List<Delta> deltas) throws IOException {
        for (Delta delta : deltas) {
            delta(delta);
        }
        out.flush();
    }

    private void delta(Delta delta) throws IOException {
        switch (delta) {
            case Delta.VmAdded added -> {
                if (entities.vms()) {
                    begin("delta", added.revision());
                    try (JsonGenerator to = open(added, "vm", "added", added.vmId().toString())) {
                        to.writeName("vm");
                        VmJson.write(to, added.vmId(), added.definition(), added.state(), form);
                        to.writeEndObject();
                    }
                    out.write(END);
                }
            }
            case Delta.VmChanged changed -> {
                if (entities.vms()
                        && (form == VmJson.Form.FULL || VmJson.showsInLightForm(changed))) {
                    begin("delta", changed.revision());
                    try (JsonGenerator to =
                            open(changed, "vm", "changed", changed.vmId().toString())) {
                        to.writeArrayPropertyStart("changed");
                        changed.changed().forEach(field -> name(to, field));
                        if (changed.placementChanged()) {
                            to.writeString("placement");
                        }
                        to.writeEndArray();
                        to.writeName("vm");
                        VmJson.writeChanged(to, changed, form);
                        to.writeEndObject();
                    }
                    out.write(END);
                }
            }
            case Delta.VmRemoved removed -> {
                if (entities.vms()) {
                    begin("delta", removed.revision());
                    try (JsonGenerator to =
                            open(removed, "vm", "removed", removed.vmId().toString())) {
                        to.writeEndObject();
                    }
                    out.write(END);
                }
            }
            case Delta.Audited audited -> {
                if (entities.events()) {
                    begin("audit", audited.revision());
                    try (JsonGenerator to = json.createGenerator(out)) {
                        to.writeStartObject();
                        to.writeNumberProperty("revision", audited.revision());
                        to.writeNumberProperty("observedNanos", audited.observedNanos());
                        to.writeName("entry");
                        AuditJson.write(to, audited.entry());
                        to.writeEndObject();
                    }
                    out.write(END);
                }
            }
            case Delta.HostAdded added -> host(added, "added", added.state());
            case Delta.HostChanged changed -> host(changed, "changed", changed.state());
            case Delta.HostRemoved removed -> hostRemoved(removed);
        }
    }

    private void host(Delta delta, String change, HostState state) throws IOException {
        if (entities.hosts()) {
            begin("delta", delta.revision());
            try (JsonGenerator to =
                    open(delta, "host", change, state.definition().id().toString())) {
                to.writeName("host");
                HostJson.write(to, state);
                to.writeEndObject();
            }
            out.write(END);
        }
    }

    private void hostRemoved(Delta.HostRemoved removed) throws IOException {
        if (entities.hosts()) {
            begin("delta", removed.revision());
            try (JsonGenerator to = open(removed, "host", "removed", removed.hostId().toString())) {
                to.writeEndObject();
            }
            out.write(END);
        }
    }

    private JsonGenerator open(Delta delta, String entity, String change, String id) {
        JsonGenerator to = json.createGenerator(out);
        to.writeStartObject();
        to.writeNumberProperty("revision", delta.revision());
        to.writeStringProperty("entity", entity);
        to.writeStringProperty("change", change);
        to.writeStringProperty("id", id);
        to.writeNumberProperty("observedNanos", delta.observedNanos());
        return to;
    }

    private static void name(JsonGenerator to, RuntimeField field) {
        to.writeString(FieldNames.of(field));
    }

    private void begin(String event, @Nullable Long revision) throws IOException {
        String id = revision == null ? "" : "\nid: " + ids.of(revision);
        out.write(bytes("event: " + event + id + "\ndata: "));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
