package org.stillwater.benchmarks.simulate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.fake.xapi.net.FaultKind;
import org.stillwater.fake.xapi.net.InProcess;
import org.stillwater.fake.xapi.world.Pool;
import org.stillwater.fake.xapi.world.PoolSettings;
import org.stillwater.fake.xapi.world.Pools;
import org.stillwater.fake.xapi.world.Store.Row;
import org.stillwater.fake.xapi.world.WorldClock;
import org.stillwater.fake.xapi.world.XapiError;
import org.stillwater.xapi.client.PoolAccess;
import org.stillwater.xapi.client.PoolClaims;
import org.stillwater.xapi.client.PoolConnection;
import org.stillwater.xapi.client.PoolWatch;
import org.stillwater.xapi.client.XapiEncoding;

/** A simulated pool, the truth of a history: random numbers decide its events. */
final class PoolWorld implements AutoCloseable {

    /** The usual ones, but no call waits for events: nothing happens while one waits. */
    static final PoolWatch.Times TIMES =
            new PoolWatch.Times(
                    Duration.ZERO,
                    PoolWatch.Times.USUAL.patience(),
                    PoolWatch.Times.USUAL.firstBackOff(),
                    PoolWatch.Times.USUAL.longestBackOff(),
                    PoolWatch.Times.USUAL.refetchPause());

    private static final List<String> OPERATIONS =
            List.of(
                    "start",
                    "clean_shutdown",
                    "hard_shutdown",
                    "clean_reboot",
                    "hard_reboot",
                    "pause",
                    "unpause",
                    "suspend",
                    "resume",
                    "pool_migrate");

    /** Calls on which faults strike; empty: all. */
    private static final List<String> STRUCK =
            List.of("event.from", "event.from", "event.inject", "session.", "Async.", "GET ", "");

    private static final List<String> ERRORS =
            List.of(
                    "EVENTS_LOST",
                    "EVENT_FROM_TOKEN_PARSE_FAILURE x",
                    "SESSION_INVALID x",
                    "INTERNAL_ERROR x");

    /**
     * A VM as it truly is.
     *
     * @param state as XAPI spells it
     * @param host where it has a process, null for nowhere
     */
    record Truth(String state, @Nullable HostId host) {}

    final Pools pools = new Pools(new WorldClock(0));
    final InProcess servers = new InProcess(pools);
    final List<String> addresses;
    final Pool pool;
    private final SplittableRandom random;

    /** Random source of its own, so that the histories of seeds stay the same otherwise. */
    private final SplittableRandom service;

    PoolWorld(SplittableRandom random, long seed, int hosts, int vms) {
        this.random = random;
        this.service = new SplittableRandom(~seed);
        List<String> all = new ArrayList<>();
        for (int i = 1; i <= hosts; i++) {
            all.add("192.0.2." + i);
        }
        this.addresses = List.copyOf(all);
        this.pool = pools.add(PoolSettings.today(), seed, "pool", addresses, vms);
    }

    /** An engine's connection to the pool, stepped by its caller, without sockets. */
    PoolConnection connection(XapiEncoding encoding, EngineClock clock) {
        PoolAccess access =
                PoolAccess.of(
                        List.of(addresses.getFirst()),
                        80,
                        "root",
                        () -> "stillwater",
                        "simulation");
        return PoolConnection.stepped(
                access.plain().with(encoding),
                new InProcessTransport(servers),
                new PoolClaims(),
                clock);
    }

    /** Time passes there. */
    void pass(Duration time) {
        pools.clock().advance(time);
    }

    /** Makes a random event, whether or not the engine sees it; returns its description. */
    String happen() {
        String what = happens();
        return service.nextInt(16) == 0 ? what + "; " + serve() : what;
    }

    /** An administrator of the pool disables a host, or enables it again. */
    private String serve() {
        List<Row> hosts = liveHosts();
        if (hosts.isEmpty()) {
            return "nothing";
        }
        Row host = hosts.get(service.nextInt(hosts.size()));
        return order("host", host, host.flag("enabled") ? "disable" : "enable", Map.of());
    }

    private String happens() {
        int kind = random.nextInt(100);
        if (kind < 52) {
            return operate();
        }
        if (kind < 58) {
            return onVm("rename", Map.of("name", "name " + random.nextInt(1_000)));
        }
        if (kind < 62) {
            return onVm("crash", Map.of());
        }
        if (kind < 66) {
            return onVm("destroy", Map.of());
        }
        if (kind < 69) {
            Row vm = anyVm();
            return vm == null
                    ? "nothing"
                    : onPool("destroy_silently", Map.of("vm", vm.text("uuid")));
        }
        if (kind < 71) {
            return onPool("vifs", Map.of("objects", "600"));
        }
        if (kind < 75) {
            return onPool("remove_vifs", Map.of());
        }
        if (kind < 78) {
            return onPool("storm", Map.of("changes", "50"));
        }
        if (kind < 81) {
            return onPool("forget_deletions", Map.of());
        }
        if (kind < 84) {
            return onPool("message", Map.of("name", "ALARM"));
        }
        if (kind < 87) {
            return onHost("kill", liveHosts().size() > 1);
        }
        if (kind < 92) {
            return onHost("revive", true);
        }
        if (kind < 95) {
            return onHost("promote", true);
        }
        return switch (random.nextInt(4)) {
            case 0 -> onPool("restart_coordinator", Map.of());
            case 1 -> onPool("end_sessions", Map.of());
            case 2 -> onPool("boot", Map.of());
            default -> onPool("booted", Map.of());
        };
    }

    private List<Row> liveHosts() {
        return pool.objects("host").stream().filter(each -> pool.isLive(each.ref())).toList();
    }

    private static boolean isGuest(Row vm) {
        return !vm.flag("is_a_template")
                && !vm.flag("is_a_snapshot")
                && !vm.flag("is_control_domain");
    }

    private List<Row> guests() {
        return pool.objects("VM").stream().filter(PoolWorld::isGuest).toList();
    }

    private <T> @Nullable T any(List<T> all) {
        return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    }

    private @Nullable Row anyVm() {
        return any(guests());
    }

    private String operate() {
        Row vm = anyVm();
        if (vm == null) {
            return "nothing";
        }
        String operation =
                any(
                        vm.list("allowed_operations").stream()
                                .filter(OPERATIONS::contains)
                                .sorted()
                                .toList());
        if (operation == null) {
            return "nothing";
        }
        Row host = any(liveHosts());
        return operation.equals("pool_migrate") && host != null
                ? order("VM", vm, "migrate", Map.of("host", host.text("uuid")))
                : order("VM", vm, operation, Map.of());
    }

    private String onVm(String action, Map<String, String> arguments) {
        Row vm = anyVm();
        return vm == null ? "nothing" : order("VM", vm, action, arguments);
    }

    private String onHost(String action, boolean possible) {
        List<Row> of =
                pool.objects("host").stream()
                        .filter(each -> pool.isLive(each.ref()) != action.equals("revive"))
                        .toList();
        Row host = any(of);
        return host == null || !possible ? "nothing" : order("host", host, action, Map.of());
    }

    private String onPool(String action, Map<String, String> arguments) {
        return order("pool", pool.itself(), action, arguments);
    }

    private String order(String type, Row row, String action, Map<String, String> arguments) {
        String words = type + " " + row.text("name_label") + " " + action + " " + arguments;
        try {
            pool.order(type, row.text("uuid"), action, arguments);
            return words;
        } catch (XapiError e) {
            return words + " is refused: " + e.getMessage();
        }
    }

    /** Prepares a random failure of calls to the servers; returns its description. */
    String fail() {
        String call = STRUCK.get(random.nextInt(STRUCK.size()));
        int times = 1 + random.nextInt(3);
        int kind = random.nextInt(4);
        if (kind == 0) {
            servers.faults().add(FaultKind.RESET, "", call, "", times);
        } else if (kind == 1) {
            // The request is executed, its answer is lost.
            String bytes = Integer.toString(random.nextBoolean() ? 0 : random.nextInt(4_000));
            servers.faults().add(FaultKind.TRUNCATE, "", call, bytes, times);
        } else if (kind == 2) {
            servers.faults().add(FaultKind.HTTP_STATUS, "", call, "503", times);
        } else {
            String error = ERRORS.get(random.nextInt(ERRORS.size()));
            servers.faults().add(FaultKind.ERROR, "", call, error, times);
        }
        return "faults " + servers.faults().all().getLast().shown().toString();
    }

    /** Ends all faults: all servers run, and begun tasks end. */
    void heal() {
        servers.faults().clear();
        onPool("booted", Map.of());
        for (Row host : pool.objects("host")) {
            if (!pool.isLive(host.ref())) {
                order("host", host, "revive", Map.of());
            }
            order("host", host, "enable", Map.of());
        }
        pass(Duration.ofMinutes(1));
    }

    /** All VMs that users see. */
    Map<VmId, Truth> truth() {
        Map<String, HostId> hosts = new HashMap<>();
        for (Row each : pool.objects("host")) {
            hosts.put(each.ref(), HostId.parse(each.text("uuid")));
        }
        Map<VmId, Truth> truth = new TreeMap<>();
        for (Row vm : guests()) {
            String state = vm.text("power_state");
            boolean runs = state.equals("Running") || state.equals("Paused");
            truth.put(
                    VmId.parse(vm.text("uuid")),
                    new Truth(state, runs ? hosts.get(vm.text("resident_on")) : null));
        }
        return truth;
    }

    @Override
    public void close() {
        pools.close();
    }
}
