package org.stillwater.xapi.client;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Which connection has which pool, so that two addresses of one pool make one. Thread-safe. */
public final class PoolClaims {

    private final Map<String, PoolConnection> owners = new ConcurrentHashMap<>();

    /** Whether the pool is the owner's now, or was already. */
    boolean claim(String poolUuid, PoolConnection owner) {
        return owners.putIfAbsent(poolUuid, owner) == null || owners.get(poolUuid) == owner;
    }

    void release(PoolConnection owner) {
        owners.values().removeIf(each -> each == owner);
    }
}
