package org.stillwater.xapi.client;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Assigns each pool to one connection, so that two addresses of one pool make one. Thread-safe. */
public final class PoolClaims {

    private final Map<String, PoolConnection> owners = new ConcurrentHashMap<>();

    /** Whether the pool belongs to the owner, since now or before. */
    boolean claim(String poolUuid, PoolConnection owner) {
        return owners.putIfAbsent(poolUuid, owner) == null || owners.get(poolUuid) == owner;
    }

    void release(PoolConnection owner) {
        owners.values().removeIf(each -> each == owner);
    }
}
