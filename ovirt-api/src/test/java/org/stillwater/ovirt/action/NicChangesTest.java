package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.ovirt.action.NicChanges.Connection;

class NicChangesTest {

    private static final UUID NIC = new UUID(7, 1);
    private static final UUID PROFILE = new UUID(7, 2);
    private static final String MAC = "00:1A:4A:16:01:56";
    private static final Definition BARE = Bodies.definition(VmSpecification.BARE);

    private static Definition wired() {
        return NicChanges.added(
                BARE,
                Bodies.of("<nic><name>nic1</name><vnic_profile id='p'/></nic>"),
                new Connection(PROFILE, "blue"),
                NIC,
                MAC);
    }

    private static VmInterface only(Definition definition) {
        assertThat(definition.specification().interfaces()).hasSize(1);
        return definition.specification().interfaces().getFirst();
    }

    @Test
    void anInterfaceIsInBothPartsOfTheDefinition() {
        Definition wired = wired();
        assertThat(only(wired))
                .isEqualTo(new VmInterface(NIC, "nic1", "00:1a:4a:16:01:56", "blue"));
        assertThat(wired.definition().nics())
                .containsExactly(new VmNic(NIC, "nic1", "00:1a:4a:16:01:56", PROFILE, 10_000));
        assertThat(wired.priority()).isEqualTo(7);
    }

    @Test
    void missingElementsStayUnchanged() {
        Definition changed =
                NicChanges.changed(
                        wired(),
                        Bodies.of("{\"interface\":\"e1000\",\"linked\":\"false\"}"),
                        null,
                        NIC);
        VmInterface nic = only(changed);
        assertThat(nic.name()).isEqualTo("nic1");
        assertThat(nic.network()).isEqualTo("blue");
        assertThat(nic.model()).isEqualTo(VmInterface.Model.E1000);
        assertThat(nic.linked()).isFalse();
        assertThat(changed.definition().nics())
                .containsExactly(new VmNic(NIC, "nic1", "00:1a:4a:16:01:56", PROFILE, 1_000));
    }

    @Test
    void anInterfaceIsPluggedAndUnplugged() {
        Definition out = NicChanges.plugged(wired(), NIC, false);
        assertThat(only(out).unplugged()).isTrue();
        assertThat(out.definition()).as("it is an interface still").isEqualTo(wired().definition());
        assertThat(NicChanges.plugged(out, NIC, true)).isEqualTo(wired());
        assertThat(NicChanges.changed(out, Bodies.of("{\"linked\":true}"), null, NIC))
                .as("what is not said stays")
                .isEqualTo(out);
        assertThat(NicChanges.changed(wired(), Bodies.of("{\"plugged\":\"false\"}"), null, NIC))
                .isEqualTo(out);
        assertThat(NicChanges.changed(out, Bodies.of("{\"plugged\":true}"), null, NIC))
                .isEqualTo(wired());
        Definition added =
                NicChanges.added(
                        BARE,
                        Bodies.of("<nic><name>nic1</name><plugged>false</plugged></nic>"),
                        null,
                        NIC,
                        MAC);
        assertThat(only(added).unplugged()).isTrue();
        assertThatThrownBy(() -> NicChanges.plugged(BARE, NIC, true))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(404));
    }

    @Test
    void anotherNetworkTakesTheProfileAway() {
        Definition changed =
                NicChanges.changed(wired(), Bodies.of("<nic/>"), new Connection(null, "red"), NIC);
        assertThat(only(changed).network()).isEqualTo("red");
        assertThat(changed.definition().nics().getFirst().vnicProfile()).isNull();
    }

    @Test
    void anInterfaceIsTakenAway() {
        Definition without = NicChanges.without(wired(), NIC);
        assertThat(without).isEqualTo(BARE);
        assertThatThrownBy(() -> NicChanges.without(without, NIC))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(404));
    }

    @Test
    void aNameIsOfOneInterface() {
        assertThatThrownBy(() ->
                        NicChanges.added(
                                wired(),
                                Bodies.of("<nic><name>nic1</name></nic>"),
                                null,
                                new UUID(7, 3),
                                "00:1a:4a:16:01:57"))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(409))
                .hasMessageContaining("already in use");
    }

    /** oVirt has no place for them either; clients send them, as oVirt's own examples do. */
    @Test
    void aDescriptionIsIgnoredAsByOvirt() {
        Body body =
                Bodies.of("<nic><description>for the roof</description><name>nic1</name></nic>");
        assertThat(NicChanges.RULES.read(body).text("name")).isEqualTo("nic1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    <nic><on_boot>true</on_boot></nic>                      | on_boot
                    <nic><network_filter_parameters><network_filter_parameter><name>IP</name></network_filter_parameter></network_filter_parameters></nic> | network_filter_parameters
                    """)
    void unsupportedElementsAreRefusedByName(String body, String element) {
        assertThatThrownBy(() -> NicChanges.RULES.read(Bodies.of(body), "add Interface"))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(400))
                .hasMessageContaining("Cannot add Interface")
                .hasMessageContaining(element);
    }

    @ParameterizedTest
    @CsvSource({"pci_passthrough", "rtl8139_virtio", "nonsense"})
    void aModelThatIsNotThereIsRefused(String model) {
        assertThatThrownBy(() ->
                        NicChanges.changed(
                                wired(),
                                Bodies.of("{\"interface\":\"%s\"}".formatted(model)),
                                null,
                                NIC))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(400))
                .hasMessageContaining(model);
    }
}
