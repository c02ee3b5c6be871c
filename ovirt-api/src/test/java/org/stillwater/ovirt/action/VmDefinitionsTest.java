package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.store.DefinitionStore.Definition;

class VmDefinitionsTest {

    private static final Definition STORED =
            new Definition(
                    new VmStatic("own", VmOrigin.OVIRT, false, 64, 64, 1, 1, 1, List.of()),
                    VmSpecification.BARE,
                    7,
                    null,
                    null);

    private static Definition once(String json) {
        return new VmDefinitions(new Written.Desk()).once(Bodies.of(json), () -> STORED);
    }

    @Test
    void aRunThatDiffersIsOfTheSameVm() {
        Definition once = once("{\"name\":\"other\",\"display\":{\"type\":\"spice\"}}");
        assertThat(once.definition()).isEqualTo(STORED.definition());
        assertThat(once.priority()).isEqualTo(7);
        assertThat(once.specification().consoles())
                .extracting(VmConsole::protocol)
                .containsExactly(VmConsole.Protocol.SPICE);
        assertThat(once("{\"name\":\"other\"}")).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"os\":{\"type\":\"rhel_9x64\"}}",
                "{\"display\":{\"monitors\":4}}",
                "{\"stateless\":true}",
                "{\"placement_policy\":{\"affinity\":\"pinned\"}}",
                "{\"placement_policy\":{\"hosts\":{\"host\":[{\"name\":\"a\"},{\"name\":\"b\"}]}}}"
            })
    void aRunIsRefusedUnsupportedElements(String json) {
        assertThatThrownBy(() -> once(json))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(400));
    }

    @Test
    void aRunThatNamesItsHostHasNothingElse() {
        assertThat(
                        once(
                                "{\"placement_policy\":{\"affinity\":\"migratable\",\"hosts\":{\"host\":{\"name\":\"a\"}}}}"))
                .isNull();
    }

    /** A fault names the client's request: VMs are added, changed and run by one table. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"name\":\"n\",\"soundcard_enabled\":true}",
                "{\"name\":\"n\",\"display\":{\"video_type\":\"cirrus\"}}",
                "{\"name\":\"n\",\"numa_tune_mode\":\"strict\"}",
                "{\"name\":\"n\",\"memory\":\"67108864\",\"memory_policy\":{\"guaranteed\":\"134217728\"}}"
            })
    void aFaultNamesTheAdditionOrEditOfAVm(String json) {
        assertThatThrownBy(() -> Written.added(json))
                .isInstanceOf(Refused.class)
                .message()
                .startsWith("[Cannot add VM")
                .endsWith(".]");
        assertThatThrownBy(() -> Written.over(json, STORED))
                .isInstanceOf(Refused.class)
                .message()
                .startsWith("[Cannot edit VM")
                .endsWith(".]");
    }

    @Test
    void aFaultOfARunNamesTheRun() {
        assertThatThrownBy(() -> once("{\"display\":{\"video_type\":\"cirrus\"}}"))
                .isInstanceOf(Refused.class)
                .message()
                .startsWith("[Cannot run VM: ");
    }

    /** As in a body of its own at /vms/{id}/nics. */
    @Test
    void anInterfaceOfAVmHasTheNetworkOfItsProfile() {
        Definition wired =
                Written.over(
                        """
                        <vm><nics>
                          <nic><name>nic1</name><interface>E1000</interface><vnic_profile id="%s"/></nic>
                          <nic><mac><address>56:6f:1a:00:00:78</address></mac></nic>
                        </nics></vm>
                        """
                                .formatted(Written.PROFILE),
                        STORED);
        assertThat(wired.specification().interfaces())
                .extracting(VmInterface::network)
                .containsExactly("blue", null);
        assertThat(wired.specification().interfaces().getFirst().model())
                .isEqualTo(VmInterface.Model.E1000);
        assertThat(wired.definition().nics())
                .extracting(VmNic::vnicProfile)
                .containsExactly(Written.PROFILE, null);
    }

    @Test
    void aLeaseIsOnAStorageDomainThatIsThere() {
        String body =
                "{\"lease\":{\"storage_domain\":{\"id\":\"%s\"}}}".formatted(Written.NO_DOMAIN);
        assertThatThrownBy(() -> Written.over(body, STORED))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(404))
                .hasMessageContaining(Written.NO_DOMAIN.toString());
        Definition leased =
                new Definition(
                        STORED.definition(), STORED.specification(), 7, Written.NO_DOMAIN, null);
        assertThat(Written.over(body, leased).lease())
                .as("what it has stays, also while no host reports the storage domain")
                .isEqualTo(Written.NO_DOMAIN);
    }
}
