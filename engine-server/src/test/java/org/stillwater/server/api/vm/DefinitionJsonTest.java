package org.stillwater.server.api.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpStatus;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.testkit.Specifications;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DefinitionJsonTest {

    private long made;
    private final DefinitionJson.Makers make =
            new DefinitionJson.Makers(
                    text -> {
                        if (text.equals("Default")) {
                            return ClusterId.DEFAULT;
                        }
                        throw ApiException.badRequest("There is no cluster " + text + ".");
                    },
                    () -> new UUID(0, ++made),
                    () -> "56:6f:00:00:00:0" + ++made);

    static LongStream seeds() {
        return LongStream.range(0, 100);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aWrittenDefinitionIsReadBack(long seed) {
        VmSpecification specification = Specifications.any(seed);
        VmStatic definition =
                new VmStatic(
                        "vm" + seed,
                        VmOrigin.KVM,
                        seed % 2 == 0,
                        // demands of the specification
                        specification.numaNodes().isEmpty()
                                ? 1024
                                : specification.numaNodes().stream()
                                        .mapToInt(node -> node.memoryMebibytes())
                                        .sum(),
                        512,
                        1,
                        2,
                        1,
                        specification.interfaces().stream()
                                .map(nic -> nic.nic(new UUID(7, seed)))
                                .toList(),
                        false,
                        new ClusterId(new UUID(9, seed)));
        Definition whole = new Definition(definition, specification, (int) seed, null, null);
        try {
            specification.check(definition);
        } catch (IllegalArgumentException _) {
            return; // contradicts itself, and would not have been written
        }

        assertThat(DefinitionJson.parse(DefinitionJson.text(whole))).isEqualTo(whole);
    }

    /** Stored parameters, one a line, with members of every kind; lines are only added. */
    static List<String> stored() throws IOException {
        return Files.readAllLines(
                Path.of("src", "test", "resources", "stored", "definitions.jsonl"));
    }

    @ParameterizedTest
    @MethodSource("stored")
    void definitionsOfAnEarlierVersionAreReadInFull(String text) {
        JsonNode before = JsonMapper.shared().readTree(text);
        JsonNode after =
                JsonMapper.shared().readTree(DefinitionJson.text(DefinitionJson.parse(text)));
        assertKept(before, after, "");
    }

    /** A later version may add members to an object, and changes nothing of those that it has. */
    private static void assertKept(JsonNode before, JsonNode after, String path) {
        if (before.isObject()) {
            before.properties()
                    .forEach(member ->
                            assertKept(
                                    member.getValue(),
                                    after.path(member.getKey()),
                                    path + '/' + member.getKey()));
        } else if (before.isArray()) {
            assertThat(after.size()).as(path).isEqualTo(before.size());
            for (int i = 0; i < before.size(); i++) {
                assertKept(before.path(i), after.path(i), path + '/' + i);
            }
        } else {
            assertThat(after).as(path).isEqualTo(before);
        }
    }

    @Test
    void missingMembersTakeTheirDefaults() {
        Definition read =
                read(
                        "{'name': 'web', 'memoryMebibytes': 2048, 'interfaces': [{}, {'mac':"
                                + " '02:00:00:00:00:AA', 'network': 'lan'}]}");
        VmStatic vm = read.definition();
        assertThat(vm.name()).isEqualTo("web");
        assertThat(vm.guaranteedMemoryMebibytes()).isEqualTo(2048);
        assertThat(vm.cpus()).isEqualTo(1);
        assertThat(vm.cluster()).isEqualTo(ClusterId.DEFAULT);
        assertThat(vm.origin()).isEqualTo(VmOrigin.OVIRT);
        List<VmInterface> nics = read.specification().interfaces();
        assertThat(nics).extracting(VmInterface::name).containsExactly("nic1", "nic2");
        assertThat(nics).extracting(VmInterface::mac).contains("02:00:00:00:00:aa");
        assertThat(vm.nics()).hasSize(2);
        assertThat(read.specification().withDevices(List.of(), null, List.of()))
                .isEqualTo(VmSpecification.BARE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|name is missing",
                "{'name':'x'}|memoryMebibytes is missing",
                "{'name':'x','memoryMebibytes':'much'}|memoryMebibytes must be a whole number",
                "{'name':'x','memoryMebibytes':1}|the memory of a VM is 16 to",
                "{'name':'x','memoryMebibytes':999999999}|memoryMebibytes must be 0 to",
                "{'name':'x','memoryMebibytes':64,'guaranteedMemoryMebibytes':65}|guaranteedMemory",
                "{'name':'x','memoryMebibytes':64,'sockets':0}|sockets must be 1 to 65536, not 0",
                "{'name':'x','memoryMebibytes':64,'sockets':100,'coresPerSocket':100}|at most 710",
                "{'name':'x','memoryMebibytes':64,'priority':101}|priority must be 0 to 100",
                "{'name':'x','memoryMebibytes':64,'cluster':'none'}|There is no cluster none",
                "{'name':'x','memoryMebibytes':64,'memory':64}|There is no member memory here."
                        + " The members are architecture, balloon, boot, bootMenu, ",
                "{'name':'x','memoryMebibytes':64,'firmware':'coreboot'}|firmware \"coreboot\" is"
                        + " not one",
                "{'name':'x','memoryMebibytes':64,'tpm':true}|a TPM takes UEFI",
                "{'name':'x','memoryMebibytes':64,'disks':[{}]}|disks[0].place is missing",
                "{'name':'x','memoryMebibytes':64,'disks':[{'place':{'kind':'tape'}}]}|not"
                        + " \"tape\"",
                "{'name':'x','memoryMebibytes':64,'disks':[{'place':{'kind':'file','path':'a'}}]}|disks[0].place:"
                    + " ",
                "{'name':'x','memoryMebibytes':64,'interfaces':[{'mac':'zz'}]}|interfaces[0]: the"
                        + " MAC",
                "{'name':'x','memoryMebibytes':64,'interfaces':[{'speed':1}]}|interfaces[0].speed",
                "{'name':'x','memoryMebibytes':64,'consoles':[{}]}|consoles[0].protocol is missing",
                "{'name':'x','memoryMebibytes':64,'cpu':'fast'}|cpu must be",
                "{'name':'x','memoryMebibytes':64,'cpuPinning':{'one':'1'}}|cpuPinning names",
                "{'name':'x','memoryMebibytes':64,'cpuPinning':{'5':'1'}}|virtual CPU 5 is pinned",
                "{'name':'x','memoryMebibytes':64,'timeZone':'Mars/Base'}|a time zone has an IANA",
                "{'name':'x','memoryMebibytes':64,'boot':['tape']}|boot \"tape\" is not one of",
                "{'name':'x','memoryMebibytes':64,'cpuPinning':{'0':'9-1'}}|no CPU at all",
                "{'name':'x','memoryMebibytes':64,'cpuPinning':{'0':'1-3,^1-3'}}|no CPU at all",
                "{'name':'x','memoryMebibytes':64,'origin':'mars'}|origin \"mars\" is not one of",
                "{'name':'\\ud800','memoryMebibytes':64}|name must be Unicode",
                "{'name':'x','memoryMebibytes':64,'customProperties':{'k':'a\\udfffb'}}|customProperties.k"
                    + " must be Unicode",
                "{'name':'x','memoryMebibytes':64,'disks':[{'place':{'kind':'file','path':'/a'}},{'place':{'kind':'file','path':'/a'}}]}|have"
                    + " one location",
                "{'name':'x','memoryMebibytes':64,'disks':[{'place':{'kind':'file','path':'/a//./b/../c'}},{'place':{'kind':'block_device','path':'/a/c'}}]}|have"
                    + " one location",
                "{'name':'x','memoryMebibytes':64,'sockets':2,'cpuPinning':{'00':'0','0':'1'}}|cpuPinning"
                    + " names",
                "[]|The body must be a JSON object"
            })
    void senselessValuesAreRefusedByName(String body, String detail) {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> read(body))
                .withMessageContaining(detail)
                .extracting(ApiException::status)
                .isEqualTo(HttpStatus.BAD_REQUEST);
    }

    /** A part that is missing stays missing until a user takes the note out. */
    @Test
    void aDefinitionThatAUserSendsFollowsNoHost() {
        String vm = "{'name':'x','memoryMebibytes':64%s}";
        Definition sent =
                read(
                        vm.formatted(
                                ",'foundOnHost':{'followed':true,'missing':['disk"
                                        + " vdb'],'changed':['sound']}"));
        assertThat(sent.specification().found())
                .isEqualTo(new FoundDefinition(false, List.of("disk vdb"), List.of("sound")));
        assertThat(DefinitionJson.text(sent))
                .contains(
                        "\"foundOnHost\":{\"followed\":false,\"missing\":[\"disk"
                                + " vdb\"],\"changed\":[\"sound\"]}");
        assertThat(
                        read(vm.formatted(",'foundOnHost':{'followed':true,'missing':[]}"))
                                .specification()
                                .found())
                .isNull();
        assertThat(read(vm.formatted(",'foundOnHost':null")).specification().found()).isNull();
        assertThat(DefinitionJson.text(read(vm.formatted("")))).doesNotContain("foundOnHost");
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> read(vm.formatted(",'foundOnHost':{'lost':[]}")))
                .withMessageContaining("There is no member foundOnHost.lost");
    }

    @Test
    void harmlesslySharedDisksAreAccepted() {
        String disk = "{'place':{'kind':'file','path':'/a'},'%s':true}";
        Definition read =
                read(
                        "{'name':'x','memoryMebibytes':64,'cpuPinning':{'0':'0-3,^2'},'disks':[%s,%s]}"
                                .formatted(
                                        disk.formatted("readOnly"), disk.formatted("shareable")));
        assertThat(read.specification().disks()).hasSize(2);
    }

    @Test
    void theOriginIsReadOnly() {
        assertThat(read("{'name':'a','memoryMebibytes':64,'origin':'ovirt'}").definition().origin())
                .isEqualTo(VmOrigin.OVIRT);
        assertThatThrownBy(() -> read("{'name':'a','memoryMebibytes':64,'origin':'external'}"))
                .isInstanceOf(ApiException.class)
                .hasMessage("origin is read-only: that of this VM is ovirt");
    }

    private Definition read(String text) {
        return DefinitionJson.read(
                JsonMapper.shared().readTree(text.replace('\'', '"')), VmOrigin.OVIRT, make);
    }
}
