package org.stillwater.fake.net;

import java.util.Arrays;
import java.util.Locale;

/**
 * The kinds of faults (VDSM wire protocol §7.3.7). On the control port a kind is written in lower
 * case with hyphens, {@code truncated-frame}.
 */
public enum FaultKind {
    /**
     * The verb takes longer and keeps its worker: {@code delayMillis}, up to {@code
     * maxDelayMillis}.
     */
    LATENCY(Subject.CALL),
    /** The verb runs, its answer is lost. */
    NO_ANSWER(Subject.CALL),
    /** The verb does not run; the answer is {@code code} and {@code message}. */
    ERROR_CODE(Subject.CALL),
    /** The answer comes twice. */
    DUPLICATE_ANSWER(Subject.CALL),
    /** An answer with an unknown id precedes the answer. */
    FOREIGN_ANSWER(Subject.CALL),
    /** The answer is held for {@code delayMillis}…{@code maxDelayMillis}; the worker is free. */
    LATE_ANSWER(Subject.CALL),
    /** The answer comes as an array of one. */
    BATCH_ANSWER(Subject.CALL),

    /**
     * The connection ends {@code at} before, within or after a frame, by {@code close} fin or rst.
     */
    DROP(Subject.FRAME),
    /**
     * The connection stays but is neither read nor written for {@code durationMillis}, or forever.
     */
    HALF_OPEN(Subject.FRAME),
    /** The body is not JSON. */
    MALFORMED_JSON(Subject.FRAME),
    /** Half of the frame, then the end of the connection. */
    TRUNCATED_FRAME(Subject.FRAME),
    /** {@code content-length} is {@code bytes} too small (default 1). */
    SHORT_CONTENT_LENGTH(Subject.FRAME),
    /** {@code content-length} is {@code bytes} too large (default 1). */
    LONG_CONTENT_LENGTH(Subject.FRAME),
    /** The NUL at the end is missing. */
    MISSING_NUL(Subject.FRAME),
    /** The {@code content-length} header is missing; the frame is right otherwise. */
    MISSING_CONTENT_LENGTH(Subject.FRAME),
    /** {@code bytes} bytes that are no frame come first (default 64). */
    JUNK_BYTES(Subject.FRAME),
    /** Before the frame comes one of {@code bytes} body bytes (default 100 MB). */
    GIANT_FRAME(Subject.FRAME),
    /** The frame has an extra header of {@code bytes} bytes (default 2048). */
    LONG_HEADER(Subject.FRAME),
    /** Before the frame comes an ERROR frame with {@code message}. */
    ERROR_FRAME(Subject.FRAME),
    /** The {@code subscription} header is not the client's. */
    WRONG_SUBSCRIPTION(Subject.FRAME),
    /** A raw colon in a header value. */
    RAW_COLON(Subject.FRAME),
    /** The frame leaves in one segment with the next, or alone after {@code delayMillis}. */
    COALESCE(Subject.FRAME),
    /** The frame leaves at {@code perSecond} bytes a second. */
    SLOW_PRODUCER(Subject.FRAME),

    /** The host reads at most {@code perSecond} bytes a second. */
    SLOW_CONSUMER(Subject.CONNECTION),
    /** No heart-beats leave. */
    NO_HEART_BEATS(Subject.CONNECTION),
    /** Each heart-beat leaves {@code delayMillis} late. */
    LATE_HEART_BEATS(Subject.CONNECTION),
    /** The port refuses connections; neither chance nor count apply. */
    REFUSED_PORT(Subject.CONNECTION),
    /** The host shows a bad {@code certificate}: expired, not-yet-valid, wrong-ca or wrong-name. */
    BAD_CERTIFICATE(Subject.CONNECTION),
    /** The TLS handshake is accepted and never continues. */
    STALLED_HANDSHAKE(Subject.CONNECTION),

    /** The event is not sent. */
    LOST_EVENT(Subject.EVENT),
    /** The event leaves {@code delayMillis}…{@code maxDelayMillis} late. */
    LATE_EVENT(Subject.EVENT),
    /** The event leaves twice. */
    DOUBLED_EVENT(Subject.EVENT),
    /** The event leaves after the next one, or after {@code delayMillis} (default 1000). */
    REORDERED_EVENT(Subject.EVENT),
    /**
     * {@code perSecond} events a second, of {@code vm} if given, for {@code durationMillis}
     * (10000).
     */
    EVENT_STORM(Subject.EVENT),

    /** Floats are written as integers. */
    INTEGER_FOR_FLOAT(Subject.DATA),
    /** Integers are written as floats. */
    FLOAT_FOR_INTEGER(Subject.DATA),
    /** Members named {@code field} are left out; without {@code field}, one in eight. */
    MISSING_FIELDS(Subject.DATA),
    /** Every object gets unknown members. */
    UNKNOWN_FIELDS(Subject.DATA),
    /** Members named {@code status} have unknown values. */
    UNKNOWN_STATUS(Subject.DATA),
    /** Numbers and number-strings named {@code field}, or one in eight, are absurdly large. */
    HUGE_NUMBERS(Subject.DATA),
    /** {@code notify_time} of events runs backward by {@code delayMillis} (default 60000). */
    NOTIFY_TIME_BACKWARD(Subject.DATA);

    /** The object on which a kind acts. */
    public enum Subject {
        /** Verbs and their answers. */
        CALL,
        /** Frames the host sends. */
        FRAME,
        /** Connections and ports. */
        CONNECTION,
        /** Events. */
        EVENT,
        /** The content of answers and events. */
        DATA
    }

    private final Subject subject;
    private final String code;

    FaultKind(Subject subject) {
        this.subject = subject;
        this.code = name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The object on which it acts. */
    public Subject subject() {
        return subject;
    }

    /** Its name on the control port. */
    public String code() {
        return code;
    }

    /**
     * The kind with this name on the control port.
     *
     * @throws IllegalArgumentException if there is none; the message lists all
     */
    public static FaultKind ofCode(String code) {
        for (FaultKind kind : values()) {
            if (kind.code.equals(code)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(
                "unknown fault kind '%s'; one of %s"
                        .formatted(code, Arrays.stream(values()).map(FaultKind::code).toList()));
    }
}
