package org.stillwater.core.audit;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.text.SafeText;

/**
 * One line of the audit log: one event. Names and text stay as recorded, also after a rename or
 * removal.
 *
 * @param id grows with every entry of one life of the engine, and over its lives; with the time it
 *     is the entry's key
 * @param at when it was recorded, to the microsecond, as the database keeps it
 * @param event the event
 * @param vmId the VM it is about, null for none
 * @param vmName the VM's name at that time, null for none or unknown
 * @param hostId the host it is about, null for none
 * @param hostName the host's name at that time, null for none or unknown
 * @param details values of the event's text, by name; values from hosts and guests are bounded and
 *     on one line
 * @param text the event's text with its values
 */
public record AuditEntry(
        long id,
        Instant at,
        AuditEvent event,
        @Nullable VmId vmId,
        @Nullable String vmName,
        @Nullable HostId hostId,
        @Nullable String hostName,
        Map<String, String> details,
        String text) {

    /** The detail with the name that the requester gave. */
    public static final String CORRELATION = "correlation";

    /** Longest value of a detail, in characters; a longer one is cut. */
    public static final int LONGEST_VALUE = 1_000;

    public AuditEntry {
        at = at.truncatedTo(ChronoUnit.MICROS);
        details = Map.copyOf(onOneLine(details));
    }

    /** A new entry, its text made from the event's template. */
    public static AuditEntry of(
            long id,
            Instant at,
            AuditEvent event,
            @Nullable VmId vmId,
            @Nullable String vmName,
            @Nullable HostId hostId,
            @Nullable String hostName,
            Map<String, String> details) {
        Map<String, String> values = onOneLine(details);
        values.put("vm", named(vmName, vmId));
        values.put("host", named(hostName, hostId));
        return new AuditEntry(
                id, at, event, vmId, vmName, hostId, hostName, details, event.text(values));
    }

    private static String named(@Nullable String name, @Nullable Object id) {
        return name != null ? onOneLine(name) : id != null ? id.toString() : "(unknown)";
    }

    private static Map<String, String> onOneLine(Map<String, String> details) {
        Map<String, String> values = HashMap.newHashMap(details.size() + 2);
        details.forEach((name, value) -> values.put(name, onOneLine(value)));
        return values;
    }

    /**
     * Cleans text from outside: on one line, without characters that forge or hide, of bounded
     * length.
     */
    private static String onOneLine(String value) {
        return SafeText.of(value.replace('\0', ' '), LONGEST_VALUE);
    }

    /** Position of the entry in the log. */
    public Position position() {
        return new Position(at, id);
    }

    /**
     * A position in the log; older ones come first.
     *
     * @param at time, to the microsecond
     * @param id distinguishes entries of one moment
     */
    public record Position(Instant at, long id) implements Comparable<Position> {

        private static final Comparator<Position> ORDER =
                Comparator.comparing(Position::at).thenComparingLong(Position::id);

        @Override
        public int compareTo(Position other) {
            return ORDER.compare(this, other);
        }
    }
}
