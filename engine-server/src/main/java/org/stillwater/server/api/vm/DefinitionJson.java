package org.stillwater.server.api.vm;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.FoundDefinition;
import org.stillwater.core.definition.VmCdrom;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmCpu;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmNumaPlan;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmRandomness;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.definition.VmTraits;
import org.stillwater.core.definition.VmWatchdog;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.store.DefinitionStore.Definition;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.EnumNames;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.Json;
import org.stillwater.server.api.web.JsonObjectReader;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The definition of a VM as JSON, both ways. Missing members take their defaults, identities and
 * MAC addresses are generated; unknown members and senseless values are refused by name. {@link
 * #text} writes the text of an operation that adds or changes a VM, in which nothing is left out;
 * {@link #parse} reads it again, today and after an update.
 *
 * <p>It is long because both directions stand beside each other member by member, so that neither
 * forgets one.
 */
public final class DefinitionJson {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private static final Map<String, VmOrigin> ORIGINS = EnumNames.of(VmOrigin.values());
    private static final Map<String, CpuArchitecture> ARCHITECTURES =
            EnumNames.of(CpuArchitecture.values());
    private static final Map<String, VmSpecification.Firmware> FIRMWARE =
            EnumNames.of(VmSpecification.Firmware.values());
    private static final Map<String, VmSpecification.BootDevice> BOOT =
            EnumNames.of(VmSpecification.BootDevice.values());
    private static final Map<String, VmSpecification.Video> VIDEO =
            EnumNames.of(VmSpecification.Video.values());
    private static final Map<String, VmSpecification.ResumeBehaviour> RESUME =
            EnumNames.of(VmSpecification.ResumeBehaviour.values());
    private static final Map<String, VmTraits.Workload> WORKLOADS =
            EnumNames.of(VmTraits.Workload.values());
    private static final Map<String, VmDisk.Bus> BUSES = EnumNames.of(VmDisk.Bus.values());
    private static final Map<String, VmDisk.Format> FORMATS = EnumNames.of(VmDisk.Format.values());
    private static final Map<String, VmInterface.Model> MODELS =
            EnumNames.of(VmInterface.Model.values(), VmInterface.Model::label);
    private static final Map<String, VmConsole.Protocol> PROTOCOLS =
            EnumNames.of(VmConsole.Protocol.values());
    private static final Map<String, VmRandomness.Source> SOURCES =
            EnumNames.of(VmRandomness.Source.values());
    private static final Map<String, VmWatchdog.Action> ACTIONS =
            EnumNames.of(VmWatchdog.Action.values());
    private static final Map<String, VmNumaPlan.Mode> NUMA_MODES =
            EnumNames.of(VmNumaPlan.Mode.values());

    private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,8}");
    private static final String FOUND = "foundOnHost";
    private static final int LONGEST_NAME = 255;
    private static final int MOST_PRIORITY = 100;
    private static final int MOST = 1 << 16;
    private static final int MOST_MEMORY_MEBIBYTES = 48 << 20;

    private DefinitionJson() {}

    /**
     * Generators of missing values, and look-ups of named objects.
     *
     * @param clusters finds a cluster by name or id; refuses one that does not exist
     * @param ids makes identities
     * @param macs makes MAC addresses
     */
    record Makers(
            Function<String, ClusterId> clusters, Supplier<UUID> ids, Supplier<String> macs) {}

    // --------------------------------------------------------------------------------- reading

    /** The text that {@link #text} wrote. */
    public static Definition parse(String text) {
        try {
            return whole(
                    JsonObjectReader.of(MAPPER.readTree(text)),
                    VmOrigin.OVIRT,
                    new Makers(
                            id -> new ClusterId(UUID.fromString(id)),
                            () -> UUID.fromString(missing()),
                            DefinitionJson::missing));
        } catch (ApiException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static String missing() {
        throw new IllegalArgumentException("an identity is missing in a text of our own");
    }

    /**
     * A definition as a client sent it.
     *
     * @param origin of the VM, which stays
     */
    static Definition read(JsonNode body, VmOrigin origin, Makers make) {
        JsonObjectReader vm = JsonObjectReader.of(body);
        Definition read = whole(vm, origin, make);
        if (read.definition().origin() != origin) {
            throw vm.refusal(
                    "origin", "origin is read-only: that of this VM is " + Json.word(origin));
        }
        VmSpecification specification = Objects.requireNonNull(read.specification());
        return vm.make(() -> {
            specification.checkSense();
            return read;
        });
    }

    private static Definition whole(JsonObjectReader vm, VmOrigin otherwise, Makers make) {
        vm.skipTexts("id");
        vm.skipFlags("suspended", "specified");
        String name = name(vm);
        VmOrigin origin = vm.word("origin", ORIGINS, otherwise);
        UUID lease = vm.uuid("leaseStorageDomain");
        List<Interface> interfaces =
                numbered(vm.objects("interfaces"), (each, n) -> nic(each, n, make));
        int memory = vm.number("memoryMebibytes", 0, 0, MOST_MEMORY_MEBIBYTES);
        if (memory == 0) {
            throw ApiException.badRequest("memoryMebibytes is missing");
        }
        String cluster = vm.text("cluster");
        VmStatic definition =
                new VmStatic(
                        name,
                        origin,
                        vm.flag("highlyAvailable", false),
                        memory,
                        vm.number("guaranteedMemoryMebibytes", memory, 0, memory),
                        vm.number("sockets", 1, 1, MOST),
                        vm.number("coresPerSocket", 1, 1, MOST),
                        vm.number("threadsPerCore", 1, 1, Short.MAX_VALUE),
                        interfaces.stream().map(Interface::nic).toList(),
                        lease != null,
                        cluster == null ? ClusterId.DEFAULT : make.clusters().apply(cluster));
        VmSpecification specification =
                specification(vm, interfaces.stream().map(Interface::device).toList(), make);
        int priority = vm.number("priority", 0, 0, MOST_PRIORITY);
        vm.end();
        return vm.make(() -> {
            specification.check(definition);
            return new Definition(definition, specification, priority, lease, null);
        });
    }

    private static String name(JsonObjectReader vm) {
        String name = vm.requiredText("name");
        if (name.length() > LONGEST_NAME || name.chars().anyMatch(Character::isISOControl)) {
            throw ApiException.badRequest(
                    "name has 1 to 255 characters, none of them a control character");
        }
        return name;
    }

    private static VmSpecification specification(
            JsonObjectReader vm, List<VmInterface> interfaces, Makers make) {
        VmSpecification bare = VmSpecification.BARE;
        List<VmDisk> disks = numbered(vm.objects("disks"), (each, n) -> disk(each, n, make));
        VmCdrom cdrom = cdrom(vm.object("cdrom"), make);
        List<VmConsole> consoles =
                vm.objects("consoles").stream().map(DefinitionJson::console).toList();
        VmRandomness randomness = randomness(vm.object("randomness"));
        VmWatchdog watchdog = watchdog(vm.object("watchdog"));
        List<VmNumaPlan> numa = vm.objects("numaNodes").stream().map(DefinitionJson::numa).toList();
        List<VmSpecification.BootDevice> boot = vm.words("boot", BOOT);
        Map<Integer, String> pinning = pinning(vm);
        VmCpu cpu = cpu(vm);
        String machineType = vm.text("machineType");
        CpuArchitecture architecture =
                vm.<@Nullable CpuArchitecture>word("architecture", ARCHITECTURES, null);
        int maximumSockets = vm.number("maximumSockets", 0, 0, MOST);
        int maximumMemory = vm.number("maximumMemoryMebibytes", 0, 0, MOST_MEMORY_MEBIBYTES);
        VmSpecification.Firmware firmware = vm.word("firmware", FIRMWARE, bare.firmware());
        boolean bootMenu = vm.flag("bootMenu", bare.bootMenu());
        VmSpecification.Video video = vm.word("video", VIDEO, bare.video());
        boolean serialConsole = vm.flag("serialConsole", bare.serialConsole());
        boolean balloon = vm.flag("balloon", bare.balloon());
        boolean tpm = vm.flag("tpm", bare.tpm());
        Map<String, String> properties = vm.namedTexts("customProperties");
        String timeZone = vm.text("timeZone");
        VmSpecification.ResumeBehaviour resume = vm.word("resume", RESUME, bare.resume());
        String description = vm.text("description");
        String comment = vm.text("comment");
        VmTraits traits = traits(vm);
        FoundDefinition found = found(vm.object(FOUND));
        return vm.make(() ->
                new VmSpecification(
                        machineType,
                        architecture,
                        cpu,
                        maximumSockets,
                        maximumMemory,
                        firmware,
                        boot == null ? bare.boot() : boot,
                        bootMenu,
                        disks,
                        cdrom,
                        interfaces,
                        consoles,
                        video,
                        serialConsole,
                        balloon,
                        tpm,
                        randomness,
                        watchdog,
                        numa,
                        pinning,
                        properties,
                        timeZone,
                        resume,
                        description,
                        comment,
                        traits,
                        found));
    }

    /**
     * What a definition that was read from a host lacks, as far as users leave it in. It does not
     * follow the host any more.
     */
    private static @Nullable FoundDefinition found(@Nullable JsonObjectReader found) {
        if (found == null) {
            return null;
        }
        found.skipFlags("followed");
        List<String> missing = found.texts("missing");
        List<String> changed = found.texts("changed");
        found.end();
        return missing.isEmpty() && changed.isEmpty()
                ? null
                : found.make(() -> new FoundDefinition(false, missing, changed));
    }

    private static VmTraits traits(JsonObjectReader vm) {
        VmTraits usual = VmTraits.USUAL;
        String system = vm.text("guestSystem", usual.guestSystem());
        VmTraits.Workload workload = vm.word("workload", WORKLOADS, usual.workload());
        int shares = vm.number("cpuShares", 0, 0, MOST);
        boolean isProtected = vm.flag("deleteProtected", false);
        return vm.make(() -> new VmTraits(system, workload, shares, isProtected));
    }

    /** A list with default names of the entries by their number, from 1. */
    private static <T> List<T> numbered(
            List<JsonObjectReader> objects, BiFunction<JsonObjectReader, Integer, T> read) {
        List<T> all = new ArrayList<>(objects.size());
        for (JsonObjectReader each : objects) {
            all.add(read.apply(each, all.size() + 1));
            each.end();
        }
        return all;
    }

    private static UUID id(JsonObjectReader object, Makers make) {
        UUID id = object.uuid("id");
        return id == null ? make.ids().get() : id;
    }

    private static VmDisk disk(JsonObjectReader disk, int number, Makers make) {
        UUID id = id(disk, make);
        String name = disk.text("name", "disk" + number);
        JsonObjectReader where = disk.object("place");
        if (where == null) {
            throw disk.missing("place");
        }
        VmDisk.Place place = place(where);
        VmDisk.Bus bus = disk.word("bus", BUSES, VmDisk.Bus.VIRTIO_SCSI);
        VmDisk.Format format = disk.word("format", FORMATS, VmDisk.Format.RAW);
        Integer bootOrder = disk.number("bootOrder");
        boolean readOnly = disk.flag("readOnly", false);
        boolean shareable = disk.flag("shareable", false);
        boolean plugged = disk.flag("plugged", true);
        return disk.make(() ->
                new VmDisk(id, name, place, bus, format, bootOrder, readOnly, shareable, !plugged));
    }

    private static VmDisk.Place place(JsonObjectReader place) {
        String kind = place.requiredText("kind");
        VmDisk.Place read =
                switch (kind) {
                    case "volume" ->
                            new VmDisk.Place.Volume(
                                    place.requiredUuid("pool"),
                                    place.requiredUuid("domain"),
                                    place.requiredUuid("image"),
                                    place.requiredUuid("volume"),
                                    place.flag("block", false));
                    case "block_device" -> {
                        String path = place.requiredText("path");
                        yield place.make(() -> new VmDisk.Place.BlockDevice(path));
                    }
                    case "file" -> {
                        String path = place.requiredText("path");
                        yield place.make(() -> new VmDisk.Place.File(path));
                    }
                    default ->
                            throw ApiException.badRequest(
                                    "the kind of a disk's place is volume, block_device or file,"
                                            + " not \""
                                            + Ids.shortened(kind)
                                            + "\"");
                };
        place.end();
        return read;
    }

    private static @Nullable VmCdrom cdrom(@Nullable JsonObjectReader drive, Makers make) {
        if (drive == null) {
            return null;
        }
        UUID id = id(drive, make);
        String image = drive.text("imagePath");
        drive.end();
        return drive.make(() -> new VmCdrom(id, image));
    }

    /**
     * An interface as a host knows it and as monitoring does.
     *
     * @param device as a host knows it
     * @param nic as monitoring does
     */
    private record Interface(VmInterface device, VmNic nic) {}

    private static Interface nic(JsonObjectReader nic, int number, Makers make) {
        UUID id = id(nic, make);
        String name = nic.text("name", "nic" + number);
        String given = nic.text("mac");
        String mac = given == null ? make.macs().get() : given.strip().toLowerCase(Locale.ROOT);
        String network = nic.text("network");
        UUID profile = nic.uuid("vnicProfile");
        VmInterface.Model model = nic.word("model", MODELS, VmInterface.Model.VIRTIO);
        boolean linked = nic.flag("linked", true);
        Integer mtu = nic.number("mtuBytes");
        boolean filtered = nic.flag("filtered", true);
        boolean plugged = nic.flag("plugged", true);
        VmInterface device =
                nic.make(() ->
                        new VmInterface(
                                id, name, mac, network, model, linked, mtu, filtered, !plugged));
        return new Interface(device, device.nic(profile));
    }

    private static VmConsole console(JsonObjectReader console) {
        VmConsole.Protocol protocol =
                console.<VmConsole.@Nullable Protocol>word("protocol", PROTOCOLS, null);
        if (protocol == null) {
            throw console.missing("protocol");
        }
        String keyboard = console.text("keyboard");
        console.end();
        return console.make(() -> new VmConsole(protocol, keyboard));
    }

    private static @Nullable VmRandomness randomness(@Nullable JsonObjectReader source) {
        if (source == null) {
            return null;
        }
        VmRandomness.Source where = source.word("source", SOURCES, VmRandomness.Source.URANDOM);
        Integer bytes = source.number("bytesPerPeriod");
        Integer period = source.number("periodMillis");
        source.end();
        return source.make(() -> new VmRandomness(where, bytes, period));
    }

    private static @Nullable VmWatchdog watchdog(@Nullable JsonObjectReader watchdog) {
        if (watchdog == null) {
            return null;
        }
        VmWatchdog.Action action = watchdog.word("action", ACTIONS, VmWatchdog.Action.NONE);
        watchdog.end();
        return new VmWatchdog(action);
    }

    private static VmNumaPlan numa(JsonObjectReader node) {
        List<Integer> cpus = node.numbers("cpus");
        int memory = node.requiredNumber("memoryMebibytes");
        List<Integer> hostNodes = node.numbers("hostNodes");
        VmNumaPlan.Mode mode = node.word("mode", NUMA_MODES, VmNumaPlan.Mode.PREFERRED);
        node.end();
        return node.make(() -> new VmNumaPlan(cpus, memory, hostNodes, mode));
    }

    private static VmCpu cpu(JsonObjectReader vm) {
        JsonNode given = vm.any("cpu");
        if (given == null) {
            return VmCpu.OF_CLUSTER;
        }
        if (given.isString()) {
            return switch (given.asString()) {
                case "cluster" -> VmCpu.OF_CLUSTER;
                case "host" -> VmCpu.OF_HOST;
                default ->
                        throw ApiException.badRequest(
                                "cpu must be \"cluster\", \"host\" or an object with model and"
                                        + " features");
            };
        }
        JsonObjectReader cpu = vm.object("cpu");
        if (cpu == null) {
            return VmCpu.OF_CLUSTER;
        }
        String model = cpu.requiredText("model");
        List<String> features = cpu.texts("features");
        cpu.end();
        return cpu.make(() -> new VmCpu.Named(model, new HashSet<>(features)));
    }

    private static Map<Integer, String> pinning(JsonObjectReader vm) {
        Map<Integer, String> pinning = new HashMap<>();
        vm.namedTexts("cpuPinning")
                .forEach((cpu, set) -> {
                    if (!NUMBER.matcher(cpu).matches()) {
                        throw ApiException.badRequest(
                                "cpuPinning names virtual CPUs by number, from 0, without leading"
                                        + " zeros, not \"%s\"".formatted(Ids.shortened(cpu)));
                    }
                    pinning.put(Integer.valueOf(cpu), set);
                });
        return pinning;
    }

    // --------------------------------------------------------------------------------- writing

    /** All of a definition, as an operation keeps it. */
    public static String text(Definition definition) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = MAPPER.createGenerator(text)) {
            json.writeStartObject();
            members(json, definition);
            json.writeEndObject();
        }
        return text.toString();
    }

    static void write(JsonGenerator json, VmJsonModule.VmDefinition view) {
        json.writeStartObject();
        json.writeStringProperty("id", view.id().toString());
        members(json, view.definition());
        json.writeBooleanProperty("specified", view.definition().specification() != null);
        json.writeBooleanProperty("suspended", view.definition().savedMemory() != null);
        json.writeEndObject();
    }

    private static void members(JsonGenerator json, Definition definition) {
        VmStatic vm = definition.definition();
        json.writeStringProperty("name", vm.name());
        json.writeStringProperty("origin", Json.word(vm.origin()));
        json.writeStringProperty("cluster", vm.cluster().toString());
        json.writeBooleanProperty("highlyAvailable", vm.highlyAvailable());
        json.writeNumberProperty("priority", definition.priority());
        Json.text(json, "leaseStorageDomain", definition.lease());
        json.writeNumberProperty("memoryMebibytes", vm.memoryMebibytes());
        json.writeNumberProperty("guaranteedMemoryMebibytes", vm.guaranteedMemoryMebibytes());
        json.writeNumberProperty("sockets", vm.sockets());
        json.writeNumberProperty("coresPerSocket", vm.coresPerSocket());
        json.writeNumberProperty("threadsPerCore", vm.threadsPerCore());
        VmSpecification specification = definition.specification();
        specification(json, vm, specification == null ? VmSpecification.BARE : specification);
    }

    private static void specification(JsonGenerator json, VmStatic vm, VmSpecification of) {
        Json.text(json, "machineType", of.machineType());
        CpuArchitecture architecture = of.architecture();
        Json.text(json, "architecture", architecture == null ? null : Json.word(architecture));
        cpu(json, of.cpu());
        json.writeNumberProperty("maximumSockets", of.maximumSockets());
        json.writeNumberProperty("maximumMemoryMebibytes", of.maximumMemoryMebibytes());
        json.writeStringProperty("firmware", Json.word(of.firmware()));
        list(json, "boot", of.boot(), each -> json.writeString(Json.word(each)));
        json.writeBooleanProperty("bootMenu", of.bootMenu());
        list(json, "disks", of.disks(), each -> disk(json, each));
        VmCdrom cdrom = of.cdrom();
        if (cdrom == null) {
            json.writeNullProperty("cdrom");
        } else {
            json.writeObjectPropertyStart("cdrom");
            json.writeStringProperty("id", cdrom.id().toString());
            Json.text(json, "imagePath", cdrom.imagePath());
            json.writeEndObject();
        }
        list(json, "interfaces", of.interfaces(), each -> nic(json, each, vm));
        list(json, "consoles", of.consoles(), each -> console(json, each));
        json.writeStringProperty("video", Json.word(of.video()));
        json.writeBooleanProperty("serialConsole", of.serialConsole());
        json.writeBooleanProperty("balloon", of.balloon());
        json.writeBooleanProperty("tpm", of.tpm());
        randomness(json, of.randomness());
        VmWatchdog watchdog = of.watchdog();
        if (watchdog == null) {
            json.writeNullProperty("watchdog");
        } else {
            json.writeObjectPropertyStart("watchdog");
            json.writeStringProperty("action", Json.word(watchdog.action()));
            json.writeEndObject();
        }
        list(json, "numaNodes", of.numaNodes(), each -> numa(json, each));
        texts(json, "cpuPinning", of.cpuPinning());
        texts(json, "customProperties", of.customProperties());
        Json.text(json, "timeZone", of.timeZone());
        json.writeStringProperty("resume", Json.word(of.resume()));
        Json.text(json, "description", of.description());
        Json.text(json, "comment", of.comment());
        json.writeStringProperty("guestSystem", of.traits().guestSystem());
        json.writeStringProperty("workload", Json.word(of.traits().workload()));
        json.writeNumberProperty("cpuShares", of.traits().cpuShares());
        json.writeBooleanProperty("deleteProtected", of.traits().deleteProtected());
        FoundDefinition found = of.found();
        if (found != null) {
            json.writeObjectPropertyStart(FOUND);
            json.writeBooleanProperty("followed", found.followed());
            list(json, "missing", found.missing(), json::writeString);
            list(json, "changed", found.changed(), json::writeString);
            json.writeEndObject();
        }
    }

    private static void cpu(JsonGenerator json, VmCpu cpu) {
        switch (cpu) {
            case VmCpu.OfCluster _ -> json.writeStringProperty("cpu", "cluster");
            case VmCpu.OfHost _ -> json.writeStringProperty("cpu", "host");
            case VmCpu.Named(String model, var features) -> {
                json.writeObjectPropertyStart("cpu");
                json.writeStringProperty("model", model);
                list(json, "features", features, json::writeString);
                json.writeEndObject();
            }
        }
    }

    private static void disk(JsonGenerator json, VmDisk disk) {
        json.writeStartObject();
        json.writeStringProperty("id", disk.id().toString());
        json.writeStringProperty("name", disk.name());
        json.writeObjectPropertyStart("place");
        switch (disk.place()) {
            case VmDisk.Place.Volume volume -> {
                json.writeStringProperty("kind", "volume");
                json.writeStringProperty("pool", volume.pool().toString());
                json.writeStringProperty("domain", volume.domain().toString());
                json.writeStringProperty("image", volume.image().toString());
                json.writeStringProperty("volume", volume.volume().toString());
                json.writeBooleanProperty("block", volume.block());
            }
            case VmDisk.Place.BlockDevice(String path) -> {
                json.writeStringProperty("kind", "block_device");
                json.writeStringProperty("path", path);
            }
            case VmDisk.Place.File(String path) -> {
                json.writeStringProperty("kind", "file");
                json.writeStringProperty("path", path);
            }
        }
        json.writeEndObject();
        json.writeStringProperty("bus", Json.word(disk.bus()));
        json.writeStringProperty("format", Json.word(disk.format()));
        json.writeName("bootOrder");
        Json.value(json, disk.bootOrder());
        json.writeBooleanProperty("readOnly", disk.readOnly());
        json.writeBooleanProperty("shareable", disk.shareable());
        json.writeBooleanProperty("plugged", !disk.unplugged());
        json.writeEndObject();
    }

    private static void nic(JsonGenerator json, VmInterface nic, VmStatic vm) {
        VmNic known = vm.nicWithMac(nic.mac());
        json.writeStartObject();
        json.writeStringProperty("id", nic.id().toString());
        json.writeStringProperty("name", nic.name());
        json.writeStringProperty("mac", nic.mac());
        Json.text(json, "network", nic.network());
        Json.text(json, "vnicProfile", known == null ? null : known.vnicProfile());
        json.writeStringProperty("model", nic.model().label());
        json.writeBooleanProperty("linked", nic.linked());
        json.writeName("mtuBytes");
        Json.value(json, nic.mtuBytes());
        json.writeBooleanProperty("filtered", nic.filtered());
        json.writeBooleanProperty("plugged", !nic.unplugged());
        json.writeEndObject();
    }

    private static void console(JsonGenerator json, VmConsole console) {
        json.writeStartObject();
        json.writeStringProperty("protocol", Json.word(console.protocol()));
        Json.text(json, "keyboard", console.keyboard());
        json.writeEndObject();
    }

    private static void randomness(JsonGenerator json, @Nullable VmRandomness randomness) {
        if (randomness == null) {
            json.writeNullProperty("randomness");
            return;
        }
        json.writeObjectPropertyStart("randomness");
        json.writeStringProperty("source", Json.word(randomness.source()));
        json.writeName("bytesPerPeriod");
        Json.value(json, randomness.bytesPerPeriod());
        json.writeName("periodMillis");
        Json.value(json, randomness.periodMillis());
        json.writeEndObject();
    }

    private static void numa(JsonGenerator json, VmNumaPlan node) {
        json.writeStartObject();
        list(json, "cpus", node.cpus(), json::writeNumber);
        json.writeNumberProperty("memoryMebibytes", node.memoryMebibytes());
        list(json, "hostNodes", node.hostNodes(), json::writeNumber);
        json.writeStringProperty("mode", Json.word(node.mode()));
        json.writeEndObject();
    }

    private static <T> void list(
            JsonGenerator json, String name, Iterable<T> values, Consumer<T> each) {
        json.writeArrayPropertyStart(name);
        values.forEach(each);
        json.writeEndArray();
    }

    private static void texts(JsonGenerator json, String name, Map<?, String> texts) {
        json.writeObjectPropertyStart(name);
        texts.forEach((key, text) -> json.writeStringProperty(key.toString(), text));
        json.writeEndObject();
    }
}
