package org.stillwater.vdsm.client;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.core.model.GuestSession;
import org.stillwater.core.model.PauseStatus;
import org.stillwater.core.model.VmStatus;
import org.stillwater.vdsm.wire.WireStatus;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Reads texts and enumerations from a parser's buffer, creating nothing that is known. */
final class Texts {
    private static final Logger log = LoggerFactory.getLogger(Texts.class);

    /** Different unknown words remembered, so that each is logged once. */
    private static final int MOST_UNKNOWN_WORDS = 100;

    private static final Set<String> UNKNOWN_WORDS = ConcurrentHashMap.newKeySet();

    /** A word of the wire, without blanks and in lower case, and what it stands for. */
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
     * VmStatus#UNASSIGNED} for a text that nobody knows.
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

    /** A pause code, null for one that nobody knows. */
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

    /** The text of a scalar: the known one when it is equal, else a new one; null for no scalar. */
    static @Nullable String textOr(JsonParser parser, @Nullable String known) {
        if (!parser.currentToken().isScalarValue()) {
            parser.skipChildren();
            return null;
        }
        if (known != null && equal(parser, known)) {
            return known;
        }
        return clean(parser.getString());
    }

    /**
     * Makes a text storable: PostgreSQL's {@code text} holds neither NUL nor half a surrogate pair.
     */
    static String clean(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0 || Character.isSurrogate(c)) {
                return cleaned(text);
            }
        }
        return text;
    }

    private static String cleaned(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        text.codePoints()
                .filter(point -> point != 0)
                .map(point -> point >= 0xd800 && point <= 0xdfff ? 0xfffd : point)
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }

    private static boolean equal(JsonParser parser, String known) {
        int length = parser.getStringLength();
        if (length != known.length()) {
            return false;
        }
        char[] text = parser.getStringCharacters();
        int from = parser.getStringOffset();
        for (int i = 0; i < length; i++) {
            if (text[from + i] != known.charAt(i)) {
                return false;
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
        String word = parser.getString();
        String shown = word.length() > 50 ? word.substring(0, 50) : word;
        if (UNKNOWN_WORDS.add(what + shown)) {
            log.warn("a host reports an unknown {}: '{}'", what, shown);
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of one generic record
    private static Word<VmStatus>[] statuses() {
        Word<VmStatus>[] named = words(VmStatus.values());
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
