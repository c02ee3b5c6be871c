package org.stillwater.fake.xapi.world;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.model.XType.DateTime;
import org.stillwater.fake.xapi.world.Store.Row;

/** All pools of a simulator and which address belongs to which. Thread-safe. */
public final class Pools implements AutoCloseable {

    private final WorldClock clock;
    private final List<Pool> pools = new CopyOnWriteArrayList<>();
    private final Map<String, Pool> byAddress = new ConcurrentHashMap<>();

    /** Pools that share a clock; closing this closes the clock. */
    public Pools(WorldClock clock) {
        this.clock = clock;
    }

    /** The clock of all pools. */
    public WorldClock clock() {
        return clock;
    }

    /** Adds a pool; its hosts are found at these addresses from now on. */
    public Pool add(
            PoolSettings settings, long seed, String name, List<String> addresses, int vms) {
        Pool pool = Pool.create(settings, clock, seed, name, addresses, vms);
        pools.add(pool);
        addresses.forEach(each -> byAddress.put(each, pool));
        return pool;
    }

    /** All pools, in the order in which they were added. */
    public List<Pool> all() {
        return List.copyOf(pools);
    }

    /** The pool of the host at an address. */
    public @Nullable Pool at(String address) {
        return byAddress.get(address);
    }

    /** All addresses. */
    public List<String> addresses() {
        return byAddress.keySet().stream().sorted().toList();
    }

    /**
     * Takes a host out of its pool: it lives on as a pool of its own, with the same users and
     * another identity.
     *
     * @param uuid of the host; no VM may run there
     */
    public Pool eject(String uuid) {
        for (Pool pool : pools) {
            synchronized (pool.lock) {
                Row host = pool.store.byUuid("host", uuid);
                if (host == null) {
                    continue;
                }
                if (pool.coordinator().equals(host.ref())) {
                    throw new XapiError("HOST_IS_SLAVE", host.text("address"));
                }
                for (String vm : new ArrayList<>(host.list("resident_VMs"))) {
                    if (!pool.store.get("VM", vm).flag("is_control_domain")) {
                        throw new XapiError("HOST_HAS_RESIDENT_VMS", host.ref());
                    }
                    pool.store.destroy("VM", vm);
                }
                pool.store.destroy("host", host.ref());
                pool.changed();
                String address = host.text("address");
                return add(
                        pool.settings,
                        pool.seed() ^ uuid.hashCode(),
                        "ejected-" + host.text("name_label"),
                        List.of(address),
                        0);
            }
        }
        throw new XapiError("UUID_INVALID", "host", uuid);
    }

    /** Notes the certificate that the host at an address shows. */
    public void certificate(String address, String sha256, String notAfter) {
        Pool pool = byAddress.get(address);
        if (pool == null) {
            return;
        }
        synchronized (pool.lock) {
            Row host = pool.hostAt(address);
            if (host != null) {
                for (String each : host.list("certificates")) {
                    pool.store.set(
                            "Certificate",
                            each,
                            "fingerprint",
                            sha256,
                            "fingerprint_sha256",
                            sha256,
                            "not_after",
                            new DateTime(notAfter));
                }
            }
        }
    }

    @Override
    public void close() {
        clock.close();
    }
}
