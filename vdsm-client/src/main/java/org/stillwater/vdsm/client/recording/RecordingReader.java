package org.stillwater.vdsm.client.recording;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.vdsm.jsonrpc.Json;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;

/** Reads a recording as a whole. */
public final class RecordingReader {

    /** A recording is written within this bound, and a file beyond it is none. */
    private static final int MOST_LINES = 20_000_000;

    private RecordingReader() {}

    /**
     * A recording.
     *
     * @param engine version of the engine that wrote it
     * @param intervalMillis time between two statistics cycles of a host
     * @param hosts the recorded hosts
     * @param vms the VMs that they report, as the engine knew them first
     * @param lines the recorded events, in their order
     */
    public record Recording(
            String engine,
            long intervalMillis,
            List<RecordedHost> hosts,
            List<RecordedVm> vms,
            List<Recorded> lines) {
        public Recording {
            hosts = List.copyOf(hosts);
            vms = List.copyOf(vms);
            lines = List.copyOf(lines);
        }
    }

    /** A text that is no recording that this version reads. */
    public static final class NoRecording extends Exception {
        private static final long serialVersionUID = 1L;

        NoRecording(String message) {
            super(message);
        }
    }

    /** Whether a file that begins with this line claims to be a recording. */
    public static boolean isHead(String line) {
        return line.startsWith("{\"kind\":\"recording\"");
    }

    /**
     * Reads a recording.
     *
     * @throws NoRecording with the line that is wrong
     */
    public static Recording read(Reader text) throws IOException, NoRecording {
        BufferedReader lines = new BufferedReader(text);
        String head = lines.readLine();
        if (head == null || !isHead(head)) {
            throw new NoRecording("this is no recording: it begins with another line");
        }
        Line first = line(head, 1);
        if (first.number("version", 0) != RecordingWriter.VERSION) {
            throw new NoRecording(
                    "this recording has version "
                            + first.number("version", 0)
                            + "; this program reads version "
                            + RecordingWriter.VERSION);
        }
        List<RecordedHost> hosts = new ArrayList<>();
        List<RecordedVm> vms = new ArrayList<>();
        List<Recorded> entries = new ArrayList<>();
        int number = 1;
        for (String next = lines.readLine(); next != null; next = lines.readLine()) {
            number++;
            if (number > MOST_LINES) {
                throw new NoRecording("it has more than " + MOST_LINES + " lines");
            }
            Line line = line(next, number);
            switch (line.text("kind")) {
                case "host" ->
                        hosts.add(
                                new RecordedHost(
                                        line.id("host"),
                                        line.text("name"),
                                        line.text("address"),
                                        HostStatus.ofCode((int) line.number("status", -1)),
                                        line.truth("connected")));
                case "vm" -> vms.add(vm(line));
                default -> entries.add(entry(line, number));
            }
        }
        return new Recording(
                first.text("engine"),
                Math.max(1, first.number("intervalMillis", 15_000)),
                hosts,
                vms,
                entries);
    }

    private static RecordedVm vm(Line line) throws NoRecording {
        return new RecordedVm(
                line.id("vm"),
                line.text("name"),
                line.truth("found"),
                line.truth("highlyAvailable"),
                line.truth("leased"),
                (int) line.number("memoryMebibytes", 0),
                (int) line.number("cpus", 1),
                VmStatus.ofCode((int) line.number("status", 0)),
                line.idOrNull("on"),
                line.idOrNull("migratingTo"));
    }

    private static Recorded entry(Line line, int number) throws NoRecording {
        long at = line.number("at", 0);
        UUID host = line.id("host");
        String kind = line.text("kind");
        return switch (kind) {
            case "connected" -> new Recorded.Connected(at, host);
            case "disconnected" -> new Recorded.Disconnected(at, host, line.failure());
            case "ordered" ->
                    new Recorded.Ordered(
                            at,
                            host,
                            line.text("verb"),
                            line.idOrNull("vm"),
                            line.idOrNull("target"));
            case "answered" ->
                    new Recorded.Answered(
                            at, host, line.text("verb"), line.number("sent", at), line.message());
            case "failed" -> new Recorded.Failed(at, host, line.text("verb"), line.failure());
            case "event" -> new Recorded.Event(at, host, line.message());
            case "malformed" -> new Recorded.Malformed(at, host);
            default -> throw new NoRecording("line " + number + ": unknown kind " + kind);
        };
    }

    private static Line line(String text, int number) throws NoRecording {
        Map<String, String> members = new HashMap<>();
        byte[] message = new byte[0];
        try (JsonParser p = Json.FACTORY.createParser(ObjectReadContext.empty(), text)) {
            if (p.nextToken() != JsonToken.START_OBJECT) {
                throw new NoRecording("line " + number + " is no JSON object");
            }
            while (p.nextToken() == JsonToken.PROPERTY_NAME) {
                String member = p.currentName();
                p.nextToken();
                if (member.equals("message")) {
                    ByteArrayOutputStream copy = new ByteArrayOutputStream();
                    try (JsonGenerator out =
                            Json.FACTORY.createGenerator(ObjectWriteContext.empty(), copy)) {
                        out.copyCurrentStructure(p);
                    }
                    message = copy.toByteArray();
                } else if (p.currentToken().isScalarValue()) {
                    members.put(member, p.getString());
                } else {
                    p.skipChildren();
                }
            }
        } catch (JacksonException notJson) {
            throw new NoRecording("line " + number + ": " + notJson.getOriginalMessage());
        }
        return new Line(number, members, message);
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Line(int number, Map<String, String> members, byte[] message) {

        String text(String member) throws NoRecording {
            String value = members.get(member);
            if (value == null) {
                throw new NoRecording("line " + number + " has no " + member);
            }
            return value;
        }

        long number(String member, long otherwise) throws NoRecording {
            String value = members.get(member);
            try {
                return value == null ? otherwise : Long.parseLong(value);
            } catch (NumberFormatException e) {
                throw new NoRecording("line " + number + ": " + member + " is no number");
            }
        }

        boolean truth(String member) {
            return Boolean.parseBoolean(members.get(member));
        }

        UUID id(String member) throws NoRecording {
            try {
                return UUID.fromString(text(member));
            } catch (IllegalArgumentException e) {
                throw new NoRecording("line " + number + ": " + member + " is no UUID");
            }
        }

        @Nullable UUID idOrNull(String member) throws NoRecording {
            return members.containsKey(member) ? id(member) : null;
        }

        HostFailure failure() throws NoRecording {
            return Failures.read(
                    text("failure"),
                    members.getOrDefault("verb", "a call"),
                    number("afterMillis", 0),
                    (int) number("code", 0));
        }
    }
}
