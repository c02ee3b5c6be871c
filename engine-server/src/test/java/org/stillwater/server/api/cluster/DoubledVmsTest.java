package org.stillwater.server.api.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.stillwater.command.definition.Definitions;
import org.stillwater.command.pool.PoolKeeper;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.ClusterSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Lists of VMs that name one twice. */
class DoubledVmsTest {

    private static final String VM = "00000000-0000-000a-0000-00000000000b";

    private final FleetReader fleet = mock(FleetReader.class);
    private final CallerScope scope = new CallerScope(fleet, new Callers());

    private static JsonNode body(String members) {
        return JsonMapper.shared()
                .readTree(
                        "{\"name\":\"x\",%s\"vms\":[\"%s\",\"%s\"]}"
                                .formatted(members, VM, VM.toUpperCase(Locale.ROOT)));
    }

    @Test
    void aPoolRefusesThem() {
        PoolController pools = new PoolController(fleet, mock(PoolKeeper.class), scope);
        assertThatThrownBy(() -> pools.add(body("\"size\":2,")))
                .isInstanceOf(ApiException.class)
                .hasMessage("vms names " + VM + " twice");
    }

    @Test
    void anAffinityGroupRefusesThem() {
        ClusterSettings settings =
                new Binder(new MapConfigurationPropertySource(Map.of()))
                        .bindOrCreate("stillwater.clusters", ClusterSettings.class);
        AffinityGroupController groups =
                new AffinityGroupController(fleet, mock(Definitions.class), scope, settings);
        assertThatThrownBy(() -> groups.add(body("")))
                .isInstanceOf(ApiException.class)
                .hasMessage("vms names " + VM + " twice");
    }
}
