package org.stillwater.fake.net;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A fault as it is ordered: kind, place, count and time. Immutable; {@link #of} and the {@code
 * with…} methods build one in code, {@link #fromJson} on the control port.
 *
 * <pre>{@code
 * {"kind": "latency", "host": "host-00*", "verb": "Host.getStats", "connection": 7,
 *  "probability": 0.5, "count": 10, "afterMillis": 0, "durationMillis": 60000,
 *  "delayMillis": 200, "maxDelayMillis": 900}
 * }</pre>
 *
 * Only {@code kind} is required. {@code host} and {@code verb} are globs ({@code *} and {@code ?});
 * {@code verb} is matched with the verb of a request or its answer, the name of an event ({@code
 * |virt|VM_status|<id>}), or the command of any other frame ({@code CONNECTED}).
 *
 * <p>It is long because it has every kind of fault, with its reading, its checks and its text.
 *
 * @param kind kind of the fault
 * @param host glob of host names
 * @param verb glob of verbs, event names or STOMP commands
 * @param connection number of one connection; {@code null} for all
 * @param probability chance to strike at each opportunity, 0…1
 * @param count how often it strikes before it is used up; {@code null} for any number
 * @param after time from being added to being in force
 * @param duration time in force; {@code null} until removed
 * @param delay delay, or the smallest one
 * @param maxDelay the largest delay, evenly spread; equal to {@code delay} for a fixed one
 * @param code error code of {@link FaultKind#ERROR_CODE}
 * @param message text of {@link FaultKind#ERROR_CODE} and {@link FaultKind#ERROR_FRAME}
 * @param bytes a size; its meaning and default are the kind's
 * @param perSecond a rate in bytes or events
 * @param vm the VM of an {@link FaultKind#EVENT_STORM}
 * @param field member name for data faults
 * @param at position at which {@link FaultKind#DROP} cuts
 * @param close how {@link FaultKind#DROP} ends the connection
 * @param certificate the certificate that {@link FaultKind#BAD_CERTIFICATE} shows
 */
public record FaultSpec(
        FaultKind kind,
        String host,
        String verb,
        @Nullable Long connection,
        double probability,
        @Nullable Integer count,
        Duration after,
        @Nullable Duration duration,
        Duration delay,
        Duration maxDelay,
        int code,
        String message,
        @Nullable Integer bytes,
        int perSecond,
        @Nullable String vm,
        @Nullable String field,
        Cut at,
        HostTransport.Drop close,
        BadCertificate certificate) {

    /** The position of a cut, relative to a frame. */
    public enum Cut {
        /** Before its first byte. */
        BEFORE,
        /** In its middle. */
        WITHIN,
        /** After its last byte. */
        AFTER
    }

    /** Ways in which a host certificate is bad. */
    public enum BadCertificate {
        /** Its time is over. */
        EXPIRED,
        /** Its time has not come. */
        NOT_YET_VALID,
        /** Another CA signed it. */
        WRONG_CA,
        /** It is made out to another host. */
        WRONG_NAME
    }

    /** A storm ends by itself. */
    private static final Duration STORM = Duration.ofSeconds(10);

    private static final Set<String> MEMBERS =
            Set.of(
                    "kind",
                    "host",
                    "verb",
                    "connection",
                    "probability",
                    "count",
                    "afterMillis",
                    "durationMillis",
                    "delayMillis",
                    "maxDelayMillis",
                    "code",
                    "message",
                    "bytes",
                    "perSecond",
                    "vm",
                    "field",
                    "at",
                    "close",
                    "certificate");

    /** Checks ranges. */
    public FaultSpec {
        require(probability >= 0 && probability <= 1, "probability must be between 0 and 1");
        require(count == null || count > 0, "count must be positive");
        require(!after.isNegative(), "afterMillis must not be negative");
        require(duration == null || duration.isPositive(), "durationMillis must be positive");
        require(!delay.isNegative(), "delayMillis must not be negative");
        require(maxDelay.compareTo(delay) >= 0, "maxDelayMillis must not be below delayMillis");
        require(bytes == null || bytes > 0, "bytes must be positive");
        require(perSecond > 0, "perSecond must be positive");
    }

    /** A fault of this kind everywhere, always, until removed. */
    public static FaultSpec of(FaultKind kind) {
        Duration delay =
                switch (kind) {
                    case LATENCY, LATE_ANSWER, LATE_EVENT, REORDERED_EVENT, LATE_HEART_BEATS ->
                            Duration.ofSeconds(1);
                    case NOTIFY_TIME_BACKWARD -> Duration.ofMinutes(1);
                    case COALESCE -> Duration.ofMillis(200);
                    default -> Duration.ZERO;
                };
        return new FaultSpec(
                kind,
                "*",
                "*",
                null,
                1.0,
                null,
                Duration.ZERO,
                kind == FaultKind.EVENT_STORM ? STORM : null,
                delay,
                delay,
                16,
                "Unexpected exception",
                null,
                kind == FaultKind.EVENT_STORM ? 100 : 1024,
                null,
                null,
                Cut.BEFORE,
                HostTransport.Drop.FIN,
                BadCertificate.EXPIRED);
    }

    /**
     * Reads a fault from the control port.
     *
     * @throws IllegalArgumentException if a member is unknown, missing or out of range; the message
     *     suits the user
     */
    public static FaultSpec fromJson(JsonNode json) {
        require(json.isObject(), "a fault is a JSON object");
        for (String member : new TreeSet<>(json.propertyNames())) {
            require(
                    MEMBERS.contains(member),
                    "unknown member '" + member + "'; known are " + new TreeSet<>(MEMBERS));
        }
        String kind = text(json, "kind").orElse(null);
        if (kind == null) {
            throw new IllegalArgumentException("member 'kind' is missing");
        }
        FaultSpec plain = of(FaultKind.ofCode(kind));
        Duration delay = millis(json, "delayMillis").orElse(plain.delay);
        Duration maxDelay =
                millis(json, "maxDelayMillis")
                        .orElse(
                                delay.compareTo(plain.maxDelay) > 0 || json.has("delayMillis")
                                        ? delay
                                        : plain.maxDelay);
        return new FaultSpec(
                plain.kind,
                text(json, "host").orElse(plain.host),
                text(json, "verb").orElse(plain.verb),
                integer(json, "connection").orElse(null),
                probability(json),
                integer(json, "count").map(Math::toIntExact).orElse(null),
                millis(json, "afterMillis").orElse(plain.after),
                millis(json, "durationMillis").orElse(plain.duration),
                delay,
                maxDelay,
                integer(json, "code").map(Math::toIntExact).orElse(plain.code),
                text(json, "message").orElse(plain.message),
                integer(json, "bytes").map(Math::toIntExact).orElse(null),
                integer(json, "perSecond").map(Math::toIntExact).orElse(plain.perSecond),
                text(json, "vm").orElse(null),
                text(json, "field").orElse(null),
                choice(json, "at", Cut.class).orElse(plain.at),
                choice(json, "close", HostTransport.Drop.class).orElse(plain.close),
                choice(json, "certificate", BadCertificate.class).orElse(plain.certificate));
    }

    /** Shows the fault as {@link #fromJson} reads it, members at their default left out. */
    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        FaultSpec plain = of(kind);
        json.put("kind", kind.code());
        json.put("host", host);
        json.put("verb", verb);
        if (connection != null) {
            json.put("connection", connection);
        }
        if (probability != plain.probability) {
            json.put("probability", probability);
        }
        if (count != null) {
            json.put("count", count);
        }
        if (!after.isZero()) {
            json.put("afterMillis", after.toMillis());
        }
        if (duration != null) {
            json.put("durationMillis", duration.toMillis());
        }
        if (!delay.isZero()) {
            json.put("delayMillis", delay.toMillis());
        }
        if (!maxDelay.equals(delay)) {
            json.put("maxDelayMillis", maxDelay.toMillis());
        }
        if (kind == FaultKind.ERROR_CODE) {
            json.put("code", code);
        }
        if (kind == FaultKind.ERROR_CODE || kind == FaultKind.ERROR_FRAME) {
            json.put("message", message);
        }
        if (bytes != null) {
            json.put("bytes", bytes);
        }
        if (kind == FaultKind.EVENT_STORM
                || kind == FaultKind.SLOW_CONSUMER
                || kind == FaultKind.SLOW_PRODUCER) {
            json.put("perSecond", perSecond);
        }
        if (vm != null) {
            json.put("vm", vm);
        }
        if (field != null) {
            json.put("field", field);
        }
        if (kind == FaultKind.DROP) {
            json.put("at", code(at));
            json.put("close", code(close));
        }
        if (kind == FaultKind.BAD_CERTIFICATE) {
            json.put("certificate", code(certificate));
        }
        return json;
    }

    /** The same fault for hosts with names that match this glob. */
    public FaultSpec withHost(String glob) {
        return with(draft -> draft.host = glob);
    }

    /** The same fault for verbs, events or commands that match this glob. */
    public FaultSpec withVerb(String glob) {
        return with(draft -> draft.verb = glob);
    }

    /** The same fault for one connection. */
    public FaultSpec withConnection(long id) {
        return with(draft -> draft.connection = id);
    }

    /** The same fault with this chance at each opportunity. */
    public FaultSpec withProbability(double chance) {
        return with(draft -> draft.probability = chance);
    }

    /** The same fault, this number of times. */
    public FaultSpec withCount(int times) {
        return with(draft -> draft.count = times);
    }

    /** The same fault in a window of time that opens after this delay. */
    public FaultSpec withWindow(Duration opens, Duration length) {
        return with(draft -> {
            draft.after = opens;
            draft.duration = length;
        });
    }

    /** The same fault with a delay between these two. */
    public FaultSpec withDelay(Duration least, Duration most) {
        return with(draft -> {
            draft.delay = least;
            draft.maxDelay = most;
        });
    }

    /** The same fault with this error. */
    public FaultSpec withError(int errorCode, String text) {
        return with(draft -> {
            draft.code = errorCode;
            draft.message = text;
        });
    }

    /** The same fault with this size. */
    public FaultSpec withBytes(int size) {
        return with(draft -> draft.bytes = size);
    }

    /** The same fault with this rate. */
    public FaultSpec withPerSecond(int rate) {
        return with(draft -> draft.perSecond = rate);
    }

    /** The same fault for events of this VM. */
    public FaultSpec withVm(String id) {
        return with(draft -> draft.vm = id);
    }

    /** The same fault for members of this name. */
    public FaultSpec withField(String name) {
        return with(draft -> draft.field = name);
    }

    /** The same fault, cutting here and so. */
    public FaultSpec withCut(Cut where, HostTransport.Drop how) {
        return with(draft -> {
            draft.at = where;
            draft.close = how;
        });
    }

    /** The same fault with this certificate. */
    public FaultSpec withCertificate(BadCertificate bad) {
        return with(draft -> draft.certificate = bad);
    }

    private FaultSpec with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.fault();
    }

    /** The members of a fault while one or two of them change. */
    private static final class Draft {

        private final FaultKind kind;
        private String host;
        private String verb;
        private @Nullable Long connection;
        private double probability;
        private @Nullable Integer count;
        private Duration after;
        private @Nullable Duration duration;
        private Duration delay;
        private Duration maxDelay;
        private int code;
        private String message;
        private @Nullable Integer bytes;
        private int perSecond;
        private @Nullable String vm;
        private @Nullable String field;
        private Cut at;
        private HostTransport.Drop close;
        private BadCertificate certificate;

        Draft(FaultSpec of) {
            this.kind = of.kind;
            this.host = of.host;
            this.verb = of.verb;
            this.connection = of.connection;
            this.probability = of.probability;
            this.count = of.count;
            this.after = of.after;
            this.duration = of.duration;
            this.delay = of.delay;
            this.maxDelay = of.maxDelay;
            this.code = of.code;
            this.message = of.message;
            this.bytes = of.bytes;
            this.perSecond = of.perSecond;
            this.vm = of.vm;
            this.field = of.field;
            this.at = of.at;
            this.close = of.close;
            this.certificate = of.certificate;
        }

        FaultSpec fault() {
            return new FaultSpec(
                    kind,
                    host,
                    verb,
                    connection,
                    probability,
                    count,
                    after,
                    duration,
                    delay,
                    maxDelay,
                    code,
                    message,
                    bytes,
                    perSecond,
                    vm,
                    field,
                    at,
                    close,
                    certificate);
        }
    }

    private static String code(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Optional<String> text(JsonNode json, String member) {
        JsonNode node = json.get(member);
        if (node == null || node.isNull()) {
            return Optional.empty();
        }
        require(node.isString(), "member '" + member + "' must be a string");
        return Optional.of(node.stringValue());
    }

    private static Optional<Long> integer(JsonNode json, String member) {
        JsonNode node = json.get(member);
        if (node == null || node.isNull()) {
            return Optional.empty();
        }
        require(
                node.isIntegralNumber() && node.canConvertToInt(),
                "member '" + member + "' must be an integer");
        return Optional.of(node.longValue());
    }

    private static Optional<Duration> millis(JsonNode json, String member) {
        return integer(json, member).map(Duration::ofMillis);
    }

    private static double probability(JsonNode json) {
        JsonNode node = json.get("probability");
        if (node == null || node.isNull()) {
            return 1.0;
        }
        require(node.isNumber(), "member 'probability' must be a number");
        return node.doubleValue();
    }

    private static <E extends Enum<E>> Optional<E> choice(
            JsonNode json, String member, Class<E> type) {
        Optional<String> text = text(json, member);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        for (E value : type.getEnumConstants()) {
            if (code(value).equals(text.get())) {
                return Optional.of(value);
            }
        }
        throw new IllegalArgumentException(
                "member '%s' must be one of %s"
                        .formatted(
                                member,
                                Arrays.stream(type.getEnumConstants())
                                        .map(FaultSpec::code)
                                        .toList()));
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
