package org.stillwater.vdsm.client.recording;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.id.HostId;
import org.stillwater.vdsm.client.RequestFields;
import org.stillwater.vdsm.client.WireTap;
import org.stillwater.vdsm.jsonrpc.Json;
import org.stillwater.vdsm.stomp.FrameBody;
import org.stillwater.vdsm.wire.Verb;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;

/**
 * Writes a recording, one line of JSON for each message, until a bound is reached, the file fails,
 * or {@link #end} is called. Thread-safe: the hosts of a recording wait for each other while their
 * messages are written.
 */
public final class RecordingWriter implements WireTap, AutoCloseable {

    /** Version of the format. */
    static final int VERSION = 1;

    private static final long NANOS_PER_MICRO = 1_000;

    /** Verbs with recorded answers; answers to orders do not enter the analysis. */
    private static final Set<String> RECORDED =
            Set.of(
                    Verb.GET_CAPABILITIES,
                    Verb.GET_HARDWARE_INFO,
                    Verb.GET_STATS,
                    Verb.GET_ALL_VM_STATS,
                    Verb.DUMPXMLS);

    private static final Set<String> READINGS =
            Set.of(Verb.VM_GET_EXTERNAL_DATA, Verb.GET_JOBS, Verb.PING2, Verb.GET_SPM_STATUS);

    private final OutputStream out;
    private final Limits limits;
    private final long startNanos;
    private final Function<UUID, @Nullable RecordedVm> known;
    private final Consumer<String> ended;
    private final Pseudonyms pseudonyms;
    private final Map<String, UUID> hostsByAddress = new HashMap<>();
    private final Set<UUID> hosts = new HashSet<>();
    private final Set<String> vms = new HashSet<>();
    private long bytes;
    private long lines;
    private long lastMicros;
    private boolean closed;

    /**
     * Bounds of a recording.
     *
     * @param bytes of the file
     * @param texts different texts that are replaced; memory is some 200 bytes for each
     */
    public record Limits(long bytes, int texts) {}

    /**
     * Writes the head of a recording.
     *
     * @param out takes the lines; closed at the end
     * @param startNanos when it begins, by the engine's monotonic clock
     * @param engine version of the engine, for the reader
     * @param intervalMillis time between two statistics cycles of a host
     * @param known the VMs that the engine knows, by identity
     * @param ended receives, once, the reason of the recording's end
     * @throws IOException if the head cannot be written
     */
    public RecordingWriter(
            OutputStream out,
            Limits limits,
            long startNanos,
            String engine,
            long intervalMillis,
            List<RecordedHost> recorded,
            Function<UUID, @Nullable RecordedVm> known,
            Consumer<String> ended)
            throws IOException {
        this.out = out;
        this.limits = limits;
        this.startNanos = startNanos;
        this.known = known;
        this.ended = ended;
        this.pseudonyms = new Pseudonyms(limits.texts());
        write(json -> {
            json.writeStringProperty("kind", "recording");
            json.writeNumberProperty("version", VERSION);
            json.writeStringProperty("engine", engine);
            json.writeNumberProperty("intervalMillis", intervalMillis);
        });
        for (RecordedHost host : recorded) {
            hosts.add(host.id());
            hostsByAddress.put(host.address(), host.id());
            write(json -> {
                json.writeStringProperty("kind", "host");
                json.writeStringProperty("host", id(host.id()));
                json.writeStringProperty("name", pseudonyms.name("host", host.name()));
                json.writeStringProperty("address", address(host.address()));
                json.writeNumberProperty("status", host.status().code());
                json.writeBooleanProperty("connected", host.connected());
            });
        }
    }

    private String address(String address) {
        String shaped = pseudonyms.said(address);
        return shaped.startsWith("text-") ? shaped + ".example.org" : shaped;
    }

    /** Writes the engine's knowledge of a VM at the beginning. */
    public synchronized void vm(RecordedVm vm) {
        guarded(() -> {
            if (vms.add(vm.id().toString())) {
                vmLine(vm);
            }
        });
    }

    private void vmLine(RecordedVm vm) throws IOException {
        write(json -> {
            json.writeStringProperty("kind", "vm");
            json.writeStringProperty("vm", id(vm.id()));
            json.writeStringProperty("name", pseudonyms.name("vm", vm.name()));
            json.writeBooleanProperty("found", vm.found());
            json.writeBooleanProperty("highlyAvailable", vm.highlyAvailable());
            json.writeBooleanProperty("leased", vm.leased());
            json.writeNumberProperty("memoryMebibytes", vm.memoryMebibytes());
            json.writeNumberProperty("cpus", vm.cpus());
            json.writeNumberProperty("status", vm.status().code());
            optional(json, "on", recordedHost(vm.host()));
            optional(json, "migratingTo", recordedHost(vm.target()));
        });
    }

    private @Nullable UUID recordedHost(@Nullable UUID host) {
        return host != null && hosts.contains(host) ? host : null;
    }

    private void optional(JsonGenerator json, String member, @Nullable UUID value) {
        if (value != null) {
            json.writeStringProperty(member, id(value));
        }
    }

    private String id(UUID id) {
        return pseudonyms.id(id).toString();
    }

    @Override
    public synchronized void connected(HostId host, long nanos) {
        line("connected", host, nanos, _ -> {});
    }

    @Override
    public synchronized void disconnected(HostId host, long nanos, HostFailure failure) {
        line("disconnected", host, nanos, json -> Failures.write(json, failure));
    }

    @Override
    public synchronized void called(HostId host, long nanos, String verb, byte[] request) {
        if (closed || RECORDED.contains(verb) || READINGS.contains(verb)) {
            return;
        }
        RequestFields parameters = RequestFields.of(request);
        guarded(() -> {
            String vm = parameters.vm();
            if (vm != null) {
                mention(vm);
            }
            UUID target = target(parameters.destination());
            line(
                    "ordered",
                    host,
                    nanos,
                    json -> {
                        json.writeStringProperty("verb", verb);
                        if (vm != null) {
                            json.writeStringProperty("vm", pseudonyms.text(vm));
                        }
                        optional(json, "target", target);
                    });
        });
    }

    /** The target host of a migration; its address may have a port. */
    private @Nullable UUID target(@Nullable String destination) {
        if (destination == null) {
            return null;
        }
        UUID whole = hostsByAddress.get(destination);
        int colon = destination.lastIndexOf(':');
        return whole != null || colon < 0
                ? whole
                : hostsByAddress.get(destination.substring(0, colon));
    }

    @Override
    public synchronized void answered(
            HostId host, long sentNanos, long receivedNanos, String verb, FrameBody message) {
        if (closed || !RECORDED.contains(verb)) {
            return;
        }
        message(
                "answered",
                host,
                receivedNanos,
                message,
                json -> {
                    json.writeStringProperty("verb", verb);
                    json.writeNumberProperty("sent", (sentNanos - startNanos) / NANOS_PER_MICRO);
                });
    }

    @Override
    public synchronized void failed(HostId host, long nanos, String verb, HostFailure failure) {
        if (RECORDED.contains(verb)) {
            line(
                    "failed",
                    host,
                    nanos,
                    json -> {
                        json.writeStringProperty("verb", verb);
                        Failures.write(json, failure);
                    });
        }
    }

    @Override
    public synchronized void event(HostId host, long receivedNanos, FrameBody message) {
        if (!closed) {
            message("event", host, receivedNanos, message, _ -> {});
        }
    }

    @Override
    public synchronized void malformed(HostId host, long receivedNanos) {
        line("malformed", host, receivedNanos, _ -> {});
    }

    /** A message that breaks in the middle is recorded as malformed. */
    private void message(
            String kind,
            HostId host,
            long nanos,
            FrameBody message,
            Consumer<JsonGenerator> members) {
        guarded(() -> {
            long at = micros(nanos);
            Set<String> mentioned = new HashSet<>();
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            boolean whole = true;
            try (JsonGenerator json = generator(line);
                    JsonParser parser =
                            Json.FACTORY.createParser(
                                    ObjectReadContext.empty(), message.openStream())) {
                json.writeStartObject();
                head(json, kind, host, at);
                members.accept(json);
                json.writeName("message");
                parser.nextToken();
                new MessageCopy(pseudonyms, mentioned::add).copy(parser, json);
                json.writeEndObject();
            } catch (JacksonException broken) {
                whole = false;
            }
            if (!whole) {
                line("malformed", host, nanos, _ -> {});
                return;
            }
            for (String vm : mentioned) {
                mention(vm);
            }
            emit(line);
        });
    }

    private void mention(String vm) throws IOException {
        String key = vm.toLowerCase(Locale.ROOT);
        if (vms.contains(key)) {
            return;
        }
        RecordedVm found;
        try {
            found = known.apply(UUID.fromString(key));
        } catch (IllegalArgumentException notAUuid) {
            return;
        }
        if (found != null && vms.add(key)) {
            vmLine(found.stopped());
        }
    }

    private void line(String kind, HostId host, long nanos, Consumer<JsonGenerator> members) {
        guarded(() -> {
            long at = micros(nanos);
            write(json -> {
                head(json, kind, host, at);
                members.accept(json);
            });
        });
    }

    private void head(JsonGenerator json, String kind, HostId host, long at) {
        json.writeStringProperty("kind", kind);
        json.writeNumberProperty("at", at);
        json.writeStringProperty("host", id(host.value()));
    }

    /** Lines of several threads are in the order of their times. */
    private long micros(long nanos) {
        lastMicros = Math.max(lastMicros, (nanos - startNanos) / NANOS_PER_MICRO);
        return lastMicros;
    }

    private void write(Consumer<JsonGenerator> members) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        try (JsonGenerator json = generator(line)) {
            json.writeStartObject();
            members.accept(json);
            json.writeEndObject();
        }
        emit(line);
    }

    private static JsonGenerator generator(ByteArrayOutputStream line) {
        return Json.FACTORY.createGenerator(ObjectWriteContext.empty(), line);
    }

    private void emit(ByteArrayOutputStream line) throws IOException {
        if (closed) {
            return;
        }
        line.write('\n');
        if (bytes + line.size() > limits.bytes()) {
            finish("size");
        } else if (pseudonyms.isFull()) {
            finish("texts");
        } else {
            line.writeTo(out);
            bytes += line.size();
            lines++;
        }
    }

    /** A file that fails ends the recording and nothing else. */
    private void guarded(Step step) {
        if (closed) {
            return;
        }
        try {
            step.run();
        } catch (IOException failed) {
            finish("file: " + failed.getMessage());
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException;
    }

    /** Bytes written so far. */
    public synchronized long bytes() {
        return bytes;
    }

    /** Lines written so far. */
    public synchronized long lines() {
        return lines;
    }

    /**
     * Ends the recording.
     *
     * @param reason a word: {@code time} or {@code stopped}
     */
    public synchronized void end(String reason) {
        if (!closed) {
            finish(reason);
        }
    }

    private void finish(String reason) {
        closed = true;
        try {
            out.close();
        } catch (IOException failed) {
            ended.accept("file: " + failed.getMessage());
            return;
        }
        ended.accept(reason);
    }

    @Override
    public void close() {
        end("stopped");
    }
}
