package org.stillwater.benchmarks.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringSettings;
import org.stillwater.monitoring.SteppedEngine;
import org.stillwater.server.xapi.PoolKeeping;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryDefinitionStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryStores;
import org.stillwater.testkit.memory.InMemoryVmStore;
import org.stillwater.xapi.client.PoolWatch;
import org.stillwater.xapi.client.XapiEncoding;
import org.stillwater.xapi.host.PoolHost;
import org.stillwater.xapi.host.PoolInventory;
import org.stillwater.xapi.host.PoolMessage;
import org.stillwater.xapi.host.PoolVm;
import org.stillwater.xapi.host.XapiHosts;
import org.stillwater.xapi.host.XapiPool;

/** What the first reading of a pool costs the database, and what it does not wait for. */
class PoolIntakeTest {

    private static final int HOSTS = 16;
    private static final int VMS = 1_050;

    /** VMs that the adapter applies at once. */
    private static final int PIECE = 256;

    /** The database's own tests count the statements of each call. */
    private static final int CALLS_FOR_VMS = 2;

    private final VirtualClock clock = VirtualClock.strict();
    private final PoolWorld world = new PoolWorld(new SplittableRandom(7), 7, HOSTS, VMS);
    private final XapiHosts hosts =
            XapiHosts.stepped(clock, Duration.ofSeconds(5), Duration.ofMinutes(2));
    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryHostStore hostStore = new InMemoryHostStore(vms);
    private final InMemoryDefinitionStore definitions = new InMemoryDefinitionStore(vms);
    private final MonitoringEngine engine =
            new MonitoringEngine(
                    MonitoringSettings.DEFAULT,
                    this::open,
                    InMemoryStores.of(hostStore, vms),
                    clock,
                    new SimpleMeterRegistry());
    private final SteppedEngine stepped = new SteppedEngine(engine);
    private final PoolKeeping keeping =
            new PoolKeeping(
                    engine.fleet(),
                    engine.administration(),
                    engine.commandAccess(),
                    vms,
                    definitions,
                    clock,
                    2);
    private boolean changed;
    private int messages;
    private final XapiPool pool =
            hosts.watch(
                    "pool",
                    80,
                    world.connection(XapiEncoding.JSON_RPC, clock),
                    new Inventory(),
                    PoolWatch.Sync.EVENTS,
                    PoolWorld.TIMES);

    private final class Inventory implements PoolInventory {
        @Override
        public void changed(XapiPool of) {
            changed = true;
        }

        @Override
        public void moving(VmId vm, HostId from, HostId to) {
            keeping.moving(vm, from, to);
        }

        @Override
        public void told(XapiPool of, PoolMessage message, boolean old) {}
    }

    /** A connection whose events about VMs are counted. */
    private HostConnection open(HostDefinition host, HostListener listener) {
        return hosts.open(
                host,
                (HostListener)
                        Proxy.newProxyInstance(
                                HostListener.class.getClassLoader(),
                                new Class<?>[] {HostListener.class},
                                (_, method, arguments) -> {
                                    messages += method.getName().equals("vmsChanged") ? 1 : 0;
                                    return method.invoke(listener, arguments);
                                }));
    }

    @BeforeEach
    void start() throws StoreUnavailable {
        stepped.start();
        pool.step(false);
    }

    @AfterEach
    void stop() {
        stepped.abandon();
        hosts.close();
        world.close();
    }

    private void keep() throws StoreUnavailable {
        changed = false;
        keeping.keep(pool);
    }

    /** Lets the writer write, and the pool be kept until nothing of it is left to do. */
    private void settle() throws StoreUnavailable {
        do {
            if (changed) {
                keep();
            }
            clock.advance(Duration.ofMillis(100));
            while (stepped.pump()) {
                // until nothing is left to do
            }
        } while (changed);
    }

    private long listed() {
        return engine.fleet().vms().count();
    }

    /** A VM of the pool at rest. */
    private VmId chosen() {
        return pool.vms().stream()
                .filter(vm -> vm.status() == VmStatus.DOWN)
                .map(PoolVm::id)
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    @Test
    @DisplayName("a pool is one call for all its hosts, and one for each 1 000 VMs")
    void calls() throws StoreUnavailable {
        int ofHosts = hostStore.calls();
        int ofVms = vms.calls();

        keep();

        assertThat(hostStore.calls() - ofHosts).as("calls for hosts").isOne();
        assertThat(engine.fleet().hosts()).hasSize(HOSTS);
        assertThat(listed()).as("VMs that are listed").isEqualTo(VMS);
        assertThat(vms.calls() - ofVms).as("calls before they are listed").isZero();
        assertThat(pool.isReady()).isTrue();

        int before = vms.calls();
        clock.advance(Duration.ofMillis(100));
        while (vms.size() < VMS && stepped.pump()) {
            // the rows follow
        }
        assertThat(vms.size()).isEqualTo(VMS);
        assertThat(vms.calls() - before)
                .as("calls for rows, and one for what changed meanwhile")
                .isBetween(CALLS_FOR_VMS, CALLS_FOR_VMS + 1);
    }

    private List<String> tags(VmId vm) {
        return engine.fleet().tags().set(vm).names();
    }

    private void tag(String type, Object id, String tags) throws StoreUnavailable {
        world.pool.order(type, id.toString(), "tags", Map.of("tags", tags));
        pool.step(false);
        settle();
    }

    @Test
    @DisplayName("hosts and VMs have the tags of their pool, and lose them there")
    void tags() throws StoreUnavailable {
        keep();
        settle();
        assertThat(engine.fleet().vms().filter(each -> tags(each.id()).contains("pool:prod")))
                .hasSizeGreaterThan(VMS / 3);
        VmId vm = chosen();
        HostId host = pool.hosts().getFirst().id();
        tag("VM", vm, "web");
        assertThat(tags(vm)).containsExactly("pool:web");
        assertThat(keeping.refused()).isEmpty();
        tag("host", host, "rack");
        assertThat(engine.fleet().tags().set(host).names()).as("it is the third one").isEmpty();
        assertThat(keeping.refused())
                .containsExactly(
                        "pool pool has more than 2 different tags (stillwater.xapi.most-tags): 1"
                                + " of its hosts and VMs lack some");
        tag("VM", vm, "");
        assertThat(tags(vm)).isEmpty();
        assertThat(engine.fleet().tags().set(host).names()).containsExactly("pool:rack");
        assertThat(keeping.refused()).isEmpty();
        assertThat(engine.fleet().tags().tags())
                .extracting(Tag::name)
                .containsExactly("pool:prod", "pool:rack");
    }

    @Test
    @DisplayName("each host gets a change of all VMs in pieces")
    void pieces() throws StoreUnavailable {
        keep();
        settle();
        long running = pool.vms().stream().filter(vm -> vm.status() == VmStatus.UP).count();
        messages = 0;

        world.pool.order(
                "pool",
                world.pool.itself().text("uuid"),
                "freeze",
                Map.of("vms", Long.toString(running)));
        pool.step(false);

        assertThat(running).isGreaterThan(2L * PIECE);
        assertThat(messages)
                .as("a piece has VMs of each host")
                .isGreaterThan(2 * HOSTS)
                .isLessThanOrEqualTo(HOSTS * Math.toIntExact(Math.ceilDiv(running, PIECE)));
        settle();
        assertThat(
                        engine.fleet()
                                .vms()
                                .filter(vm -> vm.state().runtime().status() == VmStatus.PAUSED)
                                .count())
                .isEqualTo(running);
    }

    @Test
    @DisplayName("a VM that the database refuses is forgotten and named, and costs no other")
    void refused() throws StoreUnavailable {
        VmId bad = chosen();
        vms.refuse(bad, "no room for it");

        keep();
        settle();

        assertThat(vms.size()).isEqualTo(VMS - 1);
        assertThat(listed()).isEqualTo(VMS - 1);
        assertThat(engine.fleet().vm(bad)).isNull();
        assertThat(keeping.refused())
                .singleElement()
                .asString()
                .contains(bad.toString(), "no room for it");

        vms.refuse(bad, null);
        pool.touchAgain(List.of(bad));
        keep();
        settle();
        assertThat(keeping.refused()).isEmpty();
        assertThat(engine.fleet().vm(bad)).isNotNull();
        assertThat(vms.size()).isEqualTo(VMS);
    }

    @Test
    @DisplayName("a host that cannot be added costs itself and its VMs, which follow it")
    void refusedHost() throws StoreUnavailable {
        PoolHost bad = pool.hosts().getLast();
        List<VmId> on =
                pool.vms().stream()
                        .filter(vm -> bad.id().equals(vm.host()))
                        .map(PoolVm::id)
                        .toList();
        hostStore.refuse(bad.id(), "no room for it");

        keep();
        settle();

        assertThat(on).isNotEmpty();
        assertThat(engine.fleet().hosts()).hasSize(HOSTS - 1);
        assertThat(listed()).isEqualTo(VMS - on.size());
        assertThat(vms.size()).isEqualTo(VMS - on.size());
        assertThat(keeping.refused())
                .hasSize(1 + on.size())
                .anyMatch(each -> each.contains("room"));

        hostStore.refuse(bad.id(), null);
        keep();
        settle();
        assertThat(keeping.refused()).isEmpty();
        assertThat(listed()).isEqualTo(VMS);
        assertThat(vms.size()).isEqualTo(VMS);
    }

    @Test
    @DisplayName("a host that cannot be added is not named any more when it has left its pool")
    void refusedHostLeaves() throws StoreUnavailable {
        PoolHost bad =
                pool.hosts().stream().filter(host -> !host.coordinator()).findFirst().orElseThrow();
        hostStore.refuse(bad.id(), "no room for it");
        for (PoolVm vm : pool.vms()) {
            if (bad.id().equals(vm.host())) {
                world.pool.order("VM", vm.id().toString(), "hard_shutdown", Map.of());
            }
        }
        world.pass(Duration.ofSeconds(10));
        pool.step(false);
        keep();
        settle();
        assertThat(keeping.refused()).singleElement().asString().contains("room");

        world.pools.eject(bad.id().toString());
        pool.step(false);
        settle();

        assertThat(pool.hosts()).hasSize(HOSTS - 1);
        assertThat(keeping.refused()).isEmpty();
    }

    @Test
    @DisplayName("while the database is away a new VM is listed; its row follows, and its removal")
    void away() throws StoreUnavailable {
        keep();
        settle();
        VmId fresh = chosen();
        assertThat(engine.commandAccess().forget(fresh)).isTrue();
        assertThat(vms.remove(fresh)).isTrue();
        vms.unavailable("away");
        pool.touchAgain(List.of(fresh));

        keep();

        assertThat(engine.fleet().vm(fresh)).as("listed").isNotNull();
        assertThat(vms.vm(fresh)).isNull();

        world.pool.order("VM", fresh.toString(), "destroy", Map.of());
        pool.step(false);
        assertThat(pool.vm(fresh)).isNull();
        keep();
        assertThat(engine.fleet().vm(fresh)).as("until it has a row").isNotNull();

        vms.unavailable(null);
        settle();
        assertThat(vms.vm(fresh)).isNull();
        assertThat(vms.size()).isEqualTo(VMS - 1);
        assertThat(engine.fleet().vm(fresh)).isNull();
    }

    @Test
    @DisplayName("X60 a VM of an earlier run that its pool has no more goes with the first reading")
    void staleRow() throws StoreUnavailable {
        PoolVm other = pool.vm(chosen());
        VmId stale = new VmId(9, 9);
        StoredVm row =
                new StoredVm(stale, other.definition(), other.firstRuntime(), VmPlacement.NOWHERE);
        assertThat(vms.add(List.of(row))).isInstanceOf(WriteOutcome.Written.class);
        engine.commandAccess().added(row);
        assertThat(engine.fleet().vm(stale)).isNotNull();

        keep();
        settle();

        assertThat(engine.fleet().vm(stale)).isNull();
        assertThat(vms.vm(stale)).isNull();
        assertThat(listed()).isEqualTo(VMS);
        assertThat(vms.size()).isEqualTo(VMS);
    }

    @Test
    @DisplayName("without the database no host is added, and nothing is lost")
    void noDatabase() throws StoreUnavailable {
        hostStore.unavailable("away");
        assertThatThrownBy(this::keep).isInstanceOf(StoreUnavailable.class);
        assertThat(listed()).isZero();
        hostStore.unavailable(null);
        keep();
        assertThat(listed()).isEqualTo(VMS);
    }
}
