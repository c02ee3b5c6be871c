package org.stillwater.server.xapi;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.xapi.host.XapiPool;

/**
 * Objects of pools that could not be taken over, each with its reason. A refusal is logged when it
 * is new. Thread-safe.
 */
final class PoolRefusals {

    private static final Logger log = LoggerFactory.getLogger(PoolRefusals.class);

    /** By a key, which names the kind of an object and its identity. */
    private final Map<String, Refusal> refused = new ConcurrentHashMap<>();

    private record Refusal(String pool, String sentence) {}

    /** Notes that an object is refused now. */
    void refuse(String key, XapiPool pool, String what, String reason) {
        String sentence =
                "%s of pool %s is not taken over: %s".formatted(what, pool.name(), reason);
        Refusal refusal = new Refusal(pool.name(), sentence);
        if (!refusal.equals(refused.put(key, refusal))) {
            log.warn(sentence);
        }
    }

    /** An object is taken over, or gone. */
    void clear(String key) {
        refused.remove(key);
    }

    /** Objects of a pool are gone, unless their keys are among these. */
    void keepOnly(XapiPool pool, String prefix, Set<String> present) {
        refused.entrySet()
                .removeIf(each ->
                        each.getKey().startsWith(prefix)
                                && each.getValue().pool().equals(pool.name())
                                && !present.contains(each.getKey()));
    }

    /** A pool is watched no longer. */
    void forget(String pool) {
        refused.values().removeIf(each -> each.pool().equals(pool));
    }

    /** Whether an object is refused. */
    boolean has(String key) {
        return refused.containsKey(key);
    }

    /** Each refusal as a sentence. */
    Stream<String> sentences() {
        return refused.values().stream().map(Refusal::sentence);
    }
}
