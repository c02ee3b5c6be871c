package org.stillwater.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.stillwater.core.vm.RuntimeField;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class AccountsTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void ofAMigratingVmTheResponsibleSideCounts() {
        JsonNode state =
                JSON.readTree(
                        """
                        {"hosts": [
                          {"name": "a", "vms": [{"id": "1", "home": true, "status": "Migration Source", "exit": null,
                            "pauseCode": "NOERR", "clientIp": "", "graphics": [{"type": "vnc", "address": "x", "port": 5900,
                            "tlsPort": null}], "guest": {"userName": "root", "interfaces": [
                              {"name": "lo", "ipv4": ["127.0.0.1"], "ipv6": []},
                              {"name": "eth0", "ipv4": ["10.0.0.1"], "ipv6": ["fe80::1"]}]}}]},
                          {"name": "b", "vms": [{"id": "1", "home": false, "status": "Migration Destination", "exit": null},
                            {"id": "2", "home": true, "status": "Down", "exit": {"code": 1}}]}]}
                        """);
        JsonNode vms = JSON.readTree("[{\"id\": \"1\"}, {\"id\": \"2\"}, {\"id\": \"3\"}]");

        Facts facts = Accounts.ofHosts(state, vms);

        assertThat(facts.hosts()).containsOnlyKeys("a", "b").containsEntry("a", "up");
        Facts.Vm running = facts.vms().get("1");
        assertThat(running.status()).isEqualTo("migrating_from");
        assertThat(running.host()).isEqualTo("a");
        assertThat(running.values())
                .containsEntry("pauseStatus", "noerr")
                .containsEntry("guestUser", "root")
                .containsEntry("guestIps", "10.0.0.1 fe80::1")
                .containsEntry("vncPort", "5900")
                .containsEntry("vncTlsPort", null)
                .containsEntry("spicePort", null)
                .containsEntry("clientIp", "");
        assertThat(facts.vms().get("2").status()).isEqualTo("down");
        assertThat(facts.vms().get("3").status()).isEqualTo("down");
        assertThat(facts.vms().get("3").host()).isNull();
    }

    @Test
    void theEnginesAnswersAreReadByName() {
        JsonNode hosts = JSON.readTree("[{\"id\": \"h\", \"name\": \"a\", \"status\": \"up\"}]");
        JsonNode vms =
                JSON.readTree(
                        """
                        [{"id": "1", "status": "up", "hostId": "h", "migratingToHostId": null, "guestUser": "root",
                          "lastStartAt": "2026-11-22T12:00:00.123456789Z", "lastStopAt": null, "guestNics": []}]
                        """);
        JsonNode ofVm =
                JSON.readTree("{\"kind\": \"ha_restart\", \"vmId\": \"1\", \"runGeneration\": 4}");
        JsonNode ofHost =
                JSON.readTree(
                        "{\"kind\": \"fence\", \"vmId\": null, \"hostId\": \"h\", \"episode\": 2,"
                                + " \"attempt\": 0}");

        Facts facts = Accounts.ofEngine(vms, hosts, List.of(ofVm, ofHost));

        assertThat(facts.vms().get("1").host()).isEqualTo("a");
        assertThat(facts.vms().get("1").values())
                .containsEntry("guestUser", "root")
                .containsEntry("lastStart", "2026-11-22T12:00:00.123456Z")
                .containsEntry("lastStop", null);
        assertThat(facts.work()).containsExactlyInAnyOrder("ha_restart 1 4", "fence a 2.0");
    }

    @Test
    void membersAreSpelledAsTheInterfaceDoes() {
        assertThat(Accounts.member(RuntimeField.GUEST_OS_TYPE)).isEqualTo("guestOsType");
        assertThat(Accounts.member(RuntimeField.STATUS)).isEqualTo("status");
    }
}
