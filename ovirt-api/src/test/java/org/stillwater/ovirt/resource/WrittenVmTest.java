package org.stillwater.ovirt.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmNumaPlan;
import org.stillwater.core.definition.VmRandomness;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmTraits;
import org.stillwater.core.definition.VmWatchdog;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.ovirt.action.BodyRules;
import org.stillwater.ovirt.action.ElementRule;
import org.stillwater.ovirt.action.Refused;
import org.stillwater.ovirt.action.Written;
import tools.jackson.databind.JsonNode;

/** Every element of a VM that a client may write is handled as in the table. */
class WrittenVmTest {

    private static final BodyRules TABLE = Written.table("VM");
    private static final String LEASE = "10000000-0000-4000-8000-000000000041";

    /**
     * Values of elements that are kept, other than those that the VM has; where an element goes
     * with others, a body with all of them, in JSON.
     */
    private static final Map<String, String> EXAMPLES = examples();

    /** Elements that are checked together with the engine's clusters and templates. */
    private static final Set<String> ELSEWHERE = Set.of("cluster", "template");

    private static Map<String, String> examples() {
        Map<String, String> examples = new HashMap<>();
        examples.put("name", "web-02");
        examples.put("description", "the front");
        examples.put("comment", "of the shop");
        examples.put("type", "desktop");
        examples.put("delete_protected", "true");
        examples.put("os/type", "rhel_9x64");
        examples.put(
                "custom_properties/custom_property/name",
                "{\"custom_properties\":{\"custom_property\":[{\"name\":\"hugepages\",\"value\":\"2048\"}]}}");
        examples.put(
                "custom_properties/custom_property/value",
                "{\"custom_properties\":{\"custom_property\":[{\"name\":\"a\",\"value\":\"b\"}]}}");
        examples.put("memory", "8589934592");
        examples.put("memory_policy/guaranteed", "1073741824");
        examples.put("memory_policy/max", "34359738368");
        examples.put("memory_policy/ballooning", "false");
        examples.put("cpu/topology/sockets", "2");
        examples.put("cpu/topology/cores", "3");
        examples.put("cpu/topology/threads", "2");
        examples.put("cpu/mode", "host_passthrough");
        String pins =
                "{\"cpu\":{\"cpu_tune\":{\"vcpu_pins\":{\"vcpu_pin\":[{\"vcpu\":\"1\",\"cpu_set\":\"2-3\"}]}}}}";
        examples.put("cpu/cpu_tune/vcpu_pins/vcpu_pin/vcpu", pins);
        examples.put("cpu/cpu_tune/vcpu_pins/vcpu_pin/cpu_set", pins);
        examples.put("cpu_shares", "512");
        examples.put("custom_cpu_model", "Haswell-noTSX");
        examples.put("custom_emulated_machine", "pc-q35-rhel9.4.0");
        examples.put("numa_tune_mode", "strict");
        examples.put("bios/type", "q35_secure_boot");
        examples.put("bios/boot_menu/enabled", "true");
        examples.put("os/boot/devices/device", "cdrom");
        examples.put("time_zone/name", "Europe/Berlin");
        examples.put("console/enabled", "true");
        examples.put("tpm_enabled", "true");
        examples.put("rng_device/source", "hwrng");
        String rate =
                "{\"rng_device\":{\"source\":\"urandom\",\"rate\":{\"bytes\":\"1024\",\"period\":\"500\"}}}";
        examples.put("rng_device/rate/bytes", rate);
        examples.put("rng_device/rate/period", rate);
        examples.put("display/type", "spice");
        examples.put("display/keyboard_layout", "de");
        examples.put("display/video_type", "qxl");
        examples.put("high_availability/enabled", "false");
        examples.put("high_availability/priority", "7");
        examples.put("lease/storage_domain/id", LEASE);
        examples.put("storage_error_resume_behaviour", "kill");
        return examples;
    }

    /** A VM with the devices for elements that only change one. */
    private static Definition stored() {
        SmallFleet fleet = new SmallFleet();
        VmSpecification web = Objects.requireNonNull(fleet.specification(SmallFleet.WEB));
        VmSpecification with =
                new VmSpecification(
                        web.machineType(),
                        web.architecture(),
                        web.cpu(),
                        web.maximumSockets(),
                        web.maximumMemoryMebibytes(),
                        web.firmware(),
                        web.boot(),
                        web.bootMenu(),
                        web.disks(),
                        web.cdrom(),
                        web.interfaces(),
                        web.consoles(),
                        web.video(),
                        web.serialConsole(),
                        web.balloon(),
                        web.tpm(),
                        web.randomness(),
                        web.watchdog(),
                        List.of(
                                new VmNumaPlan(
                                        List.of(0), 2_048, List.of(), VmNumaPlan.Mode.PREFERRED),
                                new VmNumaPlan(
                                        List.of(1), 2_048, List.of(), VmNumaPlan.Mode.PREFERRED)),
                        web.cpuPinning(),
                        web.customProperties(),
                        web.timeZone(),
                        web.resume(),
                        web.description(),
                        web.comment(),
                        VmTraits.USUAL,
                        null);
        return definition(fleet, with);
    }

    private static Definition definition(SmallFleet fleet, VmSpecification specification) {
        return new Definition(
                Objects.requireNonNull(fleet.vm(SmallFleet.WEB)).definition(),
                specification,
                50,
                null,
                null);
    }

    private static Stream<String> paths(Class<? extends ElementRule> treatment) {
        return TABLE.elements().entrySet().stream()
                .filter(each -> treatment.isInstance(each.getValue()))
                .map(Map.Entry::getKey);
    }

    static Stream<String> kept() {
        return paths(ElementRule.Kept.class)
                .filter(path -> !ELSEWHERE.contains(path) && !path.startsWith("nics/"));
    }

    static Stream<String> fixed() {
        return paths(ElementRule.Fixed.class);
    }

    static Stream<String> unsupported() {
        return paths(ElementRule.Unsupported.class);
    }

    static Stream<String> ignored() {
        return paths(ElementRule.Ignored.class);
    }

    /** A body with one value, or an example that is a body already. */
    private static String json(String path, String value) {
        if (value.startsWith("{")) {
            return value;
        }
        String body = '"' + value + '"';
        String[] names = path.split("/", -1);
        for (int i = names.length - 1; i >= 0; i--) {
            body = "{\"" + names[i] + "\":" + body + '}';
        }
        return body;
    }

    private static String xml(String path, String value) {
        StringBuilder body = new StringBuilder(value);
        String[] names = path.split("/", -1);
        for (int i = names.length - 1; i >= 0; i--) {
            body.insert(0, '<' + names[i] + '>').append("</").append(names[i]).append('>');
        }
        return "<vm>" + body + "</vm>";
    }

    private static JsonNode told(Definition definition) {
        SmallFleet fleet = new SmallFleet();
        fleet.define(SmallFleet.WEB, definition);
        return new Asked(fleet).json("/vms/" + SmallFleet.WEB + "?all_content=true");
    }

    /** The text at a path; of a list, that of its first item. */
    private static String at(JsonNode node, String path) {
        JsonNode found = node;
        for (String name : path.split("/", -1)) {
            found = found.path(name);
            found = found.isArray() ? found.path(0) : found;
        }
        return found.asString("");
    }

    private static String atOf(String body, String path) {
        return body.startsWith("{")
                ? at(tools.jackson.databind.json.JsonMapper.builder().build().readTree(body), path)
                : body;
    }

    @ParameterizedTest
    @MethodSource("kept")
    void aStoredElementIsReturned(String path) {
        String example = EXAMPLES.get(path);
        assertThat(example).as("an example of %s", path).isNotNull();
        String wanted = atOf(example, path);
        Definition before = path.equals("memory") ? plain() : stored();
        assertThat(at(told(before), path)).as(path).isNotEqualTo(wanted);
        Definition after = Written.over(json(path, example), before);
        assertThat(after).as(path).isNotEqualTo(before);
        assertThat(at(told(after), path)).as(path).isEqualTo(wanted);
        if (!example.startsWith("{")) {
            assertThat(Written.over(xml(path, example), before)).as(path).isEqualTo(after);
        }
    }

    /** Without NUMA nodes, which have all of a VM's memory. */
    private static Definition plain() {
        SmallFleet fleet = new SmallFleet();
        return definition(fleet, Objects.requireNonNull(fleet.specification(SmallFleet.WEB)));
    }

    @ParameterizedTest
    @MethodSource("fixed")
    void anElementThatIsFixedHasItsValueOnly(String path) {
        Definition before = stored();
        List<String> values = ((ElementRule.Fixed) TABLE.elements().get(path)).values();
        String value =
                switch (path) {
                    case "cpu/architecture" -> "x86_64";
                    case "cpu_pinning_policy" -> "none";
                    case "stateless" -> "false";
                    case "origin" -> "ovirt";
                    default -> values.getFirst();
                };
        assertUnchanged(json(path, value), path);
        assertUnchanged(xml(path, value), path);
        String other = "true".equals(value) ? "false" : "17";
        refused(() -> Written.over(json(path, other), before), 400, path);
    }

    @ParameterizedTest
    @MethodSource("unsupported")
    void anElementThatCannotBeKeptIsRefusedByName(String path) {
        Definition before = stored();
        refused(() -> Written.over(json(path, "any"), before), 400, path);
        refused(() -> Written.over(xml(path, "<a><b>any</b></a>"), before), 400, path + "/a");
        assertUnchanged(json(path, ""), path);
        assertUnchanged("{\"" + path.split("/", -1)[0] + "\":null}", path);
    }

    /** Lists that are sent take the place of those that are there. */
    private static void assertUnchanged(String body, String path) {
        Definition before = stored();
        Definition after = Written.over(body, before);
        if (!path.startsWith("nics/") && !path.startsWith("custom_properties/")) {
            assertThat(after).as("%s: %s", path, body).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @MethodSource("ignored")
    void anElementThatIsIgnoredChangesNothing(String path) {
        assertUnchanged(json(path, "any"), path);
    }

    private static void refused(
            org.assertj.core.api.ThrowableAssert.ThrowingCallable call, int status, String path) {
        assertThatThrownBy(call)
                .as(path)
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> {
                            assertThat(refused.status()).as(refused.detail()).isEqualTo(status);
                            assertThat(refused.detail()).contains(path);
                        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"name\":\"n\",\"colour\":\"red\"}",
                "{\"cpu\":{\"topology\":{\"dies\":2}}}",
                "{\"name\":{\"first\":\"n\"}}",
                "{\"name\":[\"a\",\"b\"]}",
                "{\"memory_policy\":\"none\"}",
                "{\"cluster\":\"Default\"}",
                "{\"cluster\":{\"description\":\"the first\"}}",
                "<vm><name>a</name><name>b</name></vm>",
                "<vm><high_availability><colour/></high_availability></vm>",
                "<vm><cpu><cpu_tune><vcpu_pins><vcpu_pin><vcpu>1</vcpu></vcpu_pin></vcpu_pins></cpu_tune></cpu></vm>",
                "<vm><nics><nic><vnic_profile id='none'/></nic></nics></vm>"
            })
    void unknownElementsAndValuesAreRefused(String body) {
        Definition before = stored();
        assertThatThrownBy(() -> Written.over(body, before))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isIn(400, 404));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"cpu\":{\"mode\":\"host_model\"}}|cpu/mode",
                "{\"cpu\":{\"mode\":\"host_passthrough\"},\"custom_cpu_model\":\"Haswell\"}|custom_cpu_model",
                "{\"bios\":{\"type\":\"cluster_default\"}}|bios/type",
                "{\"bios\":{\"type\":\"i440fx_sea_bios\"},\"custom_emulated_machine\":\"q35\"}|bios/type",
                "{\"display\":{\"type\":\"spice\",\"keyboard_layout\":\"de\"}}|display/keyboard_layout",
                "{\"display\":{\"video_type\":\"cirrus\"}}|display/video_type",
                "{\"rng_device\":{\"source\":\"random\"}}|rng_device/source",
                "{\"cpu_pinning_policy\":\"dedicated\"}|cpu_pinning_policy",
                "{\"cpu\":{\"architecture\":\"ppc64\"}}|cpu/architecture",
                "{\"initialization\":{\"host_name\":\"other\"}}|initialization/host_name",
                "{\"placement_policy\":{\"hosts\":{\"host\":[{\"name\":\"unknown\"}]}}}|placement_policy/hosts/host/name"
            })
    void valuesThatTheDefinitionDoesNotHaveAreRefused(String example) {
        Definition before = stored();
        String[] both = example.split("\\|", -1);
        refused(() -> Written.over(both[0], before), 400, both[1]);
    }

    @Test
    void aPolicyOfPinningGoesWithPinsOfTheSameBody() {
        Definition before = stored();
        String manual =
                "{\"cpu_pinning_policy\":\"manual\",\"cpu\":{\"cpu_tune\":{\"vcpu_pins\":{\"vcpu_pin\":{\"vcpu\":0,\"cpu_set\":\"1\"}}}}}";
        Definition pinned = Written.over(manual, before);
        assertThat(pinned.specification().cpuPinning()).isEqualTo(Map.of(0, "1"));
        refused(
                () -> Written.over("{\"cpu_pinning_policy\":\"none\"}", pinned),
                400,
                "cpu_pinning_policy");
        assertThat(
                        Written.over(
                                "<vm><cpu><cpu_tune/></cpu><cpu_pinning_policy>none</cpu_pinning_policy></vm>",
                                pinned))
                .isEqualTo(before);
    }

    @Test
    void emptyElementsRemoveValues() {
        Definition before = stored();
        Definition with =
                Written.over(
                        "{\"lease\":{\"storage_domain\":{\"id\":\"%s\"}},\"rng_device\":{\"source\":\"urandom\"},\"custom_cpu_model\":\"Haswell\",\"display\":{\"keyboard_layout\":\"de\"}}"
                                .formatted(LEASE),
                        before);
        assertThat(with.lease()).isEqualTo(UUID.fromString(LEASE));
        assertThat(with.definition().leased()).isTrue();
        assertThat(
                        Written.over(
                                "<vm><lease/><rng_device/><custom_cpu_model/><display><keyboard_layout/></display></vm>",
                                with))
                .isEqualTo(before);
    }

    @Test
    void anOldMachineGoesWithItsFirmware() {
        Definition bios =
                Written.over(
                        "{\"bios\":{\"type\":\"i440fx_sea_bios\"}}",
                        definition(new SmallFleet(), VmSpecification.BARE));
        assertThat(bios.specification().machineType()).isEqualTo("pc");
        assertThat(at(told(bios), "bios/type")).isEqualTo("i440fx_sea_bios");
        Definition modern = Written.over("{\"bios\":{\"type\":\"q35_ovmf\"}}", bios);
        assertThat(modern.specification().machineType()).isEqualTo("q35");
    }

    /** The GET form of an entity can be written back unchanged. */
    @ParameterizedTest
    @CsvSource({
        "network interface of a VM, vms/{vm}/nics?all_content=true, nic",
        "disk attachment, vms/{vm}/diskattachments?all_content=true, disk_attachment",
        "CD drive, vms/{vm}/cdroms?all_content=true, cdrom",
        "watchdog, vms/{vm}/watchdogs?all_content=true, watchdog",
        "graphics console, vms/{vm}/graphicsconsoles?all_content=true, graphics_console",
        "host, hosts?all_content=true, host",
        "fence agent, hosts/{host}/fenceagents?all_content=true, agent",
        "cluster, clusters?all_content=true, cluster",
        "affinity group, clusters/{cluster}/affinitygroups?all_content=true, affinity_group",
        "tag, tags?all_content=true, tag",
        "VM pool, vmpools?all_content=true, vm_pool",
        "VM pool, vmpools, vm_pool"
    })
    void aReadEntityCanBeWrittenBack(String subject, String path, String element) {
        SmallFleet fleet = new SmallFleet();
        String found =
                path.replace("{vm}", SmallFleet.WEB.toString())
                        .replace("{host}", SmallFleet.NODE_01.toString())
                        .replace("{cluster}", SmallFleet.EAST.toString());
        Definition plain = plain();
        fleet.define(
                SmallFleet.WEB,
                definition(
                        fleet,
                        plain.specification()
                                .withWatchdog(new VmWatchdog(VmWatchdog.Action.RESET))));
        JsonNode told = new Asked(fleet).json("/" + found).path(element);
        assertThat(told.isEmpty()).as(subject).isFalse();
        for (JsonNode each : told) {
            Written.check(Written.table(subject), each.toString(), each);
        }
    }

    /** A present value of an entity is no change; another value is refused. */
    @Test
    void onlyPresentValuesAreNoChange() {
        JsonNode pool = new Asked(new SmallFleet()).json("/vmpools").path("vm_pool").path(0);
        String memory = pool.path("vm").path("memory").asString();
        assertThat(memory).isNotEmpty();
        BodyRules table = Written.table("VM pool");
        Written.check(table, "<vm_pool><vm><memory>" + memory + "</memory></vm></vm_pool>", pool);
        refused(
                () -> Written.check(table, "{\"vm\":{\"memory\":\"" + memory + "0\"}}", pool),
                400,
                "vm/memory");
        refused(() -> Written.check(table, pool.toString()), 400, "vm");
    }

    /** Clients read a VM, change one element, and write all of it. */
    @Test
    void aVmWrittenBackIsUnchanged() {
        Definition plain = plain();
        assertThat(Written.over(told(plain).toString(), plain)).isEqualTo(plain);
        VmSpecification web = plain.specification();
        Definition rich =
                definition(
                        new SmallFleet(),
                        new VmSpecification(
                                "pc-q35-rhel9.2.0",
                                CpuArchitecture.X86_64,
                                new VmCpu.Named("Haswell", Set.of("ssbd")),
                                4,
                                0,
                                VmSpecification.Firmware.UEFI_SECURE_BOOT,
                                List.of(VmSpecification.BootDevice.NETWORK),
                                true,
                                web.disks(),
                                null,
                                web.interfaces(),
                                List.of(
                                        new VmConsole(VmConsole.Protocol.VNC, "de"),
                                        new VmConsole(VmConsole.Protocol.SPICE, null)),
                                VmSpecification.Video.QXL,
                                true,
                                false,
                                true,
                                new VmRandomness(VmRandomness.Source.HARDWARE, 10, 20),
                                null,
                                List.of(),
                                Map.of(1, "3,^1"),
                                Map.of("a", "b"),
                                null,
                                VmSpecification.ResumeBehaviour.KILL,
                                "d",
                                "c",
                                VmTraits.USUAL,
                                null));
        Definition leased =
                Written.over(
                        "{\"lease\":{\"storage_domain\":{\"id\":\"%s\"}}}".formatted(LEASE), rich);
        assertThat(Written.over(told(leased).toString(), leased)).isEqualTo(leased);
    }
}
