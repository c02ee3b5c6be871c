package org.stillwater.relay.intake;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refused certificates of relays by their common names, until one of that name is accepted. Each is
 * logged once. Any machine can show certificates of any name, so the names are bounded: further
 * ones are not kept and not logged. Thread-safe.
 */
final class RefusedRelays {

    private static final Logger LOG = LoggerFactory.getLogger(RefusedRelays.class);
    private static final int MOST_NAMES = 64;

    private final Map<String, String> refusals = new TreeMap<>();

    /** A certificate was checked; the refusal is null when it is accepted. */
    void checked(String subject, @Nullable String refusal) {
        String name = Objects.requireNonNullElse(RelayName.commonName(subject), subject);
        if (refusal == null) {
            if (accepted(name)) {
                LOG.info("relay certificate {} is accepted again", RelayName.printable(name));
            }
        } else if (isNew(name, refusal)) {
            LOG.warn(
                    "relay certificate {} is refused: {}",
                    RelayName.printable(name),
                    RelayName.printable(refusal));
        }
    }

    private synchronized boolean accepted(String name) {
        return refusals.remove(name) != null;
    }

    private synchronized boolean isNew(String name, String refusal) {
        if (refusals.size() >= MOST_NAMES && !refusals.containsKey(name)) {
            return false;
        }
        return !refusal.equals(refusals.put(name, refusal));
    }

    /** Reasons by name. */
    synchronized Map<String, String> now() {
        return new TreeMap<>(refusals);
    }
}
