package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.id.DataCentreId;

class ClusterChangesTest {

    private static Cluster defined(String body, String verb) {
        return ClusterChanges.defined(
                ClusterChanges.RULES.read(Bodies.of(body), verb),
                Cluster.DEFAULT,
                DataCentreId.DEFAULT,
                verb);
    }

    @Test
    void demandsOfAClusterAreStored() {
        Cluster cluster =
                defined(
                        "<cluster><name>east</name><description>first floor</description>"
                            + "<version><major>4</major><minor>8</minor></version>"
                            + "<cpu><architecture>x86_64</architecture></cpu>"
                            + "<error_handling><on_error>migrate_highly_available</on_error></error_handling>"
                            + "<fencing_policy><skip_if_connectivity_broken><enabled>true</enabled>"
                            + "<threshold>30</threshold></skip_if_connectivity_broken>"
                            + "<skip_if_sd_active><enabled>true</enabled></skip_if_sd_active></fencing_policy>"
                            + "<fips_mode>enabled</fips_mode>"
                            + "<required_rng_sources><rng_source>hwrng</rng_source></required_rng_sources>"
                            + "</cluster>",
                        "add Cluster");
        assertThat(cluster.name()).isEqualTo("east");
        assertThat(cluster.description()).isEqualTo("first floor");
        assertThat(cluster.requirements().version()).isEqualTo(new CompatibilityVersion(4, 8));
        assertThat(cluster.requirements().architecture()).isEqualTo(CpuArchitecture.X86_64);
        assertThat(cluster.requirements().fips()).isTrue();
        assertThat(cluster.requirements().rngSources()).containsExactly("hwrng");
        assertThat(cluster.migrateOnError()).isEqualTo(MigrateOnError.HIGHLY_AVAILABLE);
        assertThat(cluster.fencing()).isEqualTo(new FencingPolicy(true, 30, true));
    }

    /** Clients send back all that they read together with their change. */
    @Test
    void shownDefaultsOfAClusterAreNoDemands() {
        assertThat(
                        defined(
                                "<cluster><version><major>4</major><minor>7</minor></version>"
                                    + "<cpu><architecture>x86_64</architecture><type></type></cpu>"
                                    + "<fencing_policy><enabled>true</enabled><skip_if_connectivity_broken>"
                                    + "<enabled>false</enabled><threshold>50</threshold>"
                                    + "</skip_if_connectivity_broken></fencing_policy>"
                                    + "<required_rng_sources><rng_source>urandom</rng_source></required_rng_sources>"
                                    + "<switch_type>legacy</switch_type><comment></comment>"
                                    + "<virt_service>true</virt_service></cluster>",
                                "edit Cluster"))
                .isEqualTo(Cluster.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    <cluster><comment>rack 7</comment></cluster>                        | 400 | comment
                    <cluster><gluster_service>true</gluster_service></cluster>          | 400 | gluster_service
                    <cluster><cpu><type>Intel Nehalem Family</type></cpu></cluster>     | 400 | cpu/type
                    <cluster><migration><policy id="x"/></migration></cluster>          | 400 | migration/policy
                    <cluster><fips_mode>maybe</fips_mode></cluster>                     | 400 | fips_mode
                    <cluster><error_handling><on_error>hope</on_error></error_handling></cluster> | 400 | on_error
                    """)
    void unsupportedElementsAreRefusedByName(String body, int status, String element) {
        assertThatThrownBy(() -> defined(body, "edit Cluster"))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(status))
                .hasMessageContaining(element);
    }
}
