package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.VmConsole;
import org.stillwater.core.model.VmId;
import org.stillwater.core.model.VmOrigin;
import org.stillwater.core.model.VmSpecification;
import org.stillwater.core.model.VmStatic;
import org.stillwater.core.port.DefinitionStore.Definition;
import org.stillwater.monitoring.vm.VmView;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.xml.XmlMapper;

class VmDefinitionsTest {

    private static final Definition STORED =
            new Definition(
                    new VmStatic("own", VmOrigin.OVIRT, false, 64, 64, 1, 1, 1, List.of()),
                    VmSpecification.BARE,
                    7,
                    null,
                    null);

    /** Nothing is asked of the server here. */
    private static final class NoDesk implements DefinitionDesk {
        @Override
        public String text(Definition definition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void recorded(VmId vm, Definition definition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String nextMac() {
            throw new UnsupportedOperationException();
        }

        @Override
        public VmView owner(VmId vm, String mac, ClusterId cluster) {
            throw new UnsupportedOperationException();
        }
    }

    private static Definition once(String json) throws IOException {
        Body body =
                Body.read(
                        new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)),
                        1_000,
                        new XmlMapper(),
                        new JsonMapper());
        return new VmDefinitions(new NoDesk()).once(body, () -> STORED);
    }

    @Test
    void aRunThatDiffersIsOfTheSameVm() throws IOException {
        Definition once = once("{\"name\":\"other\",\"display\":{\"type\":\"spice\"}}");
        assertThat(once.definition()).isEqualTo(STORED.definition());
        assertThat(once.priority()).isEqualTo(7);
        assertThat(once.specification().consoles())
                .extracting(VmConsole::protocol)
                .containsExactly(VmConsole.Protocol.SPICE);
        assertThat(once("{\"name\":\"other\"}")).isNull();
    }
}
