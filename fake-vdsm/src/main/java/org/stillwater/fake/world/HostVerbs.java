package org.stillwater.fake.world;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
 */
final class HostVerbs implements HostEndpoint {

    /** So many VMs are answered for before others get a turn at the monitor. */
    private static final int SLICE = 128;

    private static final int RECOVERING = 99;

    /** How long a host waits for a guest that was asked to shut down, in seconds, if not told. */
    private static final int USUAL_PATIENCE_SECONDS = 30;

    private static final Map<String, Verb> VERBS = verbs();

    private final World world;
    private final FakeHost host;

    /** Guarded by the host's monitor. */
    private long stormTurn;

    HostVerbs(World world, FakeHost host) {
        this.world = world;
        this.host = host;
    }

    /** One verb: since which release, with which parameters, and what it does. */
    private record Verb(Profile since, List<String> parameters, Action action) {}

    @FunctionalInterface
    private interface Action {
        JsonBody run(HostVerbs host, Arguments arguments);
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
            throw new VerbError(RECOVERING, "Recovering from crash or Initializing");
        }
        Verb verb = VERBS.get(call.method());
        if (verb == null || !host.profile().atLeast(verb.since)) {
            throw new VerbError(
                    -32601,
                    "The method does not exist or is not available: {'method': '%s'}"
                            .formatted(call.method()));
        }
        return verb.action.run(this, new Arguments(call.params(), verb.parameters));
    }

    private static Map<String, Verb> verbs() {
        Map<String, Verb> verbs = new HashMap<>();
        Profile any = Profile.V4_20;
        verb(verbs, "Host.getCapabilities", any, (h, _) -> h.locked(Capabilities::of));
        verb(verbs, "Host.getHardwareInfo", any, (h, _) -> h.locked(Capabilities::hardware));
        verb(
                verbs,
                "Host.getStats",
                any,
                (h, _) -> h.locked(host -> HostReport.stats(host, host.moment())));
        verb(verbs, "Host.getNetworkCapabilities", any, (h, _) -> h.locked(Capabilities::network));
        verb(
                verbs,
                "Host.getNetworkStatistics",
                Profile.V4_30,
                (h, _) -> h.locked(host -> HostReport.networkStatistics(host, host.moment())));
        verb(verbs, "Host.getAllVmStats", any, (h, _) -> h.allVmStats());
        verb(verbs, "Host.getVMList", any, HostVerbs::vmList, "fullStatus", "vmList", "onlyUUID");
        verb(verbs, "Host.getVMFullList", any, HostVerbs::vmFullList, "vmList");
        verb(verbs, "Host.dumpxmls", any, HostVerbs::dumpXmls, "vmList");
        verb(verbs, "Host.getAllTasksStatuses", any, (h, _) -> h.spmOnly());
        verb(verbs, "Host.getAllTasksInfo", any, (h, _) -> h.spmOnly());
        verb(verbs, "Host.getJobs", any, (_, _) -> JsonBody.of("{}"), "job_type", "job_ids");
        verb(
                verbs,
                "Host.setMOMPolicyParameters",
                any,
                HostVerbs::momParameters,
                "key_value_store");
        verb(
                verbs,
                "Host.getStorageDomains",
                any,
                (_, _) -> new JsonOut().value(HostReport.STORAGE_DOMAINS).body(),
                "storagepoolID",
                "domainClass",
                "storageType",
                "remotePath");
        verb(verbs, "Host.getStorageRepoStats", any, HostVerbs::repoStats, "domains");
        verb(verbs, "Host.hostdevListByCaps", any, (_, _) -> JsonBody.of("{}"), "caps");
        verb(verbs, "Host.getExternalVMs", any, (_, _) -> JsonBody.of("[]"));
        verb(verbs, "Host.ping", any, (_, _) -> JsonBody.TRUE);
        verb(verbs, "Host.ping2", any, (_, _) -> JsonBody.TRUE);
        verb(verbs, "Host.confirmConnectivity", any, (_, _) -> JsonBody.TRUE);
        verb(
                verbs,
                "Host.setupNetworks",
                any,
                (_, _) -> JsonBody.of("{\"code\": 0, \"message\": \"Done\"}"),
                "networks",
                "bondings",
                "options");
        verb(
                verbs,
                "Host.fenceNode",
                any,
                HostVerbs::fenceNode,
                "addr",
                "port",
                "agent",
                "username",
                "password",
                "action",
                "secure",
                "options",
                "policy");
        verb(verbs, "StoragePool.getSpmStatus", any, HostVerbs::spmStatus, "storagepoolID");
        verb(verbs, "VM.getStats", any, HostVerbs::vmStats, "vmID");
        verb(verbs, "VM.getInfo", any, HostVerbs::vmInfo, "vmID");
        verb(verbs, "VM.create", any, HostVerbs::create, "vmID", "vmParams");
        verb(verbs, "VM.destroy", any, HostVerbs::destroy, "vmID", "gracefulAttempts");
        verb(
                verbs,
                "VM.shutdown",
                any,
                HostVerbs::shutdown,
                "vmID",
                "delay",
                "message",
                "reboot",
                "timeout",
                "force");
        verb(verbs, "VM.reset", any, HostVerbs::reset, "vmID");
        verb(verbs, "VM.pause", any, HostVerbs::pause, "vmID");
        verb(verbs, "VM.cont", any, HostVerbs::resume, "vmID");
        verb(verbs, "VM.hibernate", any, HostVerbs::hibernate, "vmID", "hibernationVolHandle");
        verb(verbs, "VM.migrate", any, HostVerbs::migrate, "vmID", "params");
        verb(verbs, "VM.migrateCancel", any, HostVerbs::migrateCancel, "vmID");
        verb(verbs, "VM.getMigrationStatus", any, HostVerbs::migrationStatus, "vmID");
        verb(
                verbs,
                "VM.setTicket",
                any,
                HostVerbs::setTicket,
                "vmID",
                "password",
                "ttl",
                "existingConnAction",
                "params");
        verb(
                verbs,
                "VM.getExternalData",
                Profile.V4_40,
                HostVerbs::externalData,
                "vmID",
                "kind",
                "lastHash",
                "forceUpdate");
        return Map.copyOf(verbs);
    }

    private static void verb(
            Map<String, Verb> verbs,
            String name,
            Profile since,
            Action action,
            String... parameters) {
        verbs.put(name, new Verb(since, List.of(parameters), action));
    }

    private JsonBody locked(Function<FakeHost, JsonBody> read) {
        synchronized (host) {
            return read.apply(host);
        }
    }

    private JsonBody withVm(String vmId, Function<Domain, JsonBody> use) {
        synchronized (host) {
            return use.apply(known(vmId));
        }
    }

    /** The caller holds the host's monitor. */
    private Domain known(String vmId) {
        Domain domain = host.domain(vmId.toLowerCase(Locale.ROOT));
        if (domain == null) {
            throw VerbError.noSuchVm(vmId);
        }
        return domain;
    }

    private JsonBody allVmStats() {
        Domain[] domains;
        synchronized (host) {
            domains = host.domains();
        }
        JsonOut out = new JsonOut(domains.length * 4096).array();
        for (int from = 0; from < domains.length; from += SLICE) {
            int to = Math.min(domains.length, from + SLICE);
            synchronized (host) {
                HostMoment moment = host.moment(); // no older than what the slice tells
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

    private JsonBody vmStats(Arguments arguments) {
        return withVm(
                arguments.text("vmID"),
                domain -> {
                    JsonOut out = new JsonOut(4096).array();
                    VmReport.poll(out, domain, host.moment());
                    return out.endArray().body();
                });
    }

    private JsonBody vmInfo(Arguments arguments) {
        return withVm(
                arguments.text("vmID"),
                domain -> {
                    JsonOut out = new JsonOut(256);
                    shortStatus(out, domain, host.moment());
                    return out.body();
                });
    }

    private JsonBody vmList(Arguments arguments) {
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

    private JsonBody vmFullList(Arguments arguments) {
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

    private JsonBody dumpXmls(Arguments arguments) {
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

    private JsonBody spmOnly() {
        if (!host.isSpm()) {
            throw new VerbError(654, "Not SPM: ()");
        }
        return JsonBody.of("{}");
    }

    private JsonBody spmStatus(Arguments arguments) {
        String _ = arguments.text("storagepoolID");
        return new JsonOut(128)
                .object()
                .name("spmId")
                .number(host.isSpm() ? 1 : -1)
                .name("spmStatus")
                .text(host.isSpm() ? "SPM" : "Free")
                .name("spmLver")
                .number(host.isSpm() ? 12 : -1)
                .endObject()
                .body();
    }

    private JsonBody momParameters(Arguments arguments) {
        if (!arguments.required("key_value_store").isObject()) {
            throw new VerbError(54, "Failed to update MOM policy");
        }
        return JsonBody.TRUE;
    }

    private JsonBody repoStats(Arguments arguments) {
        List<String> domains = HostReport.STORAGE_DOMAINS;
        if (arguments.optional("domains") != null) {
            List<String> asked = arguments.texts("domains");
            domains = asked.isEmpty() ? domains : domains.stream().filter(asked::contains).toList();
        }
        return HostReport.storageRepoStats(host.moment(), domains);
    }

    /** The data only where it is not the caller's already; no VM here has variables to save. */
    private JsonBody externalData(Arguments arguments) {
        String kind = arguments.text("kind");
        boolean told = arguments.optional("lastHash") != null;
        String lastHash = told ? arguments.text("lastHash") : "";
        return withVm(
                arguments.text("vmID"),
                domain -> {
                    Machine machine = domain.machine;
                    boolean tpm = kind.equals("tpm") && machine.hasTpm();
                    String hash = tpm ? machine.tpmHash() : "0".repeat(64);
                    JsonOut out = new JsonOut(256).object().name("hash").text(hash);
                    if (tpm && !hash.equals(lastHash)) {
                        out.name("_X_data").text(machine.tpmData());
                    }
                    return out.endObject().body();
                });
    }

    // ---- verbs that change something

    private JsonBody create(Arguments arguments) {
        JsonNode params = arguments.required("vmParams");
        JsonNode xml = params.get("xml");
        if (xml == null || !xml.isString()) {
            throw VerbError.internal("'xml'");
        }
        DomainDefinition definition;
        try {
            definition = DomainDefinition.parse(xml.asString());
        } catch (IllegalArgumentException e) {
            throw new VerbError(9, "Error creating the requested VM: " + e.getMessage());
        }
        boolean restored = isThere(params, "memoryDumpVolume") || isThere(params, "hiberVolHandle");
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
                    return world.createFromXml(
                            host,
                            definition,
                            new Launch(failure, restored, paused, definition.endsOnReboot()));
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
                    .text(xml.asString())
                    .endObject()
                    .body();
        }
    }

    private static boolean isThere(JsonNode params, String member) {
        JsonNode value = params.get(member);
        return value != null
                && !value.isNull()
                && !(value.isString() && value.asString().isEmpty());
    }

    /** A VM that the host knows already is refused as such, however full the host is. */
    private void requireRoom(DomainDefinition definition) {
        synchronized (host) {
            if (host.domain(definition.id().toString()) == null
                    && !host.hasRoomFor(definition.memoryMib() + HostReport.GUEST_OVERHEAD_MIB)) {
                throw new VerbError(14, "Not enough memory");
            }
        }
    }

    /** The password is heard and forgotten. */
    private JsonBody setTicket(Arguments arguments) {
        String _ = arguments.text("password");
        JsonNode _ = arguments.required("ttl");
        String action = arguments.text("existingConnAction");
        change(
                arguments,
                (life, domain) -> {
                    boolean connected = !domain.clientAddress.isEmpty();
                    if (domain.isDown()
                            || (connected && action.equals("fail"))
                            || !Set.of("keep", "disconnect", "fail").contains(action)) {
                        throw new VerbError(18, "Unexpected error setting SPICE ticket");
                    }
                    life.setTicket(domain, action.equals("disconnect"));
                });
        return JsonBody.TRUE;
    }

    /** Another host's power, as its fence agent would switch it. */
    private JsonBody fenceNode(Arguments arguments) {
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

    private JsonBody destroy(Arguments arguments) {
        long attempts = arguments.number("gracefulAttempts", 1);
        if (attempts < 0) {
            throw VerbError.internal("gracefulAttempts must not be negative");
        }
        change(arguments, (life, domain) -> life.destroy(domain));
        return JsonBody.TRUE;
    }

    private JsonBody shutdown(Arguments arguments) {
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
                        throw new VerbError(6, "Virtual machine is down");
                    }
                    life.shutDownByAdmin(
                            domain, delay, domain.machine.obeys, reboot, force ? patience : null);
                });
        return JsonBody.TRUE;
    }

    private JsonBody reset(Arguments arguments) {
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

    private JsonBody pause(Arguments arguments) {
        change(arguments, (life, domain) -> life.pause(domain, PauseCause.USER));
        return JsonBody.of("{\"vmList\": {}}");
    }

    private JsonBody resume(Arguments arguments) {
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

    private JsonBody hibernate(Arguments arguments) {
        String _ = arguments.text("hibernationVolHandle");
        change(arguments, (life, domain) -> life.hibernate(domain));
        return JsonBody.TRUE;
    }

    private JsonBody migrate(Arguments arguments) {
        JsonNode params = arguments.required("params");
        JsonNode dst = params.get("dst");
        if (dst == null) {
            throw VerbError.internal("'dst'");
        }
        FakeHost target = world.hostByAddress(dst.asString());
        if (target == null) {
            throw new VerbError(10, "Fatal error during migration: no host " + dst.asString());
        }
        long outgoing = limit(params, "outgoingLimit");
        long incoming = limit(params, "incomingLimit");
        change(
                arguments,
                (life, domain) -> {
                    if (domain.isDown()) {
                        throw new VerbError(6, "Virtual machine is down");
                    }
                    if (domain.migration != null) {
                        throw new VerbError(51, "Migration in progress");
                    }
                    if (domain.phase != Phase.RUNNING && domain.phase != Phase.PAUSED) {
                        throw new VerbError(12, "Fatal error during migration");
                    }
                    if (target == host) {
                        throw new VerbError(12, "Fatal error during migration: it is here");
                    }
                    boolean room;
                    synchronized (target) {
                        if (target.condition() != FakeHost.Condition.UP) {
                            throw new VerbError(
                                    10, "Fatal error during migration: no connection to the peer");
                        }
                        if (target.domain(domain.machine.idText) != null) {
                            throw new VerbError(
                                    12, "Fatal error during migration: the peer knows the VM");
                        }
                        room =
                                target.hasRoomFor(
                                        domain.machine.memoryMib + HostReport.GUEST_OVERHEAD_MIB);
                    }
                    if (Lifecycle.migrating(host, true) >= outgoing
                            || Lifecycle.migrating(target, false) >= incoming) {
                        throw new VerbError(82, "Migration limit exceeded");
                    }
                    life.migrate(
                            domain,
                            target,
                            room
                                    ? MigrationOrder.to(target.name.value())
                                    : new MigrationOrder(
                                            target.name.value(),
                                            MigrationOrder.Outcome.FAILURE,
                                            null));
                });
        return JsonBody.TRUE;
    }

    private static long limit(JsonNode params, String name) {
        JsonNode limit = params.get(name);
        long most = limit == null ? 0 : limit.asLong(0);
        return most <= 0 ? Long.MAX_VALUE : most;
    }

    private JsonBody migrateCancel(Arguments arguments) {
        change(
                arguments,
                (life, domain) -> {
                    if (domain.migration == null || domain.migration.source != domain) {
                        throw new VerbError(81, "Migration not in progress");
                    }
                    if (domain.migration.isPostCopy()) {
                        throw new VerbError(47, "Failed to cancel migration");
                    }
                    life.cancelMigration(domain);
                });
        return JsonBody.TRUE;
    }

    private JsonBody migrationStatus(Arguments arguments) {
        return withVm(
                arguments.text("vmID"),
                domain -> {
                    Migration migration = domain.migration;
                    boolean leaving = migration != null && migration.source == domain;
                    boolean left = domain.exit == Exit.MIGRATED;
                    if (!leaving && !left) {
                        throw new VerbError(81, "Migration not in progress");
                    }
                    JsonOut out =
                            new JsonOut(160)
                                    .object()
                                    .name("status")
                                    .object()
                                    .name("code")
                                    .number(0)
                                    .name("message")
                                    .text(left ? "Migration done" : "Migration in progress")
                                    .endObject()
                                    .name("progress")
                                    .number(
                                            migration == null
                                                    ? 100
                                                    : migration.progress(host.moment().now()));
                    if (migration != null && migration.hasArrived()) {
                        out.name("downtime").number(migration.downtimeMillis);
                    }
                    return out.endObject().body();
                });
    }

    @FunctionalInterface
    private interface Change {
        void apply(Lifecycle life, Domain domain);
    }

    private void change(Arguments arguments, Change change) {
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
                case EXISTS -> new VerbError(4, "Virtual machine already exists");
                case UNKNOWN, CONFLICT ->
                        new VerbError(16, "Unexpected exception: " + e.getMessage());
            };
        }
    }

    /** Names of the verbs, for the documentation of the control port. */
    static List<String> names() {
        return new ArrayList<>(VERBS.keySet()).stream().sorted().toList();
    }
}
