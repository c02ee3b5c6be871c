package org.stillwater.core.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;

class ClusterTest {

    private static CompatibilityVersion version(String text) {
        return CompatibilityVersion.parse(text);
    }

    @Test
    void versionsAreOrderedByNumbersNotByText() {
        assertThat(version("4.10")).isGreaterThan(version("4.8"));
        assertThat(version("4.8")).isLessThan(version("5.0")).hasToString("4.8");
        assertThat(version("04.8")).isEqualTo(new CompatibilityVersion(4, 8));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "4", "4.", ".8", "4.8.1", "-4.8", "4.8 ", "99999.1", "vier.acht"})
    void otherTextsThanVersionsAreRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> version(text));
    }

    @ParameterizedTest
    @CsvSource({
        "4.2, 4.7, 4.1, false",
        "4.2, 4.7, 4.2, true",
        "4.2, 4.7, 4.7, true",
        "4.2, 4.7, 4.8, false",
        ", 4.7, 3.0, true",
        "4.2, , 9.9, true",
        ", , 1.0, true"
    })
    void aCpuTypeIsKnownToARangeOfVersions(
            String since, String until, String asked, boolean known) {
        CpuType type =
                new CpuType(
                        "Intel Westmere Family",
                        Set.of("model_Westmere"),
                        since == null ? null : version(since),
                        until == null ? null : version(until));
        assertThat(type.isKnownTo(version(asked))).isEqualTo(known);
    }

    @Test
    void theArchitectureShowsInTheMachineTypes() {
        assertThat(CpuArchitecture.emulating(List.of("none", "pc-i440fx-rhel7.6.0", "q35")))
                .isEqualTo(CpuArchitecture.X86_64);
        assertThat(CpuArchitecture.emulating(List.of("pseries-rhel9.0.0")))
                .isEqualTo(CpuArchitecture.PPC64);
        assertThat(CpuArchitecture.emulating(List.of("s390-ccw-virtio-rhel9.2.0")))
                .isEqualTo(CpuArchitecture.S390X);
        assertThat(CpuArchitecture.emulating(List.of("virt-rhel9.2.0")))
                .isEqualTo(CpuArchitecture.AARCH64);
        assertThat(CpuArchitecture.emulating(List.of("none", "isapc", "virtual"))).isNull();
        assertThat(CpuArchitecture.emulating(List.of())).isNull();
        assertThat(CpuArchitecture.emulating(List.of("pc", "pseries")))
                .as("who says both says nothing")
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "two\nlines", "a\0b"})
    void aNameIsText(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DataCentre(DataCentreId.DEFAULT, name, ""))
                .withMessageContaining("data centre");
        assertThatIllegalArgumentException().isThrownBy(() -> new ClusterNetwork(name, true, true));
    }

    @Test
    void listsAreBounded() {
        List<String> many = Collections.nCopies(1_001, "pc");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> requirements(many, List.of()))
                .withMessageContaining("at most 1000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CpuType("x", Set.of(), null, null));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new Cluster(
                                ClusterId.DEFAULT,
                                DataCentreId.DEFAULT,
                                "x",
                                "y".repeat(4_001),
                                HostRequirements.NONE,
                                MigrateOnError.ALL,
                                FencingPolicy.DEFAULT,
                                MemoryThresholds.DEFAULT));
    }

    @Test
    void aNetworkIsThereOnce() {
        ClusterNetwork blue = new ClusterNetwork("blue", true, true);
        ClusterNetwork amber = new ClusterNetwork("amber", false, true);
        assertThat(requirements(List.of(), List.of(blue, amber)).networks())
                .containsExactly(amber, blue);
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        requirements(
                                List.of(), List.of(blue, new ClusterNetwork("blue", false, true))))
                .withMessageContaining("blue");
    }

    @Test
    void thresholdsHaveBounds() {
        assertThatIllegalArgumentException().isThrownBy(() -> new MemoryThresholds(-1, 95));
        assertThatIllegalArgumentException().isThrownBy(() -> new MemoryThresholds(1, 101));
        assertThat(MemoryThresholds.DEFAULT).isEqualTo(new MemoryThresholds(1024, 95));
    }

    @Test
    void theFirstClusterDemandsNothing() {
        assertThat(Cluster.DEFAULT.requirements()).isEqualTo(HostRequirements.NONE);
        assertThat(ClusterId.parse("00000000-0000-0000-0000-000000000001"))
                .isEqualTo(ClusterId.DEFAULT)
                .isLessThan(new ClusterId(new UUID(0, 2)));
        assertThat(DataCentreId.parse(DataCentreId.DEFAULT.toString()))
                .isEqualTo(DataCentreId.DEFAULT)
                .isLessThan(new DataCentreId(new UUID(0, 2)));
    }

    private static HostRequirements requirements(
            List<String> machines, List<ClusterNetwork> networks) {
        return new HostRequirements(
                null, null, null, machines, null, Set.of(), Set.of(), null, false, true, networks);
    }
}
