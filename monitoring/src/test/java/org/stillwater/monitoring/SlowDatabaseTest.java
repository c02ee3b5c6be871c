package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.hostId;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.Stores;
import org.stillwater.monitoring.cluster.Saving;
import org.stillwater.testkit.ScriptedConnector;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryAuditStore;
import org.stillwater.testkit.memory.InMemoryClusterStore;
import org.stillwater.testkit.memory.InMemoryDeviceStore;
import org.stillwater.testkit.memory.InMemoryExternalDataStore;
import org.stillwater.testkit.memory.InMemoryHistoryStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryJobStore;
import org.stillwater.testkit.memory.InMemoryLunStore;
import org.stillwater.testkit.memory.InMemoryNumaStore;
import org.stillwater.testkit.memory.InMemoryStatisticsStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

/** A statement about one host that the database does not answer delays no other. */
@Timeout(60)
class SlowDatabaseTest {

    private final VirtualClock clock = new VirtualClock();
    private final InMemoryHostStore hosts = new InMemoryHostStore();
    private final InMemoryVmStore vms = new InMemoryVmStore();
    private final InMemoryClusterStore clusters = new InMemoryClusterStore(hosts::refersTo);
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answer = new CountDownLatch(1);
    private volatile Predicate<Object> slow = _ -> false;
    private final MonitoringEngine engine =
            new MonitoringEngine(
                    MonitoringSettings.DEFAULT,
                    new ScriptedConnector(clock),
                    new Stores(
                            slowed(HostStore.class, hosts),
                            vms,
                            new InMemoryDeviceStore(vms),
                            new InMemoryExternalDataStore(vms),
                            new InMemoryAuditStore(),
                            new InMemoryJobStore(_ -> null),
                            new InMemoryLunStore(),
                            new InMemoryNumaStore(),
                            new InMemoryStatisticsStore(),
                            slowed(ClusterStore.class, clusters),
                            new InMemoryHistoryStore()),
                    clock,
                    new SimpleMeterRegistry());

    /** A store that does not answer about a slow subject. */
    private <S> S slowed(Class<S> port, S store) {
        return port.cast(
                Proxy.newProxyInstance(
                        port.getClassLoader(),
                        new Class<?>[] {port},
                        (_, method, arguments) -> {
                            if (isSlow(arguments)) {
                                asked.countDown();
                                answer.await();
                            }
                            try {
                                return method.invoke(store, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }

    private boolean isSlow(Object @Nullable [] arguments) {
        return arguments != null && Arrays.stream(arguments).anyMatch(slow);
    }

    private static HostDefinition definition(HostId id, int port) {
        HostDefinition usual = Lab.definition(id);
        return new HostDefinition(usual.id(), usual.name(), usual.address(), port);
    }

    private static FutureTask<Object> aside(java.util.concurrent.Callable<Object> change) {
        FutureTask<Object> task = new FutureTask<>(change);
        Thread.ofVirtual().name("slow change").start(task);
        return task;
    }

    private static boolean isOf(Object given, HostId id) {
        return given.equals(id) || (given instanceof HostDefinition host && host.id().equals(id));
    }

    @Test
    void anAddedSilentHostDelaysNoOther() throws Exception {
        engine.start();
        slow = given -> isOf(given, hostId(1));
        FutureTask<Object> slowly =
                aside(() -> engine.administration().addHost(Lab.definition(hostId(1))));
        asked.await();

        othersGoOn();

        assertThat(slowly.isDone()).isFalse();
        answer.countDown();
        assertThat(slowly.get(30, TimeUnit.SECONDS)).isEqualTo(true);
        assertThat(engine.fleet().host(hostId(1))).isNotNull();
        engine.close();
    }

    @Test
    void anUpdatedSilentHostDelaysNoOther() throws Exception {
        engine.start();
        assertThat(engine.administration().addHost(Lab.definition(hostId(1)))).isTrue();
        slow = given -> isOf(given, hostId(1));
        FutureTask<Object> slowly =
                aside(() -> engine.administration().updateHost(definition(hostId(1), 4321)));
        asked.await();

        othersGoOn();
        assertThat(engine.fleet().host(hostId(1))).as("readers").isNotNull();

        answer.countDown();
        assertThat(slowly.get(30, TimeUnit.SECONDS)).isNull();
        engine.close();
    }

    @Test
    void aChangedHostIsReadAtOnce() throws Exception {
        engine.start();
        assertThat(engine.administration().addHost(Lab.definition(hostId(1)))).isTrue();
        for (int port = 1; port <= 20; port++) {
            HostDefinition next = definition(hostId(1), port);
            assertThat(engine.administration().updateHost(next, Duration.ofSeconds(30))).isNull();
            assertThat(engine.fleet().host(hostId(1)).state().definition()).isEqualTo(next);
        }
        engine.close();
    }

    @Test
    void theEngineEndsWhileTheDatabaseIsSlow() throws Exception {
        engine.start();
        slow = given -> isOf(given, hostId(1));
        FutureTask<Object> slowly =
                aside(() -> engine.administration().addHost(Lab.definition(hostId(1))));
        asked.await();
        engine.close();
        answer.countDown();
        assertThat(slowly.get(30, TimeUnit.SECONDS)).isEqualTo(true);
        assertThat(engine.fleet().host(hostId(1))).as("watched from the next start on").isNull();
    }

    @Test
    void aClusterThatIsChangedSlowlyDelaysNoOther() throws Exception {
        engine.start();
        assertThat(engine.administration().addCluster(cluster(1))).isEqualTo(Saving.SAVED);
        slow = given -> given instanceof Cluster each && each.id().equals(cluster(1).id());
        FutureTask<Object> slowly = aside(() -> engine.administration().updateCluster(cluster(1)));
        asked.await();

        assertThat(engine.administration().addCluster(cluster(2))).isEqualTo(Saving.SAVED);
        assertThat(engine.administration().updateCluster(cluster(2))).isEqualTo(Saving.SAVED);
        assertThat(engine.administration().removeCluster(cluster(2).id())).isNull();
        othersGoOn();

        answer.countDown();
        assertThat(slowly.get(30, TimeUnit.SECONDS)).isEqualTo(Saving.SAVED);
        engine.close();
    }

    private static Cluster cluster(int number) {
        return new Cluster(
                new ClusterId(new java.util.UUID(9, number)),
                Cluster.DEFAULT.dataCentre(),
                "cluster" + number,
                "",
                Cluster.DEFAULT.requirements(),
                Cluster.DEFAULT.migrateOnError(),
                Cluster.DEFAULT.fencing(),
                Cluster.DEFAULT.memory());
    }

    private void othersGoOn() throws Exception {
        HostId other = hostId(2);
        assertThat(engine.administration().addHost(Lab.definition(other))).isTrue();
        assertThat(engine.administration().updateHost(definition(other, 1234))).isNull();
        assertThat(engine.fleet().hosts())
                .extracting(view -> view.state().definition().id())
                .contains(other);
        assertThat(engine.health().running()).isTrue();
        List<HostId> known =
                engine.fleet().hosts().stream()
                        .map(view -> view.state().definition().id())
                        .toList();
        assertThat(known).contains(other);
        assertThat(engine.fleet().cluster(ClusterId.DEFAULT)).isNotNull();
    }
}
