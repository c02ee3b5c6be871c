package org.stillwater.vdsm.client;

import java.util.ArrayList;
import java.util.List;
import org.stillwater.vdsm.jsonrpc.Lenient;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Reads small lists. */
final class Lists {
    private Lists() {}

    /** A list of texts; anything else in it, or instead of it, is left out. */
    static List<String> texts(JsonParser p) {
        List<String> texts = new ArrayList<>();
        if (p.currentToken() != JsonToken.START_ARRAY) {
            p.skipChildren();
            return texts;
        }
        while (p.nextToken() != JsonToken.END_ARRAY) {
            if (p.currentToken() == JsonToken.VALUE_STRING) {
                texts.add(Texts.clean(p.getString()));
            } else {
                p.skipChildren();
            }
        }
        return texts;
    }

    /** A list of whole numbers, also written as texts; anything else is left out. */
    static List<Integer> integers(JsonParser p) {
        List<Integer> numbers = new ArrayList<>();
        if (p.currentToken() != JsonToken.START_ARRAY) {
            p.skipChildren();
            return numbers;
        }
        while (p.nextToken() != JsonToken.END_ARRAY) {
            long number = Lenient.longOf(p, Long.MIN_VALUE);
            if (number >= Integer.MIN_VALUE && number <= Integer.MAX_VALUE) {
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
