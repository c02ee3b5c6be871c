package org.stillwater.xapi.host;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.text.SafeText;
import org.stillwater.xapi.client.XapiClass;
import org.stillwater.xapi.client.XapiRecord;

/**
 * The objects of a pool by class and reference, as the watch keeps them: they change with later
 * batches. Thread-safe.
 */
final class PoolObjects {

    static final XapiClass POOL = XapiClass.of("pool");
    static final XapiClass HOST = XapiClass.of("host");
    static final XapiClass HOST_METRICS = XapiClass.of("host_metrics");
    static final XapiClass VM = XapiClass.of("VM");
    static final XapiClass VM_METRICS = XapiClass.of("VM_metrics");
    static final XapiClass GUEST_METRICS = XapiClass.of("VM_guest_metrics");
    static final XapiClass VIF = XapiClass.of("VIF");
    static final XapiClass VBD = XapiClass.of("VBD");
    static final XapiClass VDI = XapiClass.of("VDI");
    static final XapiClass SR = XapiClass.of("SR");
    static final XapiClass PBD = XapiClass.of("PBD");
    static final XapiClass PIF = XapiClass.of("PIF");
    static final XapiClass PIF_METRICS = XapiClass.of("PIF_metrics");

    /** Tags of one object that are shown. */
    private static final int MOST_TAGS = 64;

    private static final int LONGEST_TAG = 200;

    /** {@code 20260821T02:00:23Z}, with or without a zone. */
    private static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder()
                    .appendPattern("yyyyMMdd'T'HH:mm:ss")
                    .optionalStart()
                    .appendOffset("+HH:mm", "Z")
                    .optionalEnd()
                    .parseDefaulting(ChronoField.OFFSET_SECONDS, 0)
                    .toFormatter(java.util.Locale.ROOT);

    /** The same with a zone, digits as zeros. */
    private static final String USUAL = "00000000T00:00:00Z";

    private final Map<XapiClass, Map<String, XapiRecord>> all;

    PoolObjects(Map<XapiClass, Map<String, XapiRecord>> all) {
        this.all = all;
    }

    /** All objects of a class by reference. */
    Map<String, XapiRecord> of(XapiClass type) {
        return all.getOrDefault(type, Map.of());
    }

    /** The object, or null if it is not there, or not yet. */
    @Nullable XapiRecord find(XapiClass type, @Nullable String ref) {
        return ref == null ? null : of(type).get(ref);
    }

    /** The tags of a VM or host, sorted, each once; as many as are shown. */
    static List<String> tags(XapiRecord record) {
        List<String> tags = record.list("tags");
        return tags.isEmpty()
                ? List.of()
                : tags.stream()
                        .map(tag -> SafeText.of(tag, LONGEST_TAG).strip())
                        .filter(tag -> !tag.isEmpty())
                        .distinct()
                        .sorted()
                        .limit(MOST_TAGS)
                        .toList();
    }

    /**
     * A time in the form of today's servers, which every VM has; null for any other text, which the
     * formatter reads at ten times the cost.
     */
    private static @Nullable Instant usualTime(String text) {
        if (text.length() != USUAL.length()) {
            return null;
        }
        for (int i = 0; i < USUAL.length(); i++) {
            boolean digit = text.charAt(i) >= '0' && text.charAt(i) <= '9';
            boolean isRight = USUAL.charAt(i) == '0' ? digit : text.charAt(i) == USUAL.charAt(i);
            if (!isRight) {
                return null;
            }
        }
        try {
            return LocalDateTime.of(
                            Integer.parseInt(text, 0, 4, 10),
                            Integer.parseInt(text, 4, 6, 10),
                            Integer.parseInt(text, 6, 8, 10),
                            Integer.parseInt(text, 9, 11, 10),
                            Integer.parseInt(text, 12, 14, 10),
                            Integer.parseInt(text, 15, 17, 10))
                    .toInstant(ZoneOffset.UTC);
        } catch (DateTimeException _) {
            return null; // the 31st of June, for instance
        }
    }

    /**
     * A time; null for none, which XAPI writes as the beginning of 1970, and for a text that is no
     * time.
     */
    static @Nullable Instant time(String text) {
        try {
            Instant usual = usualTime(text);
            Instant time = usual == null ? OffsetDateTime.parse(text, TIME).toInstant() : usual;
            return time.atOffset(ZoneOffset.UTC).getYear() <= 1970 ? null : time;
        } catch (DateTimeException _) {
            return null;
        }
    }
}
