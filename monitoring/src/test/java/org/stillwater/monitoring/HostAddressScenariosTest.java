package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.HostStore.StoredHost;
import org.stillwater.core.store.StoreUnavailable;

/** Each host has an address and port of its own, for each way to add or change one. */
class HostAddressScenariosTest {

    private static final HostId GAMMA = new HostId(new UUID(9, 0xc));

    private final Lab lab = new Lab();

    @Test
    void twoHostsCannotHaveOneAddressAndPort() throws Exception {
        lab.storedHosts(ALPHA).started().settle();
        HostDefinition alpha = Lab.definition(ALPHA);
        HostDefinition twin =
                at(BETA, "beta", alpha.address().toUpperCase(Locale.ROOT), alpha.port());
        assertThatThrownBy(() -> lab.engine.administration().addHost(twin))
                .isInstanceOf(HostAddressInUse.class)
                .hasMessageContaining("host " + alpha.name() + " is at");
        HostDefinition beta = at(BETA, "beta", alpha.address(), alpha.port() + 1);
        assertThat(lab.engine.administration().addHost(beta)).isTrue();
        assertThatThrownBy(() -> lab.engine.administration().updateHost(twin))
                .isInstanceOf(HostAddressInUse.class);
        assertThatThrownBy(() -> lab.engine.administration().ensureHost(twin))
                .isInstanceOf(HostAddressInUse.class);
        assertThat(lab.hosts.loadAll())
                .extracting(StoredHost::definition)
                .containsExactlyInAnyOrder(alpha, beta);

        HostDefinition moved = at(ALPHA, alpha.name(), alpha.address(), alpha.port() + 2);
        assertThat(lab.engine.administration().updateHost(moved))
                .isNull(); // its monitor has not followed yet
        assertThatThrownBy(() ->
                        lab.engine
                                .administration()
                                .updateHost(at(BETA, "beta", alpha.address(), moved.port())))
                .isInstanceOf(HostAddressInUse.class);
        assertThat(lab.engine.administration().updateHost(twin))
                .as("the place of before is free")
                .isNull();
        lab.settle();

        lab.restarted();
        assertThatThrownBy(() ->
                        lab.engine
                                .administration()
                                .updateHost(at(BETA, "beta", alpha.address(), moved.port())))
                .as("places are known again after a restart")
                .isInstanceOf(HostAddressInUse.class);
    }

    @Test
    void hostsAreAddedByOneCallAndARefusedOneCostsNoOther() throws Exception {
        lab.storedHosts(ALPHA).started().settle();
        HostDefinition alpha = Lab.definition(ALPHA);
        HostDefinition twin = at(BETA, "beta", alpha.address(), alpha.port());
        HostDefinition namesake = at(GAMMA, alpha.name(), "192.0.2.7", 1);
        List<HostDefinition> wanted = new ArrayList<>(List.of(twin, namesake));
        for (int n = 10; n < 70; n++) {
            wanted.add(Lab.definition(Lab.hostId(n)));
        }
        int calls = lab.hosts.calls();

        HostStore.Additions outcome =
                lab.engine.administration().addHosts(ClusterId.DEFAULT, wanted);

        assertThat(lab.hosts.calls() - calls).as("calls of the store").isOne();
        assertThat(outcome.added()).hasSize(60);
        assertThat(outcome.refused()).containsOnlyKeys(BETA);
        assertThat(outcome.refused().get(BETA)).contains(alpha.name());
        assertThat(lab.engine.fleet().hosts()).hasSize(61);
        assertThat(lab.engine.administration().addHost(at(GAMMA, "gamma", "192.0.2.7", 1)))
                .as("the place of a host that was not added is free")
                .isTrue();
    }

    @Test
    void noneOfTheHostsIsThereWhileTheDatabaseIsAway() throws Exception {
        lab.storedHosts(ALPHA).started().settle();
        List<HostDefinition> wanted = List.of(Lab.definition(BETA));
        lab.hosts.unavailable("away");
        assertThatThrownBy(() -> lab.engine.administration().addHosts(ClusterId.DEFAULT, wanted))
                .isInstanceOf(StoreUnavailable.class);
        assertThat(lab.engine.fleet().host(BETA)).isNull();
        lab.hosts.unavailable(null);
        assertThat(lab.engine.administration().addHosts(ClusterId.DEFAULT, wanted).added())
                .containsExactly(BETA);
    }

    /** Each thread adds a host of its own at the one address. */
    @Test
    void oneOfManyHostsThatAreAddedAtOneAddressAtTheSameTimeIsTaken() throws Exception {
        lab.started();
        AtomicInteger taken = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        CountDownLatch ready = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int n = 0; n < 32; n++) {
                HostDefinition host =
                        at(new HostId(new UUID(9, n)), "twin-" + n, "192.0.2.77", 54_321);
                Future<Boolean> _ =
                        threads.submit(() -> {
                            ready.await();
                            try {
                                assertThat(lab.engine.administration().addHost(host)).isTrue();
                                taken.incrementAndGet();
                            } catch (HostAddressInUse _) {
                                refused.incrementAndGet();
                            }
                            return true;
                        });
            }
            ready.countDown();
        }
        assertThat(taken).hasValue(1);
        assertThat(refused).hasValue(31);
        assertThat(lab.hosts.loadAll()).hasSize(1);
    }

    @Test
    void aHostThatGoesBackBeforeItsMonitorFollowsKeepsItsAddress() throws Exception {
        lab.storedHosts(ALPHA).started().settle();
        HostDefinition alpha = Lab.definition(ALPHA);
        assertThat(lab.engine.administration().updateHost(at(ALPHA, alpha.name(), "192.0.2.5", 1)))
                .isNull();
        assertThat(lab.engine.administration().updateHost(alpha)).isNull();
        assertThatThrownBy(() ->
                        lab.engine
                                .administration()
                                .addHost(at(BETA, "beta", alpha.address(), alpha.port())))
                .isInstanceOf(HostAddressInUse.class);
        assertThat(lab.engine.administration().addHost(at(BETA, "beta", "192.0.2.5", 1))).isTrue();
    }

    @Test
    void aHostThatIsNotAddedLeavesItsAddressFree() throws Exception {
        lab.storedHosts(ALPHA).started().settle();
        String name = Lab.definition(ALPHA).name();
        assertThat(lab.engine.administration().addHost(at(BETA, name, "192.0.2.77", 54_321)))
                .isFalse();
        assertThat(lab.engine.administration().addHost(at(BETA, "beta", "192.0.2.77", 54_321)))
                .isTrue();
        assertThat(lab.engine.administration().addHost(at(BETA, "beta", "192.0.2.78", 54_321)))
                .isFalse();
        assertThatThrownBy(() ->
                        lab.engine
                                .administration()
                                .addHost(at(GAMMA, "gamma", "192.0.2.77", 54_321)))
                .isInstanceOf(HostAddressInUse.class);
    }

    @Test
    void aHostOfTheSettingsAtATakenAddressIsRefusedAndTheOthersAreWatched() throws Exception {
        lab.started();
        lab.engine
                .administration()
                .ensureHosts(
                        List.of(
                                at(ALPHA, "alpha", "192.0.2.1", 1),
                                at(BETA, "beta", "192.0.2.1", 1),
                                at(GAMMA, "gamma", "192.0.2.3", 1)));
        assertThat(lab.engine.fleet().hosts())
                .extracting(host -> host.state().definition().name())
                .containsExactlyInAnyOrder("alpha", "gamma");
        assertThat(lab.engine.health().refusedHosts())
                .containsExactly(
                        "host beta of the settings is refused: host alpha is at 192.0.2.1, port 1,"
                                + " already");
        lab.settle();

        lab.engine
                .administration()
                .ensureHosts(
                        List.of(
                                at(BETA, "gamma", "192.0.2.1", 1),
                                at(BETA, "alpha", "192.0.2.2", 1)));
        assertThat(lab.hosts.loadAll())
                .as("gamma follows where alpha has moved away")
                .extracting(each -> each.definition().address())
                .containsExactlyInAnyOrder("192.0.2.1", "192.0.2.2");
        assertThat(lab.engine.health().refusedHosts()).isEmpty();
    }

    @Test
    void manyHostsOfTheSettingsAreAddedWithFewStatements() throws Exception {
        lab.started();
        List<HostDefinition> many =
                IntStream.rangeClosed(1, 2 * SettingsHosts.HOSTS_AT_ONCE + 1)
                        .mapToObj(n -> at(Lab.hostId(n), "host-" + n, "192.0.2.1", n))
                        .toList();
        int before = lab.hosts.calls();
        lab.engine.administration().ensureHosts(many);
        assertThat(lab.hosts.calls() - before).isEqualTo(3);
        assertThat(lab.engine.fleet().hosts()).hasSameSizeAs(many);

        before = lab.hosts.calls();
        lab.engine.administration().ensureHosts(many);
        assertThat(lab.hosts.calls() - before).as("all are there").isZero();
        assertThat(lab.engine.health().refusedHosts()).isEmpty();
    }

    private static HostDefinition at(HostId id, String name, String address, int port) {
        return new HostDefinition(id, name, address, port);
    }
}
