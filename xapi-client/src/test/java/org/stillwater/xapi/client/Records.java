package org.stillwater.xapi.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Records as a pool sends them, for tests of other packages. */
public final class Records {

    private Records() {}

    /** A record from its JSON. */
    public static XapiRecord of(XapiClass type, String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        try (JsonSource in = JsonSource.of(bytes, 0, bytes.length)) {
            return Decoder.record(in, type);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
