package org.stillwater.vdsm.client;

import java.util.ArrayList;
import java.util.List;
import org.stillwater.core.text.TextLimit;
import org.stillwater.vdsm.jsonrpc.Lenient;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Reads small lists. */
final class Lists {
    private Lists() {}

    /**
     * A list of texts, each cut and cleaned as the limit demands; skips every other element, and
     * those beyond the limit.
     */
    static List<String> texts(JsonParser p, TextLimit limit) {
        List<String> texts = new ArrayList<>();
        if (p.currentToken() != JsonToken.START_ARRAY) {
            p.skipChildren();
            return texts;
        }
        while (p.nextToken() != JsonToken.END_ARRAY) {
            String text =
                    p.currentToken() == JsonToken.VALUE_STRING && texts.size() < limit.entries()
                            ? Texts.textOr(p, null, limit.characters())
                            : null;
            if (text != null) {
                texts.add(text);
            } else {
                p.skipChildren();
            }
        }
        return texts;
    }

    /**
     * A list of whole numbers, also if written as texts; skips every other element, and those
     * beyond {@code most}.
     */
    static List<Integer> integers(JsonParser p, int most) {
        List<Integer> numbers = new ArrayList<>();
        if (p.currentToken() != JsonToken.START_ARRAY) {
            p.skipChildren();
            return numbers;
        }
        while (p.nextToken() != JsonToken.END_ARRAY) {
            long number = Lenient.longOf(p, Long.MIN_VALUE);
            if (number >= Integer.MIN_VALUE
                    && number <= Integer.MAX_VALUE
                    && numbers.size() < most) {
                numbers.add((int) number);
            }
        }
        return numbers;
    }

    /** A member's name that is the number of something; −1 if it is none. */
    static int index(String name) {
        try {
            return Math.max(-1, Integer.parseInt(name));
        } catch (NumberFormatException notANumber) {
            return -1;
        }
    }
}
