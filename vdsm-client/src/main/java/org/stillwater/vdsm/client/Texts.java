package org.stillwater.vdsm.client;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.text.SafeText;
import org.stillwater.core.vm.GuestSession;
import org.stillwater.core.vm.PauseStatus;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.vdsm.wire.WireStatus;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Reads texts and enumerations from a parser's buffer, creating nothing that is known. */
final class Texts {
    private static final Logger log = LoggerFactory.getLogger(Texts.class);

    /** Different unknown words remembered, so that each is logged once. */
    private static final int MOST_UNKNOWN_WORDS = 100;

    private static final int LONGEST_UNKNOWN_WORD = 50;

    /** Texts of hosts, made safe. */
    private static final StringInterner SHARED = new StringInterner();

    /** Texts that decoders composed. */
    private static final StringInterner COMPOSED = new StringInterner();

    private static final Set<String> UNKNOWN_WORDS = ConcurrentHashMap.newKeySet();

    /** A word of the wire, without blanks and in lower case, and its meaning. */
    private record Word<E>(String text, E meaning) {
        static <E> Word<E> of(String text, E meaning) {
            return new Word<>(
                    text.replace(" ", "").replace("_", "").toLowerCase(Locale.ROOT), meaning);
        }
    }

    private static final Word<VmStatus>[] STATUSES = statuses();
    private static final Word<PauseStatus>[] PAUSES = words(PauseStatus.values());
    private static final Word<GuestSession>[] SESSIONS = words(GuestSession.values());

    private Texts() {}

    /**
     * A VM's status: the engine's own names in any case, blanks left out, and the two texts of a
     * migration (protocol page §3.3.11). Null when the value is no text; {@link
     * VmStatus#UNASSIGNED} for an unknown text.
     */
    static @Nullable VmStatus statusOf(JsonParser parser) {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            parser.skipChildren();
            return null;
        }
        VmStatus status = lookUp(STATUSES, parser);
        if (status == null) {
            warnOnce("status", parser);
            return VmStatus.UNASSIGNED;
        }
        return status;
    }

    /** A pause code, null for an unknown one. */
    static @Nullable PauseStatus pauseOf(JsonParser parser) {
        PauseStatus pause = lookUp(PAUSES, parser);
        if (pause == null) {
            warnOnce("pauseCode", parser);
        }
        return pause;
    }

    /** A session's state; unknown ones are {@link GuestSession#UNKNOWN}. */
    static GuestSession sessionOf(JsonParser parser) {
        GuestSession session = lookUp(SESSIONS, parser);
        return session == null ? GuestSession.UNKNOWN : session;
    }

    /**
     * The text of a scalar as it may be kept: the known one when it is equal, else one that is
     * shared or new; null for no scalar.
     *
     * @param limit most characters kept; a longer text is cut
     */
    static @Nullable String textOr(JsonParser parser, @Nullable String known, int limit) {
        if (!parser.currentToken().isScalarValue()) {
            parser.skipChildren();
            return null;
        }
        char[] text = parser.getStringCharacters();
        int from = parser.getStringOffset();
        int to = from + parser.getStringLength();
        return textOr(text, from, to, known, limit);
    }

    /** The same for the part of a buffer. */
    static String textOr(char[] text, int from, int to, @Nullable String known, int limit) {
        if (known != null && isKnown(text, from, to, known, limit)) {
            return known;
        }
        return shared(text, from, to, limit);
    }

    /** A text that may be kept, in one instance for all VMs where that is likely to help. */
    static String shared(char[] text, int from, int to, int limit) {
        // A shared text is safe already, and a safe text within the limit is kept as it is.
        String there = to - from <= limit ? SHARED.find(text, from, to) : null;
        return there == null ? SHARED.keep(SafeText.of(text, from, to, limit)) : there;
    }

    /** A text that a decoder composed, in one instance for all VMs where that is likely to help. */
    static String composed(char[] text, int length) {
        String there = COMPOSED.find(text, 0, length);
        return there == null ? COMPOSED.keep(new String(text, 0, length)) : there;
    }

    /** Whether the text of the scalar at the parser has to be cut or cleaned; for new texts. */
    static boolean isAltered(JsonParser parser, int limit) {
        int from = parser.getStringOffset();
        return !SafeText.isSafe(
                parser.getStringCharacters(), from, from + parser.getStringLength(), limit);
    }

    /** The usual text is compared as it is; the other way costs only texts that are not safe. */
    private static boolean isKnown(char[] text, int from, int to, String known, int limit) {
        int length = to - from;
        if (length != known.length() || length > limit) {
            return length >= known.length() && SafeText.isKept(text, from, to, limit, known);
        }
        for (int i = 0; i < length; i++) {
            if (text[from + i] != known.charAt(i)) {
                return SafeText.isKept(text, from, to, limit, known);
            }
        }
        return true;
    }

    private static <E> @Nullable E lookUp(Word<E>[] words, JsonParser parser) {
        if (!parser.currentToken().isScalarValue()) {
            parser.skipChildren();
            return null;
        }
        char[] text = parser.getStringCharacters();
        int from = parser.getStringOffset();
        int to = from + parser.getStringLength();
        for (Word<E> word : words) {
            if (matches(word.text(), text, from, to)) {
                return word.meaning();
            }
        }
        return null;
    }

    private static boolean matches(String word, char[] text, int from, int to) {
        int at = 0;
        for (int i = from; i < to; i++) {
            char c = text[i];
            if (c == ' ') {
                continue;
            }
            char lower = c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
            if (at == word.length() || word.charAt(at) != lower) {
                return false;
            }
            at++;
        }
        return at == word.length();
    }

    private static void warnOnce(String what, JsonParser parser) {
        if (!parser.currentToken().isScalarValue() || UNKNOWN_WORDS.size() >= MOST_UNKNOWN_WORDS) {
            return;
        }
        int from = parser.getStringOffset();
        String shown =
                SafeText.of(
                        parser.getStringCharacters(),
                        from,
                        from + parser.getStringLength(),
                        LONGEST_UNKNOWN_WORD);
        if (UNKNOWN_WORDS.add(what + shown)) {
            log.warn("a host reports an unknown {}: '{}'", what, shown);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of one generic record
    private static Word<VmStatus>[] statuses() {
        // A VM that is suspended or has a locked image has no process, so no host reports it.
        Word<VmStatus>[] named =
                words(
                        Arrays.stream(VmStatus.values())
                                .filter(status -> status == VmStatus.DOWN || !status.isNotRunning())
                                .toArray(VmStatus[]::new));
        Word<VmStatus>[] all = new Word[named.length + 2];
        System.arraycopy(named, 0, all, 2, named.length);
        all[0] = Word.of(WireStatus.MIGRATION_SOURCE, VmStatus.MIGRATING_FROM);
        all[1] = Word.of(WireStatus.MIGRATION_DESTINATION, VmStatus.MIGRATING_TO);
        return all;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of one generic record
    private static <E extends Enum<E>> Word<E>[] words(E[] constants) {
        Word<E>[] words = new Word[constants.length];
        for (int i = 0; i < constants.length; i++) {
            words[i] = Word.of(constants[i].name(), constants[i]);
        }
        return words;
    }
}
