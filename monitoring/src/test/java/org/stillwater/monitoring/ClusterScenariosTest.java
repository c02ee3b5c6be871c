package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;
import static org.stillwater.monitoring.Lab.vmId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.analysis.host.HostDecision.Signal;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.ClusterNetwork;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.cluster.MemoryThresholds;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostTraits;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.host.NonOperationalReason;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.cluster.ClusterSettings;
import org.stillwater.monitoring.cluster.Saving;
import org.stillwater.monitoring.host.OrderAnswer;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.testkit.ScriptedHost;

class ClusterScenariosTest {

    private static final ClusterId BLUE = new ClusterId(new UUID(0, 0xb1));

    private final Lab lab = new Lab();
    private final List<String> signals = new ArrayList<>();

    private static Cluster blue(HostRequirements needs) {
        return new Cluster(
                BLUE,
                DataCentreId.DEFAULT,
                "blue",
                "",
                needs,
                MigrateOnError.ALL,
                FencingPolicy.DEFAULT,
                MemoryThresholds.DEFAULT);
    }

    private static HostRequirements version(String version) {
        return needs(CompatibilityVersion.parse(version), List.of(), false);
    }

    private static HostRequirements machines(String... machines) {
        return needs(null, List.of(machines), false);
    }

    private static HostRequirements needs(
            @Nullable CompatibilityVersion version, List<String> machines, boolean uniform) {
        return new HostRequirements(
                version, null, null, machines, null, Set.of(), Set.of(), null, uniform, true,
                List.of());
    }

    private void storedInBlue(HostId... hosts) {
        for (HostId host : hosts) {
            HostDefinition plain = Lab.definition(host);
            lab.hosts.put(
                    new HostDefinition(host, plain.name(), plain.address(), plain.port(), BLUE),
                    HostStatus.UP);
        }
    }

    /** The host reports its state, requested or not. */
    private void says(HostId host, HostValues values) {
        lab.host(host).listener().networkChanged();
        lab.pump();
        lab.host(host).answerCapabilities(values.put(HostField.BOOT_UUID, "boot-1").capabilities());
        lab.settle();
    }

    private NonOperationalReason reason(HostId host) {
        return Objects.requireNonNull(lab.engine.fleet().host(host))
                .state()
                .condition()
                .nonOperational();
    }

    private List<String> told(AuditEvent event) throws Exception {
        return lab.engine.events().newest(AuditFilter.ANY, null, 1000).stream()
                .filter(entry -> entry.event() == event)
                .map(AuditEntry::text)
                .toList();
    }

    @Test
    @DisplayName("S86 a host without KVM must not run VMs, and its VMs leave by policy")
    void aHostWithoutKvmIsNonOperational() throws Exception {
        lab.storedHosts(ALPHA).storedVm(VM, ALPHA, VmStatus.UP);
        lab.engine.onHostSignals((host, signal, why) -> {
            if (signal == Signal.HOST_NON_OPERATIONAL) {
                signals.add(host + " " + why);
            }
        });
        lab.started();
        lab.answer(ALPHA, poll -> poll.running(VM, 1, status(VmStatus.UP))).settle();

        says(ALPHA, new HostValues().put(HostField.KVM_ENABLED, false));
        says(ALPHA, new HostValues().put(HostField.KVM_ENABLED, false));

        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_OPERATIONAL);
        assertThat(reason(ALPHA)).isEqualTo(NonOperationalReason.KVM_NOT_RUNNING);
        assertThat(told(AuditEvent.VDS_RUN_IN_NO_KVM_MODE)).hasSize(1);
        assertThat(signals).containsExactly(ALPHA + " KVM_NOT_RUNNING");
        assertThat(lab.engine.pendingWork().openAboutHosts())
                .singleElement()
                .satisfies(open -> {
                    assertThat(open.work().kind()).isEqualTo(HostWorkKind.EVACUATE);
                    assertThat(open.work().host()).isEqualTo(ALPHA);
                });
    }

    @Test
    @DisplayName("S86 VMs stay on a non-operational host if their cluster's policy keeps them")
    void theClusterDecidesWhetherVmsLeave() throws Exception {
        Cluster patient = blue(HostRequirements.NONE);
        lab.clusters.put(
                new Cluster(
                        BLUE,
                        patient.dataCentre(),
                        patient.name(),
                        "",
                        HostRequirements.NONE,
                        MigrateOnError.NONE,
                        FencingPolicy.DEFAULT,
                        MemoryThresholds.DEFAULT));
        storedInBlue(ALPHA);
        lab.started();
        says(ALPHA, new HostValues().put(HostField.KVM_ENABLED, false));
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_OPERATIONAL);
        assertThat(lab.engine.pendingWork().openAboutHosts()).isEmpty();
    }

    @Test
    @DisplayName("S87 a required network's card may be down for 60 s of statistics cycles")
    void aRequiredInterfaceMayBeDownForAMinute() throws Exception {
        lab.clusters.put(
                blue(
                        new HostRequirements(
                                null,
                                null,
                                null,
                                List.of(),
                                null,
                                Set.of(),
                                Set.of(),
                                null,
                                false,
                                true,
                                List.of(new ClusterNetwork("storage", true, false)))));
        storedInBlue(ALPHA);
        lab.started();
        says(
                ALPHA,
                new HostValues()
                        .put(
                                HostField.NETWORKS,
                                Map.of(
                                        "storage",
                                        new HostNetworks.Network(
                                                HostNetworks.Ip.NONE,
                                                "ens2",
                                                false,
                                                null,
                                                "ens2",
                                                null,
                                                List.of(),
                                                null,
                                                null))));
        lab.answer(ALPHA, poll -> {});
        Duration interval = lab.settings.hosts().interval();
        Duration atOnce = Duration.ZERO;
        for (boolean up : new boolean[] {true, false, false, false, true}) {
            cardSeen(interval, atOnce, up);
        }
        long since = lab.clock.nanoTime() + interval.toNanos();
        cardSeen(interval, atOnce, false);
        cardSeen(interval, atOnce, false);
        cardSeen(interval, atOnce, false);
        cardSeen(interval, Duration.ofMillis(13_500), false);
        assertThat(lab.clock.nanoTime() - since)
                .isBetween(Duration.ofSeconds(58).toNanos(), Duration.ofSeconds(60).toNanos());
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);

        cardSeen(Duration.ofSeconds(2), atOnce, false);
        assertThat(lab.clock.nanoTime() - since)
                .isBetween(Duration.ofSeconds(60).toNanos(), Duration.ofSeconds(62).toNanos());
        cardSeen(interval, atOnce, false);

        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.NON_OPERATIONAL);
        assertThat(reason(ALPHA)).isEqualTo(NonOperationalReason.NETWORK_INTERFACE_IS_DOWN);
        assertThat(told(AuditEvent.VDS_SET_NONOPERATIONAL_IFACE_DOWN))
                .singleElement()
                .asString()
                .contains("ens2");
    }

    /** The next cycle comes within this time, and is answered so much later. */
    private void cardSeen(Duration next, Duration answered, boolean up) {
        lab.clock.advance(next);
        lab.pump();
        lab.clock.advance(answered);
        lab.host(ALPHA)
                .answerStatistics(
                        new HostValues()
                                .put(
                                        HostField.INTERFACES,
                                        Map.of(
                                                "ens2",
                                                new HostStatistics.Nic(
                                                        up, null, null, null, null, null, null)))
                                .statistics());
        lab.answer(ALPHA, poll -> {}).settle();
    }

    @Test
    void aHostIsHeldToTheRulesOfItsOwnClusterOnly() throws Exception {
        lab.clusters.put(blue(version("4.8")));
        lab.storedHosts(BETA);
        storedInBlue(ALPHA);
        lab.started();
        HostValues old = new HostValues().put(HostField.CLUSTER_LEVELS, List.of("4.7"));
        says(ALPHA, old);
        says(BETA, old);
        assertThat(reason(ALPHA))
                .isEqualTo(NonOperationalReason.CLUSTER_VERSION_INCOMPATIBLE_WITH_CLUSTER);
        assertThat(told(AuditEvent.VDS_SET_NONOPERATIONAL))
                .singleElement()
                .asString()
                .endsWith("it does not list 4.8");
        assertThat(lab.hostStatus(BETA)).isEqualTo(HostStatus.UP);
    }

    @Test
    void theHypervisorOfAClusterNeverChanges() throws Exception {
        lab.clusters.put(blue(version("4.7")).managedBy(Hypervisor.XAPI));
        lab.started();

        assertThat(lab.engine.administration().updateCluster(blue(version("4.8"))))
                .isEqualTo(Saving.SAVED);

        assertThat(lab.engine.fleet().cluster(BLUE))
                .isEqualTo(blue(version("4.8")).managedBy(Hypervisor.XAPI));
    }

    @Test
    void aClusterThatDemandsMoreIsHeldAgainstItsHostsAtOnce() throws Exception {
        lab.clusters.put(blue(version("4.7")));
        storedInBlue(ALPHA, BETA);
        lab.started();
        says(ALPHA, new HostValues().put(HostField.CLUSTER_LEVELS, List.of("4.7")));
        says(BETA, new HostValues().put(HostField.CLUSTER_LEVELS, List.of("4.7", "4.8")));
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);

        assertThat(lab.engine.administration().updateCluster(blue(version("4.8"))))
                .isEqualTo(Saving.SAVED);
        lab.settle();

        assertThat(reason(ALPHA))
                .isEqualTo(NonOperationalReason.CLUSTER_VERSION_INCOMPATIBLE_WITH_CLUSTER);
        assertThat(lab.hostStatus(BETA)).isEqualTo(HostStatus.UP);
    }

    @Test
    @Timeout(30)
    @DisplayName("S101 a new cluster version holds for 100 VMs at once, locked ones included")
    void aNewClusterVersionHoldsForAllVmsAtOnce() throws Exception {
        lab.clusters.put(blue(version("4.7")));
        storedInBlue(ALPHA);
        for (int i = 1; i <= 100; i++) {
            lab.vms.put(
                    new StoredVm(
                            vmId(i),
                            Lab.defined(vmId(i), VmOrigin.OVIRT).in(BLUE),
                            VmRuntime.INITIAL,
                            VmPlacement.on(ALPHA)));
        }
        lab.started();
        VmManager locked = Objects.requireNonNull(lab.engine.manager(vmId(50)));
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch seen = new CountDownLatch(1);
        Thread command =
                Thread.ofVirtual()
                        .start(() -> {
                            locked.lock();
                            try {
                                held.countDown();
                                awaitQuietly(seen);
                            } finally {
                                locked.unlock();
                            }
                        });
        held.await();
        CompatibilityVersion last = CompatibilityVersion.parse("4.8");
        Thread updater =
                Thread.ofVirtual()
                        .start(() -> {
                            for (int minor = 200; minor >= 8; minor--) {
                                update(version("4." + minor));
                            }
                        });
        int polls = 0;
        while (updater.isAlive() || polls < 3) {
            lab.cycle(
                    ALPHA,
                    poll -> {
                        for (int i = 1; i <= 100; i++) {
                            poll.running(vmId(i), 1, status(VmStatus.UP));
                        }
                    });
            polls++;
        }
        updater.join();

        for (int i = 1; i <= 100; i++) {
            assertThat(lab.engine.fleet().compatibilityVersion(vmId(i))).isEqualTo(last);
        }
        assertThat(command.isAlive()).as("a command held a VM all the time").isTrue();
        seen.countDown();
        command.join();
        lab.settle();
        assertThat(lab.status(vmId(50))).isEqualTo(VmStatus.UP);
    }

    private void update(HostRequirements needs) {
        try {
            lab.engine.administration().updateCluster(blue(needs));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void theFirstFitHostChoosesTheMachineTypeOfItsCluster() throws Exception {
        lab.clusters.put(blue(machines("new", "old")));
        storedInBlue(ALPHA, BETA);
        lab.started();
        says(ALPHA, new HostValues().put(HostField.EMULATED_MACHINES, List.of("old", "odd")));
        assertThat(lab.clusters.loadClusters())
                .filteredOn(each -> each.id().equals(BLUE))
                .extracting(each -> each.requirements().emulatedMachine())
                .containsExactly("old");

        int calls = lab.clusters.calls();
        says(BETA, new HostValues().put(HostField.EMULATED_MACHINES, List.of("new")));
        assertThat(reason(BETA))
                .isEqualTo(NonOperationalReason.EMULATED_MACHINES_INCOMPATIBLE_WITH_CLUSTER);
        assertThat(lab.clusters.calls()).isEqualTo(calls);
    }

    @Test
    void theClusterForbidsMixedMajorVersions() throws Exception {
        lab.clusters.put(blue(needs(null, List.of(), true)));
        storedInBlue(ALPHA, BETA);
        lab.started();
        says(ALPHA, system("9.4"));
        says(BETA, system("8.10"));
        assertThat(lab.hostStatus(ALPHA)).isEqualTo(HostStatus.UP);
        assertThat(reason(BETA)).isEqualTo(NonOperationalReason.MIXING_RHEL_VERSIONS_IN_CLUSTER);
    }

    private static HostValues system(String version) {
        return new HostValues().put(HostField.OS_NAME, "RHEL").put(HostField.OS_VERSION, version);
    }

    @Test
    void silentHostsAreCountedWithinTheirClusterAmongThoseWatched() throws Exception {
        HostId gamma = Lab.hostId(3);
        HostId delta = Lab.hostId(4);
        lab.clusters.put(blue(HostRequirements.NONE));
        storedInBlue(ALPHA, BETA, gamma);
        lab.storedHosts(delta);
        lab.started();
        assertThat(lab.engine.fleet().clusters().silentPercent(BLUE)).isZero();

        lab.host(BETA).disconnect(new HostFailure.Unreachable("cut"));
        lab.settle();
        assertThat(lab.engine.fleet().clusters().silentPercent(BLUE)).isEqualTo(33);
        assertThat(lab.engine.fleet().clusters().silentPercent(ALPHA)).isEqualTo(33);
        assertThat(lab.engine.fleet().clusters().silentPercent(delta)).isZero();
        assertThat(lab.engine.fleet().clusters().silentPercent(new ClusterId(new UUID(9, 9))))
                .isZero();
        assertThat(lab.engine.fleet().clusters().hosts(BLUE)).containsExactly(ALPHA, BETA, gamma);
    }

    @Test
    void aFoundVmBelongsToTheClusterOfItsHost() throws Exception {
        lab.clusters.put(blue(HostRequirements.NONE));
        storedInBlue(ALPHA);
        lab.started();
        lab.answer(ALPHA, poll -> poll.running(VM, 1, status(VmStatus.UP)));
        lab.answerDomains(ALPHA, "");
        assertThat(lab.vm(VM).definition().cluster()).isEqualTo(BLUE);
        assertThat(Objects.requireNonNull(lab.vms.vm(VM)).definition().cluster()).isEqualTo(BLUE);
    }

    @Test
    void clustersAreBoundedAndTheirNamesTheirOwn() throws Exception {
        MonitoringSettings all = MonitoringSettings.DEFAULT;
        lab.with(
                        new MonitoringSettings(
                                all.hosts(),
                                all.writer(),
                                all.feed(),
                                all.audit(),
                                all.usageHistory(),
                                all.warehouse().withDumpInterval(Duration.ZERO),
                                new ClusterSettings(2, new CompatibilityVersion(4, 5)),
                                all.history()))
                .started();
        DataCentre here = new DataCentre(new DataCentreId(new UUID(0, 5)), "here", "");
        assertThat(lab.engine.administration().addCluster(blue(HostRequirements.NONE)))
                .isEqualTo(Saving.SAVED);
        assertThat(lab.engine.administration().addCluster(blue(HostRequirements.NONE)))
                .isEqualTo(Saving.TOO_MANY);
        assertThat(lab.engine.fleet().clusters().add(here)).isEqualTo(Saving.SAVED);
        assertThat(lab.engine.fleet().clusters().add(here)).isEqualTo(Saving.TOO_MANY);
        Cluster thief =
                new Cluster(
                        BLUE,
                        DataCentreId.DEFAULT,
                        Cluster.DEFAULT.name(),
                        "",
                        HostRequirements.NONE,
                        MigrateOnError.ALL,
                        FencingPolicy.DEFAULT,
                        MemoryThresholds.DEFAULT);
        assertThat(lab.engine.administration().updateCluster(thief)).isEqualTo(Saving.NAME_TAKEN);
        assertThat(lab.engine.fleet().cluster(BLUE)).isEqualTo(blue(HostRequirements.NONE));

        lab.restarted();
        assertThat(lab.engine.fleet().clusters().clusters())
                .extracting(Cluster::name)
                .containsExactly("Default", "blue");
        assertThat(lab.engine.fleet().clusters().dataCentres())
                .containsExactly(DataCentre.DEFAULT, here);
    }

    @Test
    void aHostIsAddedToAClusterThatIsThere() throws Exception {
        lab.clusters.put(blue(HostRequirements.NONE));
        lab.started();
        HostDefinition host = new HostDefinition(ALPHA, "alpha", "192.0.2.1", 54321, BLUE);
        ClusterId nowhere = new ClusterId(new UUID(0, 0xff));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        lab.engine
                                .administration()
                                .addHost(
                                        new HostDefinition(
                                                BETA, "beta", "192.0.2.2", 54321, nowhere)));
        assertThat(lab.engine.administration().addHost(host)).isTrue();
        assertThat(lab.engine.fleet().clusters().of(ALPHA).id()).isEqualTo(BLUE);
        assertThat(
                        lab.engine
                                .administration()
                                .ensureHost(new HostDefinition(BETA, "alpha", "192.0.2.9", 1)))
                .as("a host given by configuration keeps id and cluster")
                .isEqualTo(new HostDefinition(ALPHA, "alpha", "192.0.2.9", 1, BLUE));
    }

    @Test
    void onlyAPoolDecidesAboutTheHostsOfItsCluster() throws Exception {
        lab.clusters.put(blue(HostRequirements.NONE).managedBy(Hypervisor.XAPI));
        lab.hosts.put(Lab.definition(ALPHA), HostStatus.MAINTENANCE);
        lab.started();
        HostDefinition foreign = new HostDefinition(BETA, "beta", "192.0.2.2", 54321, BLUE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lab.engine.administration().addHost(foreign))
                .withMessageContaining("add the host to the pool");
        HostDefinition there = in(BLUE, HostTraits.NONE);
        assertThat(lab.engine.administration().updateHost(there)).contains("is a XAPI pool");
        assertThat(lab.engine.administration().updateHostOfPool(there)).isNull();
        lab.settle();
        assertThat(lab.engine.fleet().clusters().of(ALPHA).id()).isEqualTo(BLUE);
        assertThat(lab.engine.administration().updateHost(in(ClusterId.DEFAULT, HostTraits.NONE)))
                .contains("the XAPI pool that it belongs to");
        assertThat(lab.hosts.loadAll().getFirst().definition()).isEqualTo(there);
    }

    @Test
    void anUnwatchedHostChangesItsCluster() throws Exception {
        lab.clusters.put(blue(version("9.9")));
        lab.storedHosts(ALPHA).started().settle();
        HostDefinition there = in(BLUE, HostTraits.NONE);
        assertThat(lab.engine.administration().updateHost(there)).contains("maintenance");
        assertThat(lab.engine.fleet().clusters().of(ALPHA)).isEqualTo(Cluster.DEFAULT);

        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("cut"));
        lab.settle();
        assertThat(lab.engine.administration().order(ALPHA, new HostFact.Maintain(null)))
                .isNotNull();
        lab.settle();
        assertThat(lab.engine.administration().updateHost(there)).isNull();
        lab.settle();
        assertThat(lab.engine.fleet().clusters().of(ALPHA).id()).isEqualTo(BLUE);
        assertThat(lab.engine.fleet().clusters().hosts(ClusterId.DEFAULT)).isEmpty();
        assertThat(lab.hosts.loadAll().getFirst().definition()).isEqualTo(there);

        assertThat(lab.engine.administration().order(ALPHA, new HostFact.Activate())).isNotNull();
        lab.settle();
        lab.host(ALPHA).connect();
        lab.pump();
        lab.host(ALPHA)
                .answerCapabilities(
                        new HostValues()
                                .put(HostField.CLUSTER_LEVELS, List.of("4.8"))
                                .capabilities());
        lab.settle();
        assertThat(reason(ALPHA))
                .isEqualTo(NonOperationalReason.CLUSTER_VERSION_INCOMPATIBLE_WITH_CLUSTER);
    }

    @Test
    void aHostWithVmsKeepsItsCluster() throws Exception {
        lab.clusters.put(blue(HostRequirements.NONE));
        lab.hosts.put(Lab.definition(ALPHA), HostStatus.MAINTENANCE);
        lab.storedVm(Lab.VM, ALPHA, VmStatus.UNKNOWN).started();
        assertThat(lab.engine.administration().updateHost(in(BLUE, HostTraits.NONE)))
                .contains("1 VMs are on it");
        assertThat(lab.hosts.loadAll().getFirst().definition().cluster())
                .isEqualTo(ClusterId.DEFAULT);
    }

    @Test
    void aChangedDefinitionAppliesAtOnceAndTheConnectionStays() throws Exception {
        lab.storedHosts(ALPHA).started().settle();
        ScriptedHost connection = lab.host(ALPHA);
        HostTraits said = new HostTraits(true, true, true, false, "");

        assertThat(lab.engine.administration().updateHost(in(ClusterId.DEFAULT, said))).isNull();
        lab.settle();

        assertThat(connection.isClosed()).isFalse();
        assertThat(
                        Objects.requireNonNull(lab.engine.fleet().host(ALPHA))
                                .state()
                                .definition()
                                .traits())
                .isEqualTo(said);
        lab.restarted();
        assertThat(
                        Objects.requireNonNull(lab.engine.fleet().host(ALPHA))
                                .state()
                                .definition()
                                .traits())
                .isEqualTo(said);
    }

    private static HostDefinition in(ClusterId cluster, HostTraits traits) {
        HostDefinition plain = Lab.definition(ALPHA);
        return new HostDefinition(
                ALPHA, plain.name(), plain.address(), plain.port(), cluster, traits);
    }

    @Test
    void aClusterIsRemovedWhenNothingBelongsToIt() throws Exception {
        lab.clusters.put(blue(HostRequirements.NONE));
        storedInBlue(ALPHA);
        lab.started();
        assertThat(lab.engine.administration().removeCluster(BLUE))
                .isEqualTo("1 hosts and 0 VMs belong to it");
        assertThat(lab.engine.administration().removeCluster(ClusterId.DEFAULT))
                .contains("name no other");

        lab.host(ALPHA).disconnect(new HostFailure.Unreachable("cut"));
        lab.settle();
        assertThat(lab.engine.administration().order(ALPHA, new HostFact.Maintain(null)))
                .isNotNull();
        lab.settle();
        assertThat(lab.engine.administration().removeHost(ALPHA, Duration.ofSeconds(1)))
                .isInstanceOf(OrderAnswer.Followed.class);
        assertThat(lab.engine.administration().removeCluster(BLUE)).isNull();

        assertThat(lab.engine.fleet().cluster(BLUE)).isNull();
        assertThat(lab.clusters.loadClusters()).containsExactly(Cluster.DEFAULT);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> lab.engine.administration().removeCluster(BLUE));
    }

    @Test
    void aClusterToWhichSomethingInTheDatabaseBelongsIsNotRemoved() throws Exception {
        lab.clusters.put(blue(HostRequirements.NONE));
        lab.started();
        lab.vms.put(
                new StoredVm(
                        Lab.VM,
                        Lab.defined(Lab.VM, VmOrigin.OVIRT).in(BLUE),
                        VmRuntime.INITIAL,
                        VmPlacement.NOWHERE));
        assertThat(lab.engine.administration().removeCluster(BLUE)).contains("in the database");
        assertThat(lab.engine.fleet().cluster(BLUE)).isNotNull();
    }
}
