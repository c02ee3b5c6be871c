package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.model.VmConsole;
import org.stillwater.core.model.VmOrigin;
import org.stillwater.core.model.VmSpecification;
import org.stillwater.core.model.VmStatic;
import org.stillwater.core.port.DefinitionStore.Definition;

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
    void aRunIsRefusedWhatItWouldNotHave(String json) {
        assertThatThrownBy(() -> once(json))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(409));
    }

    @Test
    void aRunThatNamesItsHostHasNothingElse() {
        assertThat(
                        once(
                                "{\"placement_policy\":{\"affinity\":\"migratable\",\"hosts\":{\"host\":{\"name\":\"a\"}}}}"))
                .isNull();
    }
}
