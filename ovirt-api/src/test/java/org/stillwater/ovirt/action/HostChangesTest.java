package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostTraits;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;

class HostChangesTest {

    private static final HostDefinition HOST =
            new HostDefinition(
                    new HostId(new UUID(5, 1)),
                    "node",
                    "192.0.2.1",
                    54_321,
                    ClusterId.DEFAULT,
                    new HostTraits(true, true, true, true, "rack 7"));

    private static HostDefinition defined(String body) {
        return HostChanges.defined(
                HostChanges.RULES.read(Bodies.of(body), "edit Host"),
                HOST,
                ClusterId.DEFAULT,
                "edit Host");
    }

    /** As Ansible sends it, whose module always has a password or a key. */
    @Test
    void elementsForTheInstallationAreIgnored() {
        assertThat(
                        defined(
                                "<host><name>node</name><address>192.0.2.1</address>"
                                        + "<root_password>secret</root_password>"
                                        + "<ssh><port>22</port></ssh></host>"))
                .isEqualTo(HOST);
    }

    @Test
    void missingElementsStayUnchanged() {
        HostDefinition changed =
                defined(
                        "{\"address\":\"node.example.org\",\"port\":\"54322\",\"power_management\":{\"enabled\":false}}");
        assertThat(changed.address()).isEqualTo("node.example.org");
        assertThat(changed.port()).isEqualTo(54_322);
        assertThat(changed.traits()).isEqualTo(new HostTraits(false, true, true, true, "rack 7"));
        assertThat(changed.name()).isEqualTo("node");
    }

    /** As oVirt: a host has a comment, which can be cleared; its description is dropped there. */
    @Test
    void theCommentOfAHostIsKept() {
        HostDefinition noted =
                defined("<host><comment>rack 8</comment><description>x</description></host>");
        assertThat(noted.traits()).isEqualTo(new HostTraits(true, true, true, true, "rack 8"));
        assertThat(defined("<host><comment/></host>").traits().comment()).isEmpty();
        assertThatThrownBy(() -> defined("{\"comment\":\"" + "x".repeat(4_001) + "\"}"))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("at most 4000 characters");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    <host><spm><priority>7</priority></spm></host>                           | 400 | spm/priority
                    <host><os><custom_kernel_cmdline>quiet</custom_kernel_cmdline></os></host> | 400 | os/custom_kernel_cmdline
                    <host><power_management><automatic_pm_enabled>false</automatic_pm_enabled></power_management></host> | 400 | automatic_pm_enabled
                    <host><address>two words</address></host>                                | 400 | address
                    <host><port>0</port></host>                                              | 400 | port
                    """)
    void unsupportedElementsAreRefusedByName(String body, int status, String element) {
        assertThatThrownBy(() -> defined(body))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(status))
                .hasMessageContaining(element);
    }
}
