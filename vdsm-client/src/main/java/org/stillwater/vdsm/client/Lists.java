package org.stillwater.vdsm.client;

import java.util.ArrayList;
import java.util.List;
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
}
