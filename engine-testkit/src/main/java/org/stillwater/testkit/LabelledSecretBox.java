package org.stillwater.testkit;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.stillwater.core.secret.SecretBox;

/**
 * A box for tests of stores: it encrypts nothing, but its envelopes show no secret, opens only with
 * its own context and key, and keys come and go. Thread-safe.
 */
public final class LabelledSecretBox implements SecretBox {

    private final Set<String> keys = new HashSet<>();
    private String newest = "";

    /** With keys, the first of which is the newest. */
    public LabelledSecretBox(String... keys) {
        keys(keys);
    }

    /** From now on there are these keys, the first of which is the newest. */
    public synchronized void keys(String... now) {
        keys.clear();
        keys.addAll(List.of(now));
        newest = now.length == 0 ? "" : now[0];
    }

    @Override
    public synchronized String seal(String text, String context) {
        return newestKey() + ":" + base64(context) + ":" + base64(text);
    }

    @Override
    public synchronized String open(String envelope, String context) {
        String[] parts = envelope.split(":");
        if (!keys.contains(parts[0])) {
            throw new Unusable("the key " + parts[0] + " is missing");
        }
        if (!parts[1].equals(base64(context))) {
            throw new Unusable("it belongs to another row");
        }
        return new String(Base64.getDecoder().decode(parts[2]), StandardCharsets.UTF_8);
    }

    @Override
    public synchronized String newestKey() {
        if (newest.isEmpty()) {
            throw new Unusable("there is no key");
        }
        return newest;
    }

    @Override
    public String keyOf(String envelope) {
        return envelope.substring(0, envelope.indexOf(':'));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
