package org.stillwater.server.systemd;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/**
 * A line of the log as the journal takes it (systemd's native protocol): fields with names. Values
 * that the line names, such as {@code host={}}, are fields of their own. {@code MESSAGE_ID} is the
 * event: it is made of the logger and of the text without its values, or of the subject of a
 * repeated warning, so it stays while these do. Bounded. Stateless.
 */
final class JournalEntry {

    /** A datagram of 200 KiB fits the default buffer of a socket. */
    private static final int LONGEST_MESSAGE = 40_000;

    private static final int LONGEST_VALUE = 500;
    private static final int MOST_FIELDS = 16;
    private static final String OWN = "STILLWATER_";

    /** Key of the subject of a repeated warning; its text contains the number of repetitions. */
    private static final String EVENT = "event";

    /** A placeholder of the template, with its name if it has one. */
    private static final Pattern PLACEHOLDER =
            Pattern.compile("(?:\\b([a-zA-Z][a-zA-Z0-9]{0,30})=)?\\{}");

    /** A value that names itself, such as the owner of a complaint. */
    private static final Pattern NAMED_VALUE =
            Pattern.compile("([a-zA-Z][a-zA-Z0-9]{0,30})=(\\S+)");

    private JournalEntry() {}

    /** The datagram of a line. */
    static byte[] of(ILoggingEvent event) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("MESSAGE", bounded(message(event), LONGEST_MESSAGE));
        fields.put("PRIORITY", priority(event.getLevel()));
        fields.put("SYSLOG_IDENTIFIER", "stillwater");
        fields.put("MESSAGE_ID", id(event));
        fields.put(OWN + "LOGGER", bounded(event.getLoggerName(), LONGEST_VALUE));
        fields.put(OWN + "THREAD", bounded(event.getThreadName(), LONGEST_VALUE));
        addValues(event, fields);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        fields.forEach((name, value) -> append(bytes, name, value));
        return bytes.toByteArray();
    }

    private static String message(ILoggingEvent event) {
        IThrowableProxy failure = event.getThrowableProxy();
        String text = String.valueOf(event.getFormattedMessage());
        return failure == null ? text : text + "\n" + ThrowableProxyUtil.asString(failure);
    }

    /** As syslog has them. */
    private static String priority(Level level) {
        if (level.isGreaterOrEqual(Level.ERROR)) {
            return "3";
        }
        if (level.isGreaterOrEqual(Level.WARN)) {
            return "4";
        }
        return level.isGreaterOrEqual(Level.INFO) ? "6" : "7";
    }

    /** The event's id: 32 hexadecimal digits. */
    static String id(ILoggingEvent event) {
        String text = String.valueOf(event.getMessage());
        for (KeyValuePair pair : pairs(event)) {
            if (pair.key.equals(EVENT)) {
                text = String.valueOf(pair.value);
            }
        }
        String named = event.getLoggerName() + '\n' + text;
        return UUID.nameUUIDFromBytes(named.getBytes(StandardCharsets.UTF_8))
                .toString()
                .replace("-", "");
    }

    private static List<KeyValuePair> pairs(ILoggingEvent event) {
        return Objects.requireNonNullElse(event.getKeyValuePairs(), List.of());
    }

    private static void addValues(ILoggingEvent event, Map<String, String> fields) {
        @Nullable Object @Nullable [] values = event.getArgumentArray();
        Matcher template = PLACEHOLDER.matcher(String.valueOf(event.getMessage()));
        for (int at = 0; values != null && at < values.length && template.find(); at++) {
            String value = String.valueOf(values[at]);
            Matcher named = NAMED_VALUE.matcher(value);
            if (template.group(1) != null) {
                add(fields, template.group(1), value);
            } else if (named.matches()) {
                add(fields, named.group(1), named.group(2));
            }
        }
        pairs(event).forEach(pair -> add(fields, pair.key, String.valueOf(pair.value)));
    }

    private static void add(Map<String, String> fields, String name, String value) {
        String field = OWN + name.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
        if (fields.size() < MOST_FIELDS && field.length() <= 64) {
            fields.putIfAbsent(field, bounded(value, LONGEST_VALUE));
        }
    }

    private static String bounded(String text, int longest) {
        return text.length() > longest ? text.substring(0, longest) + "…" : text;
    }

    /** One line, or the name and the length before a value of several lines. */
    private static void append(ByteArrayOutputStream bytes, String name, String value) {
        byte[] text = value.getBytes(StandardCharsets.UTF_8);
        bytes.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
        if (value.indexOf('\n') < 0) {
            bytes.write('=');
        } else {
            bytes.write('\n');
            bytes.writeBytes(
                    ByteBuffer.allocate(Long.BYTES)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putLong(text.length)
                            .array());
        }
        bytes.writeBytes(text);
        bytes.write('\n');
    }
}
