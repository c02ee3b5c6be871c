package org.stillwater.fake.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Verbs, their arguments and their errors. */
class VerbTest {

    private final Lab lab = Lab.of(1, 3);

    @Test
    @DisplayName("8b.26 an unknown verb is −32601 with its name")
    void anUnknownVerb() {
        Lab.Answer answer = lab.ask(0, "Host.noSuchVerb", "{}");
        JsonNode sample = JsonSample.error("error_method_not_found");
        assertThat(answer.code()).isEqualTo(sample.get("code").asInt());
        assertThat(answer.message()).isEqualTo(sample.get("message").asString());
    }

    @Test
    @DisplayName("8b.26 a missing argument is −32603")
    void aMissingArgument() {
        assertThat(lab.ask(0, "VM.getStats", "{}").code()).isEqualTo(-32603);
        assertThat(lab.ask(0, "Host.dumpxmls", "{}").code()).isEqualTo(-32603);
        assertThat(lab.ask(0, "VM.create", "{}").code()).isEqualTo(-32603);
        assertThat(lab.ask(0, "VM.getStats", "[\"a\", \"b\"]").code())
                .as("too many")
                .isEqualTo(-32603);
    }

    @Test
    @DisplayName("8b.27 an unknown VM is code 1 with the id in the context")
    void anUnknownVm() {
        JsonNode sample = JsonSample.error("error_no_such_vm");
        Lab.Answer answer = lab.ask(0, "VM.getStats", "[\"00000000-1111-2222-3333-444444444444\"]");
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.message()).isEqualTo(sample.get("message").asString());
        for (String verb :
                List.of(
                        "VM.destroy",
                        "VM.shutdown",
                        "VM.cont",
                        "VM.reset",
                        "VM.migrate",
                        "VM.migrateCancel",
                        "VM.getMigrationStatus",
                        "VM.hibernate")) {
            String params =
                    """
                    {"vmID": "x", "params": {"dst": "host-0001"}, "hibernationVolHandle": "a"}
                    """;
            assertThat(lab.ask(0, verb, params).code()).as(verb).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("arguments can be given by position")
    void positionalArguments() {
        String id = lab.world.vms().getFirst().id().toString();
        assertThat(lab.result(0, "VM.getStats", "[\"%s\"]".formatted(id))).hasSize(1);
    }

    @Test
    @DisplayName("8b.42 dumpxmls: a failing id fails the whole call, an empty list is an empty map")
    void dumpXmlsWithUnknownIds() {
        String id = lab.world.vms().getFirst().id().toString();
        assertThat(lab.result(0, "Host.dumpxmls", "{\"vmList\": []}")).isEmpty();
        assertThat(
                        lab.ask(0, "Host.dumpxmls", "{\"vmList\": [\"%s\", \"x\"]}".formatted(id))
                                .code())
                .isEqualTo(-32603);
    }

    @ParameterizedTest
    @EnumSource(Profile.class)
    @DisplayName("8b.43 the shape of lists follows the profile")
    void listsFollowTheProfile(Profile profile) {
        Lab old = new Lab(WorldSettings.of(7, 1, 3).withProfile(profile));
        SimulatedVm vm = old.host(0).create(MachineSpec.ordinary().withAgent(false));
        old.pass(10);
        JsonNode list = old.result(0, "Host.getVMList");
        JsonNode full = old.result(0, "Host.getVMList", "{\"fullStatus\": true}");
        JsonNode bare =
                old.result(0, "Host.getVMList", "{\"fullStatus\": false, \"onlyUUID\": false}");
        JsonNode one =
                old.result(0, "Host.getVMFullList", "{\"vmList\": [\"%s\"]}".formatted(vm.id()));
        assertThat(one).hasSize(1);
        if (profile.atLeast(Profile.V4_40)) {
            JsonNode sample = Lab.sample("host_getVMList").get("result").get(0);
            for (JsonNode answer : List.of(list, full, bare, one)) {
                answer.forEach(
                        entry -> assertThat(Shape.keys(entry)).isEqualTo(Shape.keys(sample)));
            }
            assertThat(list.get(3).get("status").asString()).as("the raw state").isEqualTo("Up");
        } else {
            list.forEach(entry -> assertThat(entry.isString()).isTrue());
            bare.forEach(entry -> assertThat(Shape.keys(entry)).containsExactly("vmId", "status"));
            JsonNode sample = Lab.sample("vm_full_list_legacy").get("result").get(0);
            full.forEach(entry ->
                    assertThat(Shape.keys(entry))
                            .as("definition")
                            .containsAll(List.of("vmId", "devices", "status", "displayPort"))
                            .isSubsetOf(Shape.keys(sample)));
        }
    }

    @ParameterizedTest
    @EnumSource(Profile.class)
    @DisplayName("8b.43 fields, verbs and the clock's base follow the profile")
    void fieldsFollowTheProfile(Profile profile) {
        Lab old = new Lab(WorldSettings.of(7, 1, 3).withProfile(profile));
        JsonNode vm = old.result(0, "Host.getAllVmStats").get(0);
        assertThat(vm.has("cpuActual")).isEqualTo(profile.atLeast(Profile.V4_50));
        assertThat(vm.get("balloonInfo").has("ballooning_enabled"))
                .isEqualTo(profile.atLeast(Profile.V4_40));
        assertThat(CountersTest.number(vm, "statusTime") > Integer.MAX_VALUE + 1_000_000L)
                .isEqualTo(profile.atLeast(Profile.V4_40) || stampIsLarge(old));
        assertThat(old.ask(0, "Host.getNetworkStatistics", "{}").code())
                .isEqualTo(profile.atLeast(Profile.V4_30) ? 0 : -32601);
        JsonNode capabilities = old.result(0, "Host.getCapabilities");
        assertThat(capabilities.get("software_version").asString()).startsWith(profile.code());
        assertThat(capabilities.has("boot_uuid")).isEqualTo(profile.atLeast(Profile.V4_40));
    }

    private static boolean stampIsLarge(Lab lab) {
        return lab.world.fakeHost("host-0001").moment().monotonicMillis()
                > Integer.MAX_VALUE + 1_000_000L;
    }

    @Test
    @DisplayName("VM.create starts what the XML defines; a second one is code 4")
    void createFromXml() {
        String xml = DomainXmlTest.xml(lab, lab.world.vms().getFirst());
        SimulatedVm first = lab.world.vms().getFirst();
        assertThat(lab.ask(0, "VM.create", create(xml)).code()).isEqualTo(4);
        JsonNode before = lab.stats(0, first);
        first.destroy();

        JsonNode created = lab.result(0, "VM.create", create(xml));
        assertThat(Shape.of(created))
                .isEqualTo(Shape.of(Lab.sample("vm_create_response").get("result")));
        assertThat(Shape.keys(created))
                .isEqualTo(Shape.keys(Lab.sample("vm_create_response").get("result")));
        lab.pass(120);
        JsonNode after = lab.stats(0, first);
        assertThat(after.get("vmName")).isEqualTo(before.get("vmName"));
        assertThat(Shape.keys(after.get("disks"))).isEqualTo(Shape.keys(before.get("disks")));
        after.get("disks")
                .properties()
                .forEach(disk ->
                        assertThat(disk.getValue().get("imageID"))
                                .isEqualTo(before.get("disks").get(disk.getKey()).get("imageID")));
        assertThat(macs(after)).isEqualTo(macs(before));
        assertThat(after.get("vcpuCount")).isEqualTo(before.get("vcpuCount"));
        assertThat(after.get("balloonInfo").get("balloon_max"))
                .isEqualTo(before.get("balloonInfo").get("balloon_max"));
    }

    @ParameterizedTest
    @DisplayName("VM.create without XML, with none and with another one, as VDSM answers each")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}| 100| General Exception: (\"'xml'\",)",
                "{\"xml\": null}| 100| General Exception: ('can only parse strings',)",
                "{\"xml\": \"nonsense\"}| 100| General Exception: ('syntax error: line 1, column",
                "{\"xml\": \"<a/>\"}| 16| Unexpected exception",
                "{\"xml\": \"<domain/>\"}| 16| Unexpected exception"
            })
    void createFromNoDomain(String vmParams, int code, String message) {
        Lab.Answer answer = lab.ask(0, "VM.create", "{\"vmParams\": " + vmParams + "}");
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.message()).startsWith(message);
    }

    @Test
    @DisplayName("network capabilities have the flag of a dirty network, as all capabilities do")
    void networkCapabilities() {
        assertThat(lab.result(0, "Host.getNetworkCapabilities").get("netConfigDirty").asString())
                .isEqualTo("False");
    }

    @Test
    @DisplayName("the newest machine types are those of the current release")
    void machineTypes() {
        List<String> machines = new ArrayList<>();
        lab.result(0, "Host.getCapabilities")
                .get("emulatedMachines")
                .forEach(machine -> machines.add(machine.asString()));
        assertThat(machines)
                .contains("q35", "pc", "pc-q35-rhel9.4.0", "pc-q35-rhel9.6.0")
                .endsWith("pc-q35-rhel9.8.0");
    }

    @Test
    @DisplayName("the life cycle verbs act as named")
    void lifeCycleVerbs() {
        SimulatedVm vm = lab.settledVm(0);
        String id = "{\"vmID\": \"%s\"}".formatted(vm.id());
        JsonNode list = Lab.sample("vm_cont_response").get("result");
        assertThat(lab.result(0, "VM.pause", id)).isEqualTo(list);
        assertThat(vm.status()).isEqualTo("Paused");
        assertThat(lab.result(0, "VM.cont", id)).isEqualTo(list);
        assertThat(vm.status()).isEqualTo("Up");
        assertThat(lab.ask(0, "VM.reset", id).text()).isEqualTo("true");
        assertThat(vm.status()).isEqualTo("RebootInProgress");
        lab.pass(60);
        assertThat(
                        lab.ask(
                                        0,
                                        "VM.shutdown",
                                        """
                                        {"vmID": "%s", "delay": "30", "message": "", "reboot": false}
                                        """
                                                .formatted(vm.id()))
                                .text())
                .isEqualTo("true");
        lab.pass(29);
        assertThat(vm.status()).isEqualTo("Powering down");
        lab.pass(10);
        assertThat(vm.status()).isEqualTo("Down");
        assertThat(lab.ask(0, "VM.shutdown", id).code()).as("it is no VM to VDSM").isEqualTo(1);
        assertThat(lab.ask(0, "VM.reset", id).code()).isEqualTo(90);
    }

    @Test
    @DisplayName("8b.33 storage statistics have the shape of the sample")
    void storageStatistics() {
        JsonNode ours = lab.result(0, "Host.getStorageRepoStats");
        JsonNode sample = Lab.sample("host_getStorageRepoStats").get("result");
        assertThat(Shape.of(ours.iterator().next())).isEqualTo(Shape.of(sample.iterator().next()));
        assertThat(Shape.keys(ours)).isEqualTo(Shape.keys(sample));
    }

    private static List<String> macs(JsonNode vm) {
        return Shape.keys(vm.get("network")).stream()
                .map(tap -> vm.get("network").get(tap).get("macAddr").asString())
                .toList();
    }

    private static String create(String xml) {
        return Lab.JSON.writeValueAsString(
                java.util.Map.of(
                        "vmID", "ignored since 4.40", "vmParams", java.util.Map.of("xml", xml)));
    }

    /** The error member of a sample. */
    private static final class JsonSample {
        static JsonNode error(String name) {
            return Lab.sample(name).get("error");
        }
    }
}
