package org.stillwater.server.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.fence.FenceAgent;
import tools.jackson.databind.json.JsonMapper;

/** Agents as oVirt 4.4 and 4.5 answer them, and the input that their programs get there. */
class FenceAgentPlannerTest {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private static FenceAgent plan(String type, String port, Map<String, String> options) {
        StringBuilder list = new StringBuilder();
        options.forEach((name, value) ->
                list.append(list.isEmpty() ? "" : ",")
                        .append("{\"name\": \"%s\", \"value\": \"%s\"}".formatted(name, value)));
        return FenceAgentPlanner.plan(
                MAPPER.readTree(
                        """
                        {"id": "1", "type": "%s", "address": "10.0.0.1", "username": "fence", "order": "1",
                         "encrypt_options": "false", %s "options": {"option": [%s]}, "host": {"id": "2"}}
                        """
                                .formatted(
                                        type,
                                        port.isEmpty() ? "" : "\"port\": \"" + port + "\",",
                                        list)));
    }

    @Test
    @DisplayName("a slot is the plug of a power strip, and the repeated port is none")
    void plugs() {
        FenceAgent strip = plan("apc", "23", Map.of("port", "23", "slot", "7", "secure", "true"));
        assertThat(strip.port()).isEqualTo(23);
        assertThat(strip.options()).isEqualTo(Map.of("port", "7", "secure", "1"));
        assertThat(plan("wti", "", Map.of("port", "2222")).port()).isEqualTo(2222);
        assertThat(plan("drac5", "", Map.of("slot", "server-1")).options())
                .isEqualTo(Map.of("port", "server-1"));
        assertThat(plan("hpblade", "5", Map.of("port", "5")).options())
                .isEqualTo(Map.of("port", "5"));
    }

    @Test
    @DisplayName("a management board of IPMI keeps its port and its options")
    void boards() {
        FenceAgent board = plan("ipmilan", "623", Map.of("port", "623", "lanplus", "1"));
        assertThat(board.port()).isEqualTo(623);
        assertThat(board.options()).isEqualTo(Map.of("lanplus", "1"));
        assertThat(plan("ilo2", "443", Map.of("secure", "yes")).options())
                .isEqualTo(Map.of("ssl", "1"));
        assertThat(plan("redfish", "", Map.of("secure", "no")).options())
                .isEqualTo(Map.of("ssl", "0", "ssl_insecure", "1"));
    }

    @Test
    @DisplayName("options that oVirt adds by itself come along, unless they are given")
    void added() {
        assertThat(plan("ilo4", "", Map.of("power_wait", "9")).options())
                .isEqualTo(Map.of("lanplus", "1", "power_wait", "9"));
        FenceAgent dell = plan("drac7", "", Map.of());
        assertThat(dell.type()).isEqualTo("ipmilan");
        assertThat(dell.options())
                .isEqualTo(Map.of("privlvl", "OPERATOR", "lanplus", "1", "delay", "10"));
    }

    @Test
    @DisplayName("agents of another Stillwater are kept as they are")
    void ours() {
        FenceAgent strip =
                FenceAgentPlanner.plan(
                        MAPPER.readTree(
                                """
                                {"type": "apc", "address": "10.0.0.1", "port": "23",
                                 "options": {"option": [{"name": "port", "value": "7"},
                                                        {"name": "secure", "value": "yes"}]}}
                                """));
        assertThat(strip.port()).isEqualTo(23);
        assertThat(strip.options()).isEqualTo(Map.of("port", "7", "secure", "yes"));
    }

    @Test
    @DisplayName("a port that is no number is refused")
    void port() {
        assertThatThrownBy(() -> plan("apc", "x", Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("its port is no number");
    }
}
