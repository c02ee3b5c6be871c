package org.stillwater.core.analysis.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.host.NonOperationalReason.ARCHITECTURE_INCOMPATIBLE_WITH_CLUSTER;
import static org.stillwater.core.host.NonOperationalReason.CLUSTER_VERSION_INCOMPATIBLE_WITH_CLUSTER;
import static org.stillwater.core.host.NonOperationalReason.CPU_TYPE_INCOMPATIBLE_WITH_CLUSTER;
import static org.stillwater.core.host.NonOperationalReason.CPU_TYPE_UNSUPPORTED_IN_THIS_CLUSTER_VERSION;
import static org.stillwater.core.host.NonOperationalReason.EMULATED_MACHINES_INCOMPATIBLE_WITH_CLUSTER;
import static org.stillwater.core.host.NonOperationalReason.EMULATED_MACHINES_INCOMPATIBLE_WITH_CLUSTER_LEVEL;
import static org.stillwater.core.host.NonOperationalReason.FIPS_INCOMPATIBLE_WITH_CLUSTER;
import static org.stillwater.core.host.NonOperationalReason.HE_HOST_IN_NON_HE_CLUSTER;
import static org.stillwater.core.host.NonOperationalReason.HOST_FEATURES_INCOMPATIBILE_WITH_CLUSTER;
import static org.stillwater.core.host.NonOperationalReason.KVM_NOT_RUNNING;
import static org.stillwater.core.host.NonOperationalReason.MIXING_RHEL_VERSIONS_IN_CLUSTER;
import static org.stillwater.core.host.NonOperationalReason.NETWORK_UNREACHABLE;
import static org.stillwater.core.host.NonOperationalReason.RNG_SOURCES_INCOMPATIBLE_WITH_CLUSTER;
import static org.stillwater.core.host.NonOperationalReason.VERSION_INCOMPATIBLE_WITH_CLUSTER;
import static org.stillwater.core.host.NonOperationalReason.VM_NETWORK_IS_BRIDGELESS;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.ClusterNetwork;
import org.stillwater.core.cluster.CpuType;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.host.NonOperationalReason;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostValues;

class ClusterFitnessTest {

    private static final CompatibilityVersion ENGINE = new CompatibilityVersion(4, 5);

    private static final ClusterPeers NOBODY = new ClusterPeers(ENGINE, Set.of());

    private static final ClusterPeers ON_RHEL_8 =
            new ClusterPeers(
                    ENGINE, Set.of(new SystemMajor("RHEL", 8), new SystemMajor("oVirt Node", 4)));

    /** A cluster that demands something of everything. */
    private static final HostRequirements STRICT =
            new HostRequirements(
                    new CompatibilityVersion(4, 8),
                    new CpuType(
                            "Intel Haswell-noTSX Family",
                            Set.of("vmx", "nx", "model_Haswell-noTSX"),
                            null,
                            new CompatibilityVersion(4, 8)),
                    CpuArchitecture.X86_64,
                    List.of("pc-q35-rhel9.4.0", "pc-q35-rhel8.6.0"),
                    "pc-q35-rhel8.6.0",
                    Set.of("hwrng", "random"),
                    Set.of("libgfapi_supported"),
                    false,
                    true,
                    false,
                    List.of(
                            new ClusterNetwork("ovirtmgmt", true, true),
                            new ClusterNetwork("storage", true, false),
                            new ClusterNetwork("guests", false, true)));

    /** The report of a host that fits {@link #STRICT}. */
    private static final Map<HostField, Object> FIT =
            Map.ofEntries(
                    Map.entry(HostField.KVM_ENABLED, true),
                    Map.entry(HostField.SUPPORTED_ENGINES, List.of("4.4", "4.5")),
                    Map.entry(HostField.CLUSTER_LEVELS, List.of("4.7", "4.8")),
                    Map.entry(HostField.CPU_FLAGS, "fpu,vmx,nx,model_Haswell-noTSX,model_Westmere"),
                    Map.entry(
                            HostField.EMULATED_MACHINES,
                            List.of("pc-q35-rhel9.4.0", "q35", "pc-q35-rhel8.6.0")),
                    Map.entry(HostField.RNG_SOURCES, List.of("random", "hwrng")),
                    Map.entry(HostField.OS_NAME, "RHEL"),
                    Map.entry(HostField.OS_VERSION, "8.9"),
                    Map.entry(HostField.ADDITIONAL_FEATURES, List.of("libgfapi_supported", "more")),
                    Map.entry(HostField.FIPS_ENABLED, false),
                    Map.entry(HostField.HOSTED_ENGINE_DEPLOYED, false),
                    Map.entry(
                            HostField.NETWORKS,
                            Map.of("ovirtmgmt", network(true), "storage", network(false))));

    private static HostNetworks.Network network(@Nullable Boolean bridged) {
        return new HostNetworks.Network(
                HostNetworks.Ip.NONE, null, bridged, null, "eth0", null, List.of(), null, null);
    }

    private static HostValues fit() {
        HostValues host = new HostValues();
        FIT.forEach(host::put);
        return host;
    }

    private static HostValues fit(HostField field, Object value) {
        return fit().put(field, value);
    }

    private static @Nullable Unfitness check(HostValues host) {
        return check(host, STRICT, ON_RHEL_8);
    }

    private static @Nullable Unfitness check(
            HostValues host, HostRequirements needs, ClusterPeers peers) {
        return ClusterFitness.check(host.capabilities(), Cluster.DEFAULT.with(needs), peers);
    }

    /**
     * One fault.
     *
     * @param reason the name of the fault
     * @param field the field with the wrong value
     * @param value the wrong value
     * @param named the end of the message about it
     */
    record Case(NonOperationalReason reason, HostField field, Object value, String named) {}

    /** Every reason that a host's own words can give, in the order of their messages. */
    private static List<Case> cases() {
        return List.of(
                new Case(KVM_NOT_RUNNING, HostField.KVM_ENABLED, false, ""),
                new Case(
                        VERSION_INCOMPATIBLE_WITH_CLUSTER,
                        HostField.SUPPORTED_ENGINES,
                        List.of("4.4", "4.50"),
                        "4.5"),
                new Case(
                        CLUSTER_VERSION_INCOMPATIBLE_WITH_CLUSTER,
                        HostField.CLUSTER_LEVELS,
                        List.of("4.7", "4.80"),
                        "4.8"),
                new Case(
                        ARCHITECTURE_INCOMPATIBLE_WITH_CLUSTER,
                        HostField.EMULATED_MACHINES,
                        List.of("pseries-rhel9.0.0", "pseries"),
                        "PPC64 instead of X86_64"),
                new Case(
                        CPU_TYPE_INCOMPATIBLE_WITH_CLUSTER,
                        HostField.CPU_FLAGS,
                        "vmx,model_Haswell",
                        "model_Haswell-noTSX, nx"),
                new Case(
                        EMULATED_MACHINES_INCOMPATIBLE_WITH_CLUSTER_LEVEL,
                        HostField.EMULATED_MACHINES,
                        List.of("pc-q35-rhel7.6.0"),
                        "pc-q35-rhel9.4.0, pc-q35-rhel8.6.0"),
                new Case(
                        EMULATED_MACHINES_INCOMPATIBLE_WITH_CLUSTER,
                        HostField.EMULATED_MACHINES,
                        List.of("pc-q35-rhel9.4.0"),
                        "pc-q35-rhel8.6.0"),
                new Case(
                        RNG_SOURCES_INCOMPATIBLE_WITH_CLUSTER,
                        HostField.RNG_SOURCES,
                        List.of("random"),
                        "hwrng"),
                new Case(
                        MIXING_RHEL_VERSIONS_IN_CLUSTER,
                        HostField.OS_VERSION,
                        "9.4",
                        "RHEL 9 among RHEL 8"),
                new Case(
                        HOST_FEATURES_INCOMPATIBILE_WITH_CLUSTER,
                        HostField.ADDITIONAL_FEATURES,
                        List.of("more"),
                        "libgfapi_supported"),
                new Case(
                        FIPS_INCOMPATIBLE_WITH_CLUSTER,
                        HostField.FIPS_ENABLED,
                        true,
                        "it is in FIPS mode"),
                new Case(HE_HOST_IN_NON_HE_CLUSTER, HostField.HOSTED_ENGINE_DEPLOYED, true, ""),
                new Case(
                        NETWORK_UNREACHABLE,
                        HostField.NETWORKS,
                        Map.of("ovirtmgmt", network(true), "guests", network(true)),
                        "storage"),
                new Case(
                        VM_NETWORK_IS_BRIDGELESS,
                        HostField.NETWORKS,
                        Map.of(
                                "ovirtmgmt", network(true),
                                "storage", network(false),
                                "guests", network(false)),
                        "guests"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void eachFaultHasItsReason(Case given) {
        assertThat(check(fit())).isNull();
        Unfitness unfitness = Objects.requireNonNull(check(fit(given.field(), given.value())));
        assertThat(unfitness.reason()).isEqualTo(given.reason());
        if (given.reason() == KVM_NOT_RUNNING) {
            assertThat(unfitness.event()).isEqualTo(AuditEvent.VDS_RUN_IN_NO_KVM_MODE);
        } else {
            assertThat(unfitness.event()).isEqualTo(AuditEvent.VDS_SET_NONOPERATIONAL);
            assertThat(unfitness.details().get("reason"))
                    .startsWith(given.reason().clause())
                    .endsWith(given.named());
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theClusterThatTakesEveryHostMindsNothingButKvm(Case given) {
        Unfitness unfitness =
                check(fit(given.field(), given.value()), HostRequirements.NONE, ON_RHEL_8);
        assertThat(unfitness == null ? null : unfitness.reason())
                .isEqualTo(given.reason() == KVM_NOT_RUNNING ? KVM_NOT_RUNNING : null);
    }

    @Test
    void theFirstOfSeveralFaultsIsReported() {
        HostValues host = fit();
        // From the last to the first, so that each new fault comes before all others.
        for (Case next : cases().reversed()) {
            host.put(next.field(), next.value());
            assertThat(check(host)).extracting(Unfitness::reason).isEqualTo(next.reason());
        }
    }

    @Test
    void aCpuTypeThatTheClusterVersionDoesNotKnowCondemnsEveryHost() {
        HostRequirements later =
                new HostRequirements(
                        new CompatibilityVersion(4, 9),
                        STRICT.cpuType(),
                        null,
                        List.of(),
                        null,
                        Set.of(),
                        Set.of(),
                        null,
                        false,
                        true,
                        List.of());
        Unfitness unfitness =
                Objects.requireNonNull(
                        check(fit(HostField.CLUSTER_LEVELS, List.of("4.9")), later, NOBODY));
        assertThat(unfitness.reason()).isEqualTo(CPU_TYPE_UNSUPPORTED_IN_THIS_CLUSTER_VERSION);
        assertThat(unfitness.details().get("reason")).endsWith("Intel Haswell-noTSX Family in 4.9");
    }

    private static Set<HostField> decidedBy() {
        return FIT.keySet();
    }

    @ParameterizedTest
    @MethodSource("decidedBy")
    void aValueThatIsLeftOutIsNotHeldAgainstTheHost(HostField left) {
        HostValues host = new HostValues();
        FIT.forEach((field, value) -> host.put(field, field == left ? null : value));
        assertThat(check(host)).isNull();
    }

    @Test
    void missingDataDoesNotMakeAHostUnfit() {
        assertThat(check(new HostValues())).isNull();
    }

    @Test
    void unreadableDataDoesNotMakeAHostUnfit() {
        assertThat(check(fit(HostField.SUPPORTED_ENGINES, List.of("newest", "")))).isNull();
        assertThat(check(fit(HostField.CLUSTER_LEVELS, List.of("?")))).isNull();
        assertThat(check(fit(HostField.CPU_FLAGS, "  "))).isNull();
        assertThat(check(fit(HostField.OS_VERSION, "rolling"))).isNull();
        assertThat(check(fit(HostField.OS_NAME, "Debian").put(HostField.OS_VERSION, "13")))
                .as("another system is no other version of it")
                .isNull();
        assertThat(
                        check(
                                fit(
                                        HostField.NETWORKS,
                                        Map.of(
                                                "ovirtmgmt",
                                                network(null),
                                                "storage",
                                                network(null)))))
                .as("whether there is a bridge is not said")
                .isNull();
    }

    @Test
    void versionsAndFlagsAreUnderstoodWithBlanksAroundThem() {
        assertThat(check(fit(HostField.CLUSTER_LEVELS, List.of(" 4.8 ")))).isNull();
        assertThat(check(fit(HostField.CPU_FLAGS, "vmx nx\tmodel_Haswell-noTSX"))).isNull();
    }

    @Test
    void whereTwoMajorVersionsRunAlreadyNoneIsToBlame() {
        ClusterPeers mixed =
                new ClusterPeers(
                        ENGINE, Set.of(new SystemMajor("RHEL", 8), new SystemMajor("RHEL", 9)));
        assertThat(check(fit(), STRICT, mixed)).isNull();
        assertThat(check(fit(), STRICT, NOBODY)).as("the first host of a cluster").isNull();
    }

    @Test
    void aLongListOfFaultsStaysASentence() {
        List<ClusterNetwork> many = new ArrayList<>();
        for (int i = 10; i < 60; i++) {
            many.add(new ClusterNetwork("net" + i, true, false));
        }
        HostRequirements needs =
                new HostRequirements(
                        null, null, null, List.of(), null, Set.of(), Set.of(), null, false, true,
                        many);
        assertThat(Objects.requireNonNull(check(fit(), needs, NOBODY)).details().get("reason"))
                .endsWith(
                        "net10, net11, net12, net13, net14, net15, net16, net17, net18, net19 and"
                                + " 40 more");
    }

    @Test
    void theFirstHostChoosesTheBestMachineTypeThatItHas() {
        HostRequirements open = STRICT.withEmulatedMachine(null);
        HostValues old = fit(HostField.EMULATED_MACHINES, List.of("pc-q35-rhel8.6.0"));
        assertThat(machineToUse(fit(), open)).isEqualTo("pc-q35-rhel9.4.0");
        assertThat(machineToUse(old, open)).isEqualTo("pc-q35-rhel8.6.0");
        assertThat(machineToUse(old, STRICT)).as("it is chosen").isNull();
        assertThat(machineToUse(old, HostRequirements.NONE)).as("any will do").isNull();
    }

    private static @Nullable String machineToUse(HostValues host, HostRequirements needs) {
        return ClusterFitness.machineToUse(host.capabilities(), Cluster.DEFAULT.with(needs));
    }
}
