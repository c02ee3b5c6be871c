package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostTraits;
import org.stillwater.core.host.NonOperationalReason;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostHardware;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.HostVersions;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.HostCertificateStore.BoundHost;
import org.stillwater.core.store.HostStore;
import org.stillwater.core.store.HostStore.HostChange;
import org.stillwater.core.store.HostStore.Removal;
import org.stillwater.core.store.HostStore.StoredHost;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.VmStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.trust.CertificateBinding;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.testkit.Samples;

/** Contract of every {@link HostStore}. A subclass hands out an empty store before each test. */
public abstract class HostStoreContract {

    private static final HostDefinition HOST = Samples.hostDefinition(1);

    private static final HostCondition UP = HostCondition.of(HostStatus.UP);

    private HostStore store;

    /** An empty store of hosts. */
    protected abstract HostStore emptyHosts() throws StoreUnavailable;

    /** The store of VMs beside the store of hosts, empty too. */
    protected abstract VmStore vms();

    /** The store of clusters beside the store of hosts, without others than the first. */
    protected abstract ClusterStore clusters();

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyHosts();
    }

    @Test
    void anAddedHostIsLoadedUnassigned() throws StoreUnavailable {
        assertThat(store.add(HOST)).isTrue();
        assertThat(store.loadAll()).containsExactly(new StoredHost(HOST, HostCondition.NEW));
    }

    @Test
    void aTakenIdOrNameChangesNothing() throws StoreUnavailable {
        store.add(HOST);
        assertThat(store.add(new HostDefinition(HOST.id(), "other", "elsewhere", 1))).isFalse();
        assertThat(store.add(new HostDefinition(Samples.host(2), HOST.name(), "elsewhere", 1)))
                .isFalse();
        assertThat(store.loadAll()).containsExactly(new StoredHost(HOST, HostCondition.NEW));
    }

    @Test
    void hostsAreAddedTogetherAndOneThatIsTakenCostsNoOther() throws StoreUnavailable {
        HostDefinition first = Samples.hostDefinition(1);
        HostDefinition second = Samples.hostDefinition(2);
        HostDefinition third = Samples.hostDefinition(3);
        store.add(second);
        HostDefinition otherName =
                new HostDefinition(second.id(), "other", second.address(), second.port());
        HostDefinition takenName =
                new HostDefinition(third.id(), second.name(), third.address(), third.port());
        HostStore.Additions outcome = store.addAll(sorted(first, otherName, takenName));
        assertThat(outcome.added()).containsExactly(first.id());
        assertThat(outcome.refused()).isEmpty();
        assertThat(store.loadAll())
                .containsExactlyInAnyOrder(
                        new StoredHost(first, HostCondition.NEW),
                        new StoredHost(second, HostCondition.NEW));
    }

    @Test
    void hostsOfAnAdditionWithALostAnswerExist() throws StoreUnavailable {
        List<HostDefinition> hosts = sorted(Samples.hostDefinition(1), Samples.hostDefinition(2));
        store.addAll(hosts);
        assertThat(store.addAll(hosts).added())
                .containsExactlyInAnyOrder(hosts.get(0).id(), hosts.get(1).id());
        assertThat(store.loadAll()).hasSize(2);
    }

    private static List<HostDefinition> sorted(HostDefinition... hosts) {
        return Stream.of(hosts).sorted(Comparator.comparing(HostDefinition::id)).toList();
    }

    @Test
    void aHostMayMoveAndBeRenamed() throws StoreUnavailable {
        store.add(HOST);
        HostDefinition moved =
                new HostDefinition(HOST.id(), "renamed " + Samples.AWKWARD, "::1", 65535);
        assertThat(store.update(moved)).isTrue();
        assertThat(store.loadAll()).containsExactly(new StoredHost(moved, HostCondition.NEW));
    }

    @Test
    void definitionsOfAHostAreSavedAndChanged() throws StoreUnavailable {
        HostDefinition said =
                said(new HostTraits(true, false, true, false, "rack " + Samples.AWKWARD));
        store.add(said);
        assertThat(store.loadAll()).containsExactly(new StoredHost(said, HostCondition.NEW));
        HostDefinition other = said(new HostTraits(false, true, false, true, "rack 8"));
        assertThat(store.update(other)).isTrue();
        assertThat(store.loadAll()).containsExactly(new StoredHost(other, HostCondition.NEW));
    }

    private static HostDefinition said(HostTraits traits) {
        return new HostDefinition(
                HOST.id(), HOST.name(), HOST.address(), HOST.port(), HOST.cluster(), traits);
    }

    @Test
    void hostsAndVmsBelongToClusters() throws StoreUnavailable {
        Cluster blue = Samples.cluster(1);
        clusters().add(blue);
        HostDefinition there =
                new HostDefinition(HOST.id(), HOST.name(), HOST.address(), HOST.port(), blue.id());
        store.add(there);
        VmStatic definition = Samples.definition(1).in(blue.id());
        vms().add(
                        List.of(
                                new StoredVm(
                                        Samples.vm(1),
                                        definition,
                                        VmRuntime.INITIAL,
                                        VmPlacement.NOWHERE)));
        assertThat(store.loadAll()).containsExactly(new StoredHost(there, HostCondition.NEW));
        assertThat(clusters().remove(blue.id())).isEqualTo(ClusterStore.Removal.IN_USE);
        List<VmStatic> loaded = new ArrayList<>();
        vms().loadAll(vm -> loaded.add(vm.definition()));
        assertThat(loaded).containsExactly(definition);

        assertThat(store.update(HOST)).isTrue();
        assertThat(store.loadAll()).containsExactly(new StoredHost(HOST, HostCondition.NEW));
    }

    @Test
    void missingHostsAreNotUpdated() throws StoreUnavailable {
        assertThat(store.update(HOST)).isFalse();
        assertThat(store.write(List.of(HostChange.of(HOST.id(), UP)))).isEqualTo(written(0));
        assertThat(store.loadAll()).isEmpty();
    }

    @Test
    void aNameCannotBeTakenFromAnotherHost() throws StoreUnavailable {
        store.add(HOST);
        store.add(Samples.hostDefinition(2));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        store.update(new HostDefinition(Samples.host(2), HOST.name(), "x", 1)))
                .withMessageContaining(HOST.name());
    }

    @Test
    void theStateIsWrittenOnlyWhereItDiffers() throws StoreUnavailable {
        store.add(HOST);
        store.add(Samples.hostDefinition(2));
        List<HostChange> changes =
                sorted(
                        new HostChange(
                                HOST.id(), UP, List.of(), capabilities("4.50.7"), hardware()),
                        HostChange.of(Samples.host(2), HostCondition.of(HostStatus.CONNECTING)));
        assertThat(store.write(changes)).isEqualTo(written(2));
        assertThat(store.write(changes)).isEqualTo(written(0));
        assertThat(store.loadAll())
                .extracting(host -> host.condition().status())
                .containsExactlyInAnyOrder(HostStatus.UP, HostStatus.CONNECTING);
        assertThat(store.write(List.of(HostChange.of(HOST.id(), UP))))
                .as("null leaves the stored ones")
                .isEqualTo(written(0));
        assertThat(
                        store.write(
                                List.of(
                                        new HostChange(
                                                HOST.id(),
                                                UP,
                                                List.of(),
                                                capabilities("4.50.8"),
                                                null))))
                .isEqualTo(written(1));
    }

    @Test
    void theVersionsThatAHostReportedLastAreLoaded() throws StoreUnavailable {
        store.add(HOST);
        assertThat(versions()).isEqualTo(HostVersions.UNKNOWN);
        HostCapabilities reported =
                new HostValues()
                        .put(HostField.SOFTWARE_VERSION, "4.50.7")
                        .put(HostField.SOFTWARE_REVISION, "1.el9")
                        .put(HostField.PACKAGE_KERNEL, "5.14.0-427")
                        .put(HostField.PACKAGE_QEMU_KVM, "9.0.0-10")
                        .put(HostField.PACKAGE_LIBVIRT, "10.5.0-7")
                        .put(HostField.BOOT_UUID, "b1")
                        .capabilities();
        store.write(List.of(new HostChange(HOST.id(), UP, List.of(), reported, null)));
        assertThat(versions())
                .isEqualTo(
                        new HostVersions(
                                "4.50.7", "1.el9", "5.14.0-427", "9.0.0-10", "10.5.0-7", "b1"));
        store.write(List.of(HostChange.of(HOST.id(), HostCondition.of(HostStatus.CONNECTING))));
        assertThat(versions().kernel()).as("kept while it is silent").isEqualTo("5.14.0-427");
    }

    private HostVersions versions() throws StoreUnavailable {
        return store.loadAll().getFirst().versions();
    }

    @Test
    void aRemovedHostIsGoneAndItsNameIsFree() throws StoreUnavailable {
        store.add(HOST);
        store.add(Samples.hostDefinition(2));
        store.write(
                List.of(new HostChange(HOST.id(), UP, List.of(), capabilities("4.50.7"), null)));
        assertThat(store.remove(HOST.id())).isEqualTo(Removal.REMOVED);
        assertThat(store.remove(HOST.id())).isEqualTo(Removal.UNKNOWN);
        assertThat(store.loadAll())
                .extracting(StoredHost::definition)
                .containsExactly(Samples.hostDefinition(2));
        assertThat(store.add(new HostDefinition(Samples.host(3), HOST.name(), "x", 1))).isTrue();
    }

    @Test
    void aHostThatVmsAreOnOrMigrateToStays() throws StoreUnavailable {
        HostDefinition target = Samples.hostDefinition(2);
        store.add(HOST);
        store.add(target);
        vms().add(
                        List.of(
                                new StoredVm(
                                        Samples.vm(1),
                                        Samples.definition(1),
                                        VmRuntime.INITIAL,
                                        VmPlacement.on(HOST.id()).withMigratingTo(target.id()))));
        assertThat(store.remove(HOST.id())).isEqualTo(Removal.IN_USE);
        assertThat(store.remove(target.id())).isEqualTo(Removal.IN_USE);
        assertThat(store.loadAll())
                .extracting(StoredHost::definition)
                .containsExactlyInAnyOrder(HOST, target);
    }

    @Test
    void everythingThatWasDecidedAboutAHostIsKept() throws StoreUnavailable {
        store.add(HOST);
        for (HostCondition condition :
                List.of(
                        new HostCondition(
                                HostStatus.NON_OPERATIONAL,
                                HostStatus.UP,
                                NonOperationalReason.NETWORK_UNREACHABLE,
                                Samples.AWKWARD,
                                Long.MAX_VALUE,
                                Integer.MAX_VALUE),
                        HostCondition.of(HostStatus.MAINTENANCE).withMaintenanceReason("a disk"),
                        HostCondition.of(HostStatus.MAINTENANCE))) {
            assertThat(store.write(List.of(HostChange.of(HOST.id(), condition))))
                    .isEqualTo(written(1));
            assertThat(store.loadAll()).containsExactly(new StoredHost(HOST, condition));
        }
    }

    private static CertificateBinding pinned(String digit, String subject) {
        return new CertificateBinding(
                CertificateBinding.Kind.PINNED,
                new CertificateFingerprint(digit.repeat(64)),
                subject,
                Instant.parse("2026-11-23T18:00:00.123Z"));
    }

    @Test
    void aNewHostIsBoundToNoCertificate() throws StoreUnavailable {
        store.add(HOST);
        assertThat(store.loadCertificates()).isEmpty();
    }

    @Test
    void certificatesAreSavedAndOnlyDifferencesAreWritten() throws StoreUnavailable {
        store.add(HOST);
        store.add(Samples.hostDefinition(2));
        CertificateBinding first = pinned("a", "O=example,CN=h " + Samples.AWKWARD);
        List<BoundHost> bindings =
                Stream.of(
                                new BoundHost(HOST.id(), first),
                                new BoundHost(
                                        Samples.host(2),
                                        CertificateBinding.open(
                                                Instant.parse("2026-01-01T00:00:00Z"))))
                        .sorted(Comparator.comparing(BoundHost::host))
                        .toList();
        assertThat(store.saveCertificates(bindings)).isEqualTo(written(2));
        assertThat(store.saveCertificates(bindings)).isEqualTo(written(0));
        assertThat(store.loadCertificates())
                .isEqualTo(
                        bindings.stream()
                                .collect(Collectors.toMap(BoundHost::host, BoundHost::binding)));

        CertificateBinding second =
                new CertificateBinding(
                        CertificateBinding.Kind.NAME,
                        new CertificateFingerprint("0".repeat(64)),
                        "CN=h",
                        Instant.parse("2026-11-24T00:00:00Z"));
        assertThat(store.saveCertificates(List.of(new BoundHost(HOST.id(), second))))
                .isEqualTo(written(1));
        assertThat(store.loadCertificates()).containsEntry(HOST.id(), second).hasSize(2);
    }

    @Test
    void theCertificateOfARemovedHostIsForgotten() throws StoreUnavailable {
        store.add(HOST);
        store.saveCertificates(List.of(new BoundHost(HOST.id(), pinned("a", "CN=h"))));
        store.remove(HOST.id());
        assertThat(store.saveCertificates(List.of(new BoundHost(HOST.id(), pinned("b", "CN=h")))))
                .as("of a host that is not there")
                .isEqualTo(written(0));
        assertThat(store.loadCertificates()).isEmpty();
        store.add(HOST);
        assertThat(store.loadCertificates()).isEmpty();
    }

    private static List<HostChange> sorted(HostChange... changes) {
        return Stream.of(changes).sorted(Comparator.comparing(HostChange::id)).toList();
    }

    private static HostCapabilities capabilities(String version) {
        return new HostValues()
                .put(HostField.CPU_MODEL, "EPYC")
                .put(HostField.CPU_FLAGS, "sse,avx")
                .put(HostField.CPU_SOCKETS, 2)
                .put(HostField.CPU_SPEED, 2450.5)
                .put(HostField.CPU_TOPOLOGY, List.of(new HostCapabilities.Cpu.Place(0, 0, 0, 0, 0)))
                .put(HostField.MEMORY, 524_288L)
                .put(HostField.KVM_ENABLED, true)
                .put(HostField.SOFTWARE_VERSION, version)
                .put(HostField.PACKAGE_LIBVIRT, Samples.AWKWARD)
                .put(HostField.CLUSTER_LEVELS, List.of("4.7", Samples.AWKWARD))
                .put(HostField.DOMAIN_VERSIONS, List.of(0, 5))
                .put(HostField.KERNEL_FEATURES, Map.of(Samples.AWKWARD, Samples.AWKWARD))
                .put(HostField.NICS, Map.of("ens1", nic()))
                .put(HostField.BLOCK_SIZES, Map.of("NFS", List.of(512), "FCP", List.of(0)))
                .put(HostField.HOOKS, Map.of("before_vm_start", Map.of("50_x", "9f86")))
                .capabilities();
    }

    private static HostNetworks.Nic nic() {
        return new HostNetworks.Nic(
                HostNetworks.Ip.NONE, "3c:ec:ef:10:20:30", null, 10_000, null, null);
    }

    private static HostHardware hardware() {
        return new HostHardware("Maker", "Model", null, "S/N", "uuid", "family");
    }

    private static WriteOutcome written(int rows) {
        return new WriteOutcome.Written(rows, List.of());
    }
}
