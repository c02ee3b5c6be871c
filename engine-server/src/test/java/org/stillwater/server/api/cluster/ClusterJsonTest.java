package org.stillwater.server.api.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.JsonObjectReader;
import tools.jackson.databind.json.JsonMapper;

class ClusterJsonTest {

    private static Cluster read(Hypervisor managedBy, String body) {
        return ClusterJson.read(
                new ClusterId(new UUID(0, 1)),
                managedBy,
                JsonObjectReader.of(JsonMapper.shared().readTree(body.replace('\'', '"'))),
                _ -> DataCentre.DEFAULT);
    }

    /** It would write into the terminal of everybody who reads the log. */
    @Test
    void aNameHidesNoCharacters() {
        assertThat(read(Hypervisor.VDSM, "{'name':' Zürich 1 '}").name()).isEqualTo("Zürich 1");
        for (String hidden : List.of("\\u001b[31m", "\\u202e", "\\u200b", "\\n x", "\\u0000")) {
            assertThatThrownBy(() -> read(Hypervisor.VDSM, "{'name':'a" + hidden + "b'}"))
                    .as(hidden)
                    .isInstanceOf(ApiException.class)
                    .hasMessageStartingWith("name must be text without");
        }
    }

    @Test
    void theManagerOfTheHostsMayBeSentBackAndIsNotChanged() {
        for (Hypervisor each : Hypervisor.values()) {
            assertThat(read(each, "{'name':'a'}").hypervisor()).isEqualTo(each);
            assertThat(
                            read(each, "{'name':'a','hypervisor':'%s'}".formatted(each.label()))
                                    .hypervisor())
                    .isEqualTo(each);
        }
        assertThatThrownBy(() -> read(Hypervisor.VDSM, "{'name':'a','hypervisor':'xapi'}"))
                .isInstanceOf(ApiException.class)
                .hasMessage(
                        "hypervisor is read-only: the hosts of this cluster are managed by vdsm");
        assertThatThrownBy(() -> read(Hypervisor.XAPI, "{'name':'a','hypervisor':'vdsm'}"))
                .hasMessageContaining("hypervisor is read-only");
        assertThatThrownBy(() -> read(Hypervisor.VDSM, "{'name':'a','hypervisor':5}"))
                .hasMessageContaining("hypervisor must be text");
    }
}
