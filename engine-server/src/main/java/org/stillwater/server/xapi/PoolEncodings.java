package org.stillwater.server.xapi;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.stillwater.server.settings.XapiSettings;

/** Encodings of XAPI by their names in settings, in the database and in REST. */
public final class PoolEncodings {

    /** Each encoding by its name, such as {@code json-rpc}. */
    public static final Map<String, XapiSettings.Encoding> WORDS = words();

    private PoolEncodings() {}

    private static Map<String, XapiSettings.Encoding> words() {
        Map<String, XapiSettings.Encoding> words = new TreeMap<>();
        for (XapiSettings.Encoding each : XapiSettings.Encoding.values()) {
            words.put(word(each), each);
        }
        return Map.copyOf(words);
    }

    /** The name of an encoding. */
    public static String word(XapiSettings.Encoding encoding) {
        return encoding.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
