package org.stillwater.fake.world;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.HostEndpoint;
import org.stillwater.fake.net.HostEvent;
import org.stillwater.fake.net.HostName;
import org.stillwater.fake.net.JsonBody;
import org.stillwater.fake.net.RpcCall;
import org.stillwater.fake.net.RpcReply;
import tools.jackson.databind.JsonNode;

/**
 * The verbs of one host (§3.1). Reading takes the host's monitor, in slices for long answers;
 * changing goes through the world.
 *
 * <p>It is long because it has a method for each verb.
 */
final class HostVerbs implements HostEndpoint {

    /** So many VMs are answered for before others get a turn at the monitor. */
    private static final int SLICE = 128;

    private static final int LONGEST_VNC_PASSWORD = 8;

    /** Usual time that a host gives a guest to shut down, in seconds. */
    private static final int USUAL_PATIENCE_SECONDS = 30;

    private final World world;
    private final FakeHost host;
    private final StorageVerbs storage;
    private final DepartureVerbs departures;
    private final HotplugVerbs hotplug;
    private final CdVerbs cds;

    /** Guarded by the host's monitor. */
    private long stormTurn;

    HostVerbs(World world, FakeHost host) {
        this.world = world;
        this.host = host;
        this.storage = new StorageVerbs(world, host);
        this.departures = new DepartureVerbs(this, world, host);
        this.hotplug = new HotplugVerbs(this, host);
        this.cds = new CdVerbs(this, host);
    }

    /** Its verbs about storage. */
    StorageVerbs storage() {
        return storage;
    }

    /** Its verbs that take VMs away. */
    DepartureVerbs departures() {
        return departures;
    }

    /** Its verbs that change devices. */
    HotplugVerbs hotplug() {
        return hotplug;
    }

    CdVerbs cds() {
        return cds;
    }

    @Override
    public HostName name() {
        return host.name;
    }

    @Override
    public void call(RpcCall call, RpcReply reply) {
        try {
            reply.result(answer(call));
        } catch (VerbError e) {
            reply.error(e.code(), String.valueOf(e.getMessage()));
        }
    }

    @Override
    public @Nullable HostEvent freshEvent(@Nullable String vmId) {
        synchronized (host) {
            Domain[] domains = host.domains();
            if (host.condition() != FakeHost.Condition.UP || domains.length == 0) {
                return null;
            }
            Domain chosen =
                    vmId == null
                            ? domains[(int) (stormTurn++ % domains.length)]
                            : host.domain(vmId);
            return chosen == null ? null : world.events().fresh(chosen);
        }
    }

    private JsonBody answer(RpcCall call) {
        if (host.condition() != FakeHost.Condition.UP) {
            throw VdsmError.RECOVERING.error();
        }
        VerbTable.Verb verb = VerbTable.find(call.method(), host.profile());
        if (verb == null) {
            throw new VerbError(
                    -32601,
                    "The method does not exist or is not available: {'method': '%s'}"
                            .formatted(call.method()));
        }
        return verb.action().run(this, new Arguments(call.params(), verb.parameters()));
    }

    JsonBody locked(Function<FakeHost, JsonBody> read) {
        synchronized (host) {
            return read.apply(host);
        }
    }

    /** Reads a VM; an unknown one is code 1. */
    JsonBody withVm(String vmId, Function<Domain, JsonBody> use) {
        synchronized (host) {
            return use.apply(known(vmId));
        }
    }

    /** The caller holds the host's monitor. */
    private Domain known(String vmId) {
        Domain domain = host.domain(vmId.toLowerCase(Locale.ROOT));
        if (domain == null) {
            throw VdsmError.NO_SUCH_VM.about("vmId", vmId);
        }
        return domain;
    }

    JsonBody allVmStats() {
        Domain[] domains;
        synchronized (host) {
            domains = host.domains();
        }
        JsonOut out = new JsonOut(domains.length * 4096).array();
        for (int from = 0; from < domains.length; from += SLICE) {
            int to = Math.min(domains.length, from + SLICE);
            synchronized (host) {
                HostMoment moment = host.moment(); // no older than the slice's content
                for (int i = from; i < to; i++) {
                    Domain domain = domains[i];
                    if (host.domain(domain.machine.idText) == domain) {
                        VmReport.poll(out, domain, moment);
                    }
                }
            }
        }
        synchronized (host) {
            HostMoment moment = host.moment();
            host.claims().forEach((vmId, status) -> VmReport.claim(out, vmId, status, moment));
        }
        return out.endArray().body();
    }

    JsonBody vmStats(Arguments arguments) {
        return withVm(
                arguments.text("vmID"),
                domain -> {
                    JsonOut out = new JsonOut(4096).array();
                    VmReport.poll(out, domain, host.moment());
                    return out.endArray().body();
                });
    }

    JsonBody vmInfo(Arguments arguments) {
        return withVm(
                arguments.text("vmID"),
                domain -> {
                    JsonOut out = new JsonOut(256);
                    shortStatus(out, domain, host.moment());
                    return out.body();
                });
    }

    JsonBody vmList(Arguments arguments) {
        Set<String> wanted = wanted(arguments);
        boolean modern = host.profile().atLeast(Profile.V4_40);
        boolean onlyIds = !modern && arguments.flag("onlyUUID", true);
        boolean full = !modern && arguments.flag("fullStatus", false);
        synchronized (host) {
            HostMoment moment = host.moment();
            JsonOut out = new JsonOut(host.domainCount() * 128 + 16).array();
            for (Domain domain : host.domains()) {
                if (!wanted.isEmpty() && !wanted.contains(domain.machine.idText)) {
                    continue;
                }
                if (full) {
                    LegacyVmDefinition.write(out, domain, moment);
                } else if (onlyIds) {
                    out.text(domain.machine.idText);
                } else if (modern) {
                    shortStatus(out, domain, moment);
                } else {
                    out.object()
                            .name("vmId")
                            .text(domain.machine.idText)
                            .name("status")
                            .text(domain.phase.wire())
                            .endObject();
                }
            }
            return out.endArray().body();
        }
    }

    JsonBody vmFullList(Arguments arguments) {
        Set<String> wanted = wanted(arguments);
        synchronized (host) {
            HostMoment moment = host.moment();
            JsonOut out = new JsonOut().array();
            for (Domain domain : host.domains()) {
                if (!wanted.isEmpty() && !wanted.contains(domain.machine.idText)) {
                    continue;
                }
                if (host.profile().atLeast(Profile.V4_40)) {
                    shortStatus(out, domain, moment);
                } else {
                    LegacyVmDefinition.write(out, domain, moment);
                }
            }
            return out.endArray().body();
        }
    }

    private static Set<String> wanted(Arguments arguments) {
        return arguments.optional("vmList") == null
                ? Set.of()
                : new HashSet<>(arguments.texts("vmList"));
    }

    private static void shortStatus(JsonOut out, Domain domain, HostMoment moment) {
        out.object()
                .name("vmId")
                .text(domain.machine.idText)
                .name("status")
                .text(domain.phase.wire())
                .name("statusTime")
                .numberText(moment.stamp())
                .endObject();
    }

    JsonBody dumpXmls(Arguments arguments) {
        List<String> ids = arguments.texts("vmList");
        JsonOut out = new JsonOut(ids.size() * 6144 + 16).object();
        for (String id : ids) {
            synchronized (host) {
                Domain domain = host.domain(id);
                if (domain == null || domain.isDown()) {
                    throw VerbError.internal("no domain " + id);
                }
                out.name(id).text(DomainXml.of(domain));
            }
        }
        return out.endObject().body();
    }

    JsonBody connectedPools() {
        return new JsonOut(64).value(List.of(Storage.POOL)).body();
    }

    JsonBody momParameters(Arguments arguments) {
        if (!arguments.required("key_value_store").isObject()) {
            throw VdsmError.MOM_POLICY_FAILED.error();
        }
        return JsonBody.TRUE;
    }

    JsonBody repoStats(Arguments arguments) {
        List<String> domains = HostReport.STORAGE_DOMAINS;
        if (arguments.optional("domains") != null) {
            List<String> asked = arguments.texts("domains");
            domains = asked.isEmpty() ? domains : domains.stream().filter(asked::contains).toList();
        }
        return HostReport.storageRepoStats(host, host.moment(), domains);
    }

    /** The data only where they are not the caller's already. */
    JsonBody externalData(Arguments arguments) {
        String kind = arguments.text("kind");
        boolean told = arguments.optional("lastHash") != null;
        String lastHash = told ? arguments.text("lastHash") : "";
        return withVm(
                arguments.text("vmID"),
                domain -> {
                    Machine machine = domain.machine;
                    boolean tpm = kind.equals("tpm") && machine.hasTpm();
                    if (!tpm && !(kind.equals("nvram") && machine.nvram)) {
                        throw noExternalData(kind, machine);
                    }
                    String hash = tpm ? machine.tpmHash() : machine.nvramHash();
                    JsonOut out = new JsonOut(256).object().name("hash").text(hash);
                    if (!hash.equals(lastHash)) {
                        out.name("_X_data").text(tpm ? machine.tpmData() : machine.nvramData());
                    }
                    return out.endObject().body();
                });
    }

    private static VerbError noExternalData(String kind, Machine machine) {
        return switch (kind) {
            case "tpm", "nvram" ->
                    VdsmError.EXTERNAL_DATA_FAILED.about(
                            "path",
                            kind.equals("tpm")
                                    ? "/var/lib/libvirt/swtpm/%s/tpm2".formatted(machine.idText)
                                    : "/var/lib/libvirt/qemu/nvram/%s.fd".formatted(machine.idText),
                            "reason",
                            "Data path doesn't exist");
            default ->
                    VdsmError.EXTERNAL_DATA_FAILED.about(
                            "kind", kind, "reason", "Unsupported external data kind");
        };
    }

    // ---- verbs that change something

    JsonBody create(Arguments arguments) {
        JsonNode params = arguments.required("vmParams");
        String xml = definitionText(params.get("xml"));
        DomainDefinition definition = definition(xml);
        VolumeAddress.Pair volumes = VolumeAddress.Pair.ofCreation(params);
        JsonNode pausedMember = params.get("launchPaused");
        boolean paused =
                definition.launchPaused()
                        || (pausedMember != null && pausedMember.asBoolean(false));
        Domain created =
                changing(() -> {
                    requireRoom(definition);
                    Exit failure;
                    synchronized (host) {
                        failure = host.takeStartFailure();
                    }
                    boolean leased = world.grantsLeases(host, definition);
                    if (!leased && failure == null) {
                        failure = Exit.START_FAILED;
                    }
                    return world.createFromXml(
                            host,
                            definition,
                            new Launch(failure, volumes, paused, definition.endsOnReboot()),
                            textOrNull(params, "_X_tpmdata"),
                            textOrNull(params, "_X_nvramdata"));
                });
        synchronized (host) {
            return new JsonOut(1024)
                    .object()
                    .name("vmId")
                    .text(created.machine.idText)
                    .name("status")
                    .text(created.phase.wire())
                    .name("statusTime")
                    .numberText(host.moment().stamp())
                    .name("xml")
                    .text(xml)
                    .endObject()
                    .body();
        }
    }

    private static String definitionText(@Nullable JsonNode xml) {
        if (xml == null) {
            throw VdsmError.GENERAL.of("'xml'");
        }
        if (!xml.isString()) {
            throw VdsmError.GENERAL.of("can only parse strings");
        }
        return xml.asString();
    }

    /**
     * VDSM reads the XML before it knows the VM, so text that is no XML is an error of its own; XML
     * without a domain is an unexpected error.
     */
    private static DomainDefinition definition(String xml) {
        XmlElement root;
        try {
            root = XmlElement.parse(xml);
        } catch (IllegalArgumentException e) {
            throw VdsmError.GENERAL.of(String.valueOf(e.getMessage()));
        }
        try {
            return DomainDefinition.of(root);
        } catch (IllegalArgumentException e) {
            throw VdsmError.UNEXPECTED.error();
        }
    }

    private static @Nullable String textOrNull(JsonNode params, String member) {
        JsonNode value = params.get(member);
        return value == null || !value.isString() || value.asString().isEmpty()
                ? null
                : value.asString();
    }

    /** A VM that the host knows already is refused as such, however full the host is. */
    private void requireRoom(DomainDefinition definition) {
        synchronized (host) {
            if (host.domain(definition.id().toString()) == null
                    && !host.hasRoomFor(definition.memoryMib() + HostReport.GUEST_OVERHEAD_MIB)) {
                throw VdsmError.OUT_OF_MEMORY.error();
            }
        }
    }

    /** VDSM sets the password of the first console, and fails without one, which this does not. */
    JsonBody setTicket(Arguments arguments) {
        String password = arguments.text("password");
        JsonNode _ = arguments.required("ttl");
        String action = arguments.text("existingConnAction");
        change(
                arguments,
                (life, domain) -> {
                    List<String> consoles = domain.machine.graphics;
                    String first = consoles.isEmpty() ? "" : consoles.getFirst();
                    ticket(life, domain, first, password, action);
                });
        return JsonBody.TRUE;
    }

    /** Sets the password of the named console; other devices do not change. */
    JsonBody updateDevice(Arguments arguments) {
        JsonNode params = arguments.required("params");
        if (!params.path("deviceType").asString("").equals("graphics")) {
            throw VdsmError.NOT_IMPLEMENTED.error();
        }
        String console = params.path("graphicsType").asString("");
        String password = params.path("password").asString("");
        String action = params.path("existingConnAction").asString("keep");
        change(
                arguments,
                (life, domain) -> {
                    if (!domain.machine.graphics.contains(console)) {
                        throw VdsmError.UPDATE_DEVICE_FAILED.error();
                    }
                    ticket(life, domain, console, password, action);
                });
        return JsonBody.of("{\"vmList\": {}}");
    }

    /** The password is checked and dropped. */
    private static void ticket(
            Lifecycle life, Domain domain, String console, String password, String action) {
        boolean connected = !domain.clientAddress.isEmpty();
        if (domain.isDown()
                || (connected && action.equals("fail"))
                || !Set.of("keep", "disconnect", "fail").contains(action)) {
            throw new VerbError(18, "Unexpected error setting SPICE ticket");
        }
        requireShort(password, console);
        life.setTicket(domain, console, action.equals("disconnect"));
    }

    /** As libvirt from version 8 on. */
    private static void requireShort(String password, String console) {
        if (console.equals("vnc") && password.length() > LONGEST_VNC_PASSWORD) {
            throw VdsmError.GENERAL.saying(
                    "General Exception: ('unsupported configuration: VNC password is %d characters"
                                    .formatted(password.length())
                            + " long, only %d permitted',)".formatted(LONGEST_VNC_PASSWORD));
        }
    }

    /** Another host's power, as its fence agent would switch it. */
    JsonBody fenceNode(Arguments arguments) {
        String address = arguments.text("addr");
        String action = arguments.text("action");
        FakeHost other = world.hostByAddress(address);
        if (other == null) {
            other = world.hostByAddress(address + ':' + arguments.number("port", 0));
        }
        if (other == null) {
            throw new VerbError(43, "Fence agent failed: no power switch at " + address);
        }
        SimulatedHost target = new SimulatedHost(world, other);
        switch (action) {
            case "status" -> {
                return JsonBody.of(
                        "{\"power\": \"%s\"}".formatted(target.isPowered() ? "on" : "off"));
            }
            case "on" -> target.power(true);
            case "off" -> target.power(false);
            case "reboot" -> {
                target.power(false);
                target.power(true);
            }
            default -> throw new VerbError(43, "Fence agent does not know " + action);
        }
        return JsonBody.of("{\"operationStatus\": \"initiated\"}");
    }

    JsonBody destroy(Arguments arguments) {
        long attempts = arguments.number("gracefulAttempts", 1);
        if (attempts < 0) {
            throw VerbError.internal("gracefulAttempts must not be negative");
        }
        change(arguments, (life, domain) -> life.destroy(domain));
        return JsonBody.TRUE;
    }

    JsonBody shutdown(Arguments arguments) {
        Duration delay = Duration.ofSeconds(Math.clamp(arguments.number("delay", 0), 0, 86_400));
        boolean reboot = arguments.flag("reboot", false);
        Duration patience =
                Duration.ofSeconds(
                        Math.clamp(arguments.number("timeout", USUAL_PATIENCE_SECONDS), 0, 86_400));
        boolean force = arguments.flag("force", false);
        change(
                arguments,
                (life, domain) -> {
                    if (domain.isDown()) {
                        throw VdsmError.NO_SUCH_VM.error(); // VDSM's wording, without an id
                    }
                    life.shutDownByAdmin(
                            domain, delay, domain.machine.obeys, reboot, force ? patience : null);
                });
        return JsonBody.TRUE;
    }

    JsonBody reset(Arguments arguments) {
        change(
                arguments,
                (life, domain) -> {
                    if (domain.phase != Phase.RUNNING) {
                        throw new VerbError(90, "Failed to reset VM");
                    }
                    life.reset(domain);
                });
        return JsonBody.TRUE;
    }

    JsonBody pause(Arguments arguments) {
        change(arguments, (life, domain) -> life.pause(domain, PauseCause.USER));
        return JsonBody.of("{\"vmList\": {}}");
    }

    JsonBody resume(Arguments arguments) {
        change(
                arguments,
                (life, domain) -> {
                    switch (domain.phase) {
                        case PAUSED -> life.resume(domain);
                        case MIGRATION_SOURCE, SAVING, DOWN ->
                                throw WorldException.conflict(
                                        "cannot resume in state " + domain.phase.wire());
                        case WAIT_FOR_LAUNCH, RUNNING, RESTORING, MIGRATION_DESTINATION -> {
                            // A host takes it as done.
                        }
                    }
                });
        return JsonBody.of("{\"vmList\": {}}");
    }

    /** The effect of a verb on a VM that its host knows. */
    @FunctionalInterface
    interface Change {
        void apply(Lifecycle life, Domain domain);
    }

    /** Changes a VM; an unknown one is code 1. */
    void change(Arguments arguments, Change change) {
        String vmId = arguments.text("vmID");
        Object _ =
                changing(() -> {
                    Domain domain;
                    synchronized (host) {
                        domain = known(vmId);
                    }
                    change.apply(world.life(), domain);
                    return domain;
                });
    }

    private <T> T changing(Supplier<T> change) {
        try {
            return world.changing(change);
        } catch (WorldException e) {
            throw switch (e.reason()) {
                case EXISTS -> VdsmError.VM_EXISTS.error();
                case UNKNOWN, CONFLICT ->
                        VdsmError.UNEXPECTED.saying(
                                VdsmError.UNEXPECTED.text() + ": " + e.getMessage());
            };
        }
    }
}
