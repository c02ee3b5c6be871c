package org.stillwater.server;

import java.time.Duration;
import java.util.Set;

/** A simulated XAPI pool. */
final class PoolSubject implements ContractSubject {

    private final RunningEngine engine;
    private final SimulatedPool pool;
    private final String cluster;
    private final String addresses;

    /**
     * A pool.
     *
     * @param cluster its name in the settings
     * @param addresses of its hosts, as a filter has them
     */
    PoolSubject(RunningEngine engine, SimulatedPool pool, String cluster, String addresses) {
        this.engine = engine;
        this.pool = pool;
        this.cluster = cluster;
        this.addresses = addresses;
    }

    @Override
    public RunningEngine engine() {
        return engine;
    }

    @Override
    public Set<Gap> gaps() {
        return Set.of(Gap.GUEST_NAMES, Gap.NUMBERS_OF_EACH_CORE, Gap.LOCAL_DISKS, Gap.BONDS);
    }

    @Override
    public String cluster() {
        return cluster;
    }

    @Override
    public int hosts() {
        return pool.hosts().size();
    }

    @Override
    public int vms() {
        return pool.vms().size();
    }

    @Override
    public int running() {
        return pool.live().size();
    }

    @Override
    public int vmsOn(String host) {
        return pool.guests(host);
    }

    @Override
    public String addresses() {
        return addresses;
    }

    @Override
    public String nic() {
        return "eth0";
    }

    @Override
    public String vm(int number) {
        return pool.live().reversed().get(number);
    }

    /** A VM that runs is paused, or the other way round. */
    @Override
    public Change change(int number) {
        String vm = pool.live().get(number);
        boolean runs = pool.status(vm).equals("up");
        String after = runs ? "paused" : "up";
        return new Change(
                vm,
                "status",
                after,
                () -> {
                    pool.order(vm, runs ? "pause" : "unpause");
                    pool.advance();
                    RunningEngine.await(
                            () ->
                                    engine.json("/api/v1/vms/" + vm)
                                            .path("status")
                                            .asString()
                                            .equals(after),
                            () -> engine.get("/api/v1/vms/" + vm).body());
                });
    }

    @Override
    public void migrate(String vm, String hostId) {
        pool.order(vm, "migrate", "host", hostId);
    }

    @Override
    public void pass() {
        pool.advance(Duration.ofSeconds(1));
    }
}
