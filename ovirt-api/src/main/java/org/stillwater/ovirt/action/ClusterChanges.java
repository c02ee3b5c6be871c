package org.stillwater.ovirt.action;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Role;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.HostRequirements;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.definition.CompatibilityVersion;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.cluster.Saving;
import org.stillwater.ovirt.resource.OvirtApi;

/** Clusters, added, changed and removed: {@code /clusters}. */
final class ClusterChanges {

    /** The elements of a cluster. */
    static final BodyRules RULES =
            BodyRules.of("cluster", "cluster", "edit Cluster")
                    .kept(
                            List.of(
                                    "name",
                                    "description",
                                    "version/major",
                                    "version/minor",
                                    "cpu/architecture",
                                    "cpu/type",
                                    "error_handling/on_error",
                                    "fencing_policy/enabled",
                                    "fencing_policy/skip_if_connectivity_broken/enabled",
                                    "fencing_policy/skip_if_connectivity_broken/threshold",
                                    "fencing_policy/skip_if_sd_active/enabled",
                                    "fips_mode"))
                    .reference("data_center", "the data center of the cluster")
                    .list("required_rng_sources/rng_source", "sources that hosts must have")
                    .unsupported(
                            "comment", "the engine keeps one text on a cluster, its description")
                    .fixed("ballooning_enabled", "true", "each VM has this property")
                    .fixed(
                            "bios_type",
                            List.of("q35_sea_bios", "cluster_default"),
                            "each VM has this property; its default is Q35 with SeaBIOS")
                    .fixed(
                            "memory_policy/over_commit/percent",
                            "100",
                            "hosts promise the memory that they have")
                    .fixed(
                            "memory_policy/transparent_hugepages/enabled",
                            "true",
                            "hosts decide about huge pages")
                    .fixed("migration/auto_converge", "inherit", "settings decide how VMs migrate")
                    .fixed("migration/compressed", "inherit", "settings decide how VMs migrate")
                    .fixed("migration/encrypted", "inherit", "settings decide how VMs migrate")
                    .fixed(
                            "migration/bandwidth/assignment_method",
                            "auto",
                            "settings decide how VMs migrate")
                    .unsupported(
                            List.of(
                                    "migration/bandwidth/custom_value",
                                    "migration/policy",
                                    "migration/custom_parallel_migrations",
                                    "migration/parallel_migrations_policy"),
                            "settings decide how VMs migrate")
                    .fixed(
                            "fencing_policy/skip_if_gluster_bricks_up",
                            "false",
                            "the engine does not manage Gluster")
                    .fixed(
                            "fencing_policy/skip_if_gluster_quorum_not_met",
                            "false",
                            "the engine does not manage Gluster")
                    .fixed("gluster_service", "false", "the engine does not manage Gluster")
                    .unsupported("gluster_tuned_profile", "the engine does not manage Gluster")
                    .fixed("ha_reservation", "false", "the engine reserves no capacity")
                    .fixed("threads_as_cores", "false", "a thread is not counted as a core")
                    .fixed("trusted_service", "false", "the engine has no attestation")
                    .fixed("tunnel_migration", "false", "hosts migrate directly")
                    .fixed("virt_service", "true", "every cluster runs VMs")
                    .fixed("switch_type", "legacy", "hosts use their own bridges")
                    .fixed("vnc_encryption", "false", "hosts decide about encryption of VNC")
                    .fixed("optional_reason", "false", "reasons are not asked for")
                    .fixed("maintenance_reason_required", "false", "reasons are optional")
                    .fixed("ksm/enabled", "false", "hosts decide about KSM")
                    .fixed("ksm/merge_across_nodes", "true", "hosts decide about KSM")
                    .fixed("firewall_type", "firewalld", "the engine does not set up hosts")
                    .unsupported(
                            List.of(
                                    "log_max_memory_used_threshold",
                                    "log_max_memory_used_threshold_type"),
                            "it is set with PUT /api/v1/clusters/{id}")
                    .fixed(
                            "scheduling_policy/id",
                            OvirtApi.SCHEDULING_POLICY,
                            "the engine has one scheduling policy")
                    .unsupported(
                            "custom_scheduling_policy_properties",
                            "the engine has one scheduling policy")
                    .unsupported("serial_number", "the guest sees the serial number of its host")
                    .unsupported("display", "the engine names no proxy of SPICE")
                    .unsupported(
                            "management_network",
                            "the network that hosts are reached by is that of their address")
                    .unsupported(
                            "external_network_providers", "the engine has no external providers")
                    .fixed("mac_pool/id", OvirtApi.MAC_POOL, "there is one pool of MAC addresses")
                    .fixed("mac_pool/name", "default", "there is one pool of MAC addresses")
                    .fixed(
                            "scheduling_policy/name",
                            "stillwater",
                            "the engine has one scheduling policy")
                    .ignored("id", "the path names it")
                    .ignored(
                            List.of(
                                    "version/build",
                                    "version/full_version",
                                    "version/revision",
                                    "supported_versions",
                                    "upgrade_correlation_id",
                                    "upgrade_in_progress",
                                    "upgrade_percent_complete"),
                            "only read")
                    .ignored(
                            List.of(
                                    "affinity_groups",
                                    "cpu_profiles",
                                    "enabled_features",
                                    "gluster_hooks",
                                    "gluster_volumes",
                                    "networks",
                                    "permissions"),
                            "it has its own collection; oVirt ignores it here too")
                    .unsupported(
                            List.of(
                                    "cpu/cores",
                                    "cpu/cpu_tune",
                                    "cpu/level",
                                    "cpu/mode",
                                    "cpu/name",
                                    "cpu/speed",
                                    "cpu/topology"),
                            "a cluster has a type and an architecture of processors")
                    .unsupported(
                            List.of(
                                    "memory_policy/ballooning",
                                    "memory_policy/guaranteed",
                                    "memory_policy/max"),
                            "each VM has this property")
                    .ignored(
                            "network_filters",
                            "it has its own collection; oVirt ignores it here too")
                    .ignored(
                            List.of("version/id", "version/name"),
                            "major and minor are the version")
                    .table();

    private static final String ADD = "add Cluster";
    private static final String EDIT = "edit Cluster";
    private static final int MOST_PERCENT = 100;

    /** oVirt's default. */
    private static final int USUAL_PERCENT = 50;

    // Shown for a cluster that demands none; clients send it back.
    private static final CompatibilityVersion TOLD_VERSION = new CompatibilityVersion(4, 7);
    private static final CpuArchitecture TOLD_ARCHITECTURE = CpuArchitecture.X86_64;
    private static final Set<String> TOLD_SOURCES = Set.of("urandom");

    private final Access access;
    private final Consumer<ClusterId> gone;

    /** Changes of clusters; {@code gone} receives each removed one. */
    ClusterChanges(Access access, Consumer<ClusterId> gone) {
        this.access = access;
        this.gone = gone;
    }

    Outcome add(Change change) {
        Body body = RULES.read(change.body(), ADD);
        if (!change.caller().has(Role.ADMINISTRATOR)) {
            throw Refused.forbidden();
        }
        if (body.text("name") == null) {
            throw Refused.incomplete("Cluster [name] is required for add.");
        }
        DataCentreId dataCentre = dataCentre(body);
        if (dataCentre == null) {
            throw Refused.incomplete("Cluster [dataCenter.name|id] is required for add.");
        }
        Cluster usual = Cluster.DEFAULT;
        Cluster cluster =
                defined(
                        body,
                        new Cluster(
                                new ClusterId(UUID.randomUUID()),
                                dataCentre,
                                "new",
                                "",
                                HostRequirements.NONE,
                                usual.migrateOnError(),
                                usual.fencing(),
                                usual.memory()),
                        dataCentre,
                        ADD);
        try {
            return saved(access.administration().addCluster(cluster), cluster, 201, ADD);
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        }
    }

    Outcome update(Change change) {
        Cluster present = known(change);
        Body body = RULES.read(change, EDIT);
        DataCentreId dataCentre = dataCentre(body);
        Cluster cluster =
                defined(
                        body,
                        present,
                        dataCentre == null ? present.dataCentre() : dataCentre,
                        EDIT);
        try {
            return saved(access.administration().updateCluster(cluster), cluster, 200, EDIT);
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        }
    }

    Outcome remove(Change change) {
        ClusterId cluster = known(change).id();
        String refusal;
        try {
            refusal = access.administration().removeCluster(cluster);
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        } catch (IllegalArgumentException _) {
            throw Refused.notFound("Cluster", cluster.toString()); // it was removed meanwhile
        }
        if (refusal != null) {
            throw Refused.conflict("Cannot remove Cluster: " + Operations.sentence(refusal));
        }
        gone.accept(cluster);
        return Operations.removed(change, null);
    }

    private static Outcome saved(Saving saving, Cluster cluster, int status, String verb) {
        return switch (saving) {
            case SAVED -> Outcome.showing(status, "clusters/" + cluster.id());
            case NAME_TAKEN ->
                    throw Refused.conflict(
                            "Cannot %s. The Cluster name is already in use, please choose a unique name and try again."
                                    .formatted(verb));
            case UNKNOWN -> throw Refused.notFound("Cluster", cluster.id().toString());
            case TOO_MANY ->
                    throw Refused.conflict(
                            "Cannot %s: there are as many clusters as stillwater.clusters.most allows."
                                    .formatted(verb));
        };
    }

    private Cluster known(Change change) {
        String id = change.at(1);
        UUID uuid = Access.uuid(id);
        Cluster cluster = uuid == null ? null : access.fleet().cluster(new ClusterId(uuid));
        if (cluster == null || !change.caller().has(Role.READER, cluster.id())) {
            throw Refused.notFound("Cluster", id);
        }
        if (!change.caller().has(Role.ADMINISTRATOR, cluster.id())) {
            throw Refused.forbidden();
        }
        return cluster;
    }

    private @Nullable DataCentreId dataCentre(Body body) {
        String id = body.text("data_center", "id");
        String name = body.text("data_center", "name");
        if (id == null && name == null) {
            return null;
        }
        return access.fleet().clusters().dataCentres().stream()
                .filter(each ->
                        id == null
                                ? each.name().equals(name)
                                : each.id().toString().equalsIgnoreCase(id))
                .findFirst()
                .orElseThrow(() -> Refused.notFound("DataCenter", id == null ? name + "" : id))
                .id();
    }

    /** A cluster as a body has it, applied to the present one. */
    static Cluster defined(Body body, Cluster before, DataCentreId dataCentre, String verb) {
        String name = body.name("a cluster", before.name());
        String description = body.raw("description");
        try {
            return new Cluster(
                    before.id(),
                    dataCentre,
                    name == null ? before.name() : name,
                    description == null ? before.description() : description,
                    requirements(body, before.requirements(), verb),
                    migration(body.text("error_handling", "on_error"), before.migrateOnError()),
                    fencing(body, before.fencing()),
                    before.memory());
        } catch (IllegalArgumentException e) {
            throw Refused.conflict(
                    "Cannot %s: %s".formatted(verb, Operations.sentence(e.getMessage() + "")));
        }
    }

    private static HostRequirements requirements(Body body, HostRequirements before, String verb) {
        String type = body.text("cpu", "type");
        String present = before.cpuType() == null ? null : before.cpuType().name();
        if (type != null && !type.equals(present)) {
            throw Refused.notKept(
                    "Cannot %s: cluster/cpu/type is %s; the engine describes a processor by its flags, which PUT /api/v1/clusters/{id} takes."
                            .formatted(verb, present == null ? "not set" : present));
        }
        CompatibilityVersion version = version(body, before.version());
        CpuArchitecture architecture =
                architecture(body.text("cpu", "architecture"), before.architecture());
        boolean edited = verb.equals(EDIT);
        return new HostRequirements(
                edited && before.version() == null && TOLD_VERSION.equals(version) ? null : version,
                before.cpuType(),
                edited && before.architecture() == null && architecture == TOLD_ARCHITECTURE
                        ? null
                        : architecture,
                before.machineTypes(),
                before.emulatedMachine(),
                sources(body, before.rngSources(), edited),
                before.features(),
                fips(body.text("fips_mode"), before.fips()),
                before.uniformSystem(),
                before.hostedEngine(),
                before.networks());
    }

    private static Set<String> sources(Body body, Set<String> before, boolean edited) {
        if (!body.has("required_rng_sources")) {
            return before;
        }
        Set<String> sources = new HashSet<>(body.texts("required_rng_sources", "rng_source"));
        sources.removeIf(String::isEmpty);
        return edited && before.isEmpty() && sources.equals(TOLD_SOURCES) ? before : sources;
    }

    private static @Nullable CompatibilityVersion version(
            Body body, @Nullable CompatibilityVersion before) {
        Long major = body.number("version", "major");
        Long minor = body.number("version", "minor");
        if (major == null || minor == null) {
            return before;
        }
        return new CompatibilityVersion(
                Math.toIntExact(Math.clamp(major, -1L, 1L << 20)),
                Math.toIntExact(Math.clamp(minor, -1L, 1L << 20)));
    }

    private static @Nullable CpuArchitecture architecture(
            @Nullable String name, @Nullable CpuArchitecture before) {
        if (name == null) {
            return before;
        }
        if (name.equals("undefined")) {
            return null;
        }
        for (CpuArchitecture each : CpuArchitecture.values()) {
            if (each.name().equalsIgnoreCase(name)) {
                return each;
            }
        }
        throw Refused.invalid(
                "cpu/architecture is x86_64 or another one that hosts have, not "
                        + Refused.shortened(name));
    }

    private static @Nullable Boolean fips(@Nullable String mode, @Nullable Boolean before) {
        return switch (mode) {
            case null -> before;
            case "undefined" -> null;
            case "enabled" -> Boolean.TRUE;
            case "disabled" -> Boolean.FALSE;
            default ->
                    throw Refused.invalid(
                            "fips_mode is undefined, enabled or disabled, not "
                                    + Refused.shortened(mode));
        };
    }

    private static MigrateOnError migration(@Nullable String name, MigrateOnError before) {
        return switch (name) {
            case null -> before;
            case "do_not_migrate" -> MigrateOnError.NONE;
            case "migrate" -> MigrateOnError.ALL;
            case "migrate_highly_available" -> MigrateOnError.HIGHLY_AVAILABLE;
            default ->
                    throw Refused.invalid(
                            "error_handling/on_error is migrate, migrate_highly_available or"
                                    + " do_not_migrate, not "
                                    + Refused.shortened(name));
        };
    }

    private static FencingPolicy fencing(Body body, FencingPolicy before) {
        Boolean enabled = body.flag("fencing_policy", "enabled");
        Boolean leased = body.flag("fencing_policy", "skip_if_sd_active", "enabled");
        Boolean skipped = body.flag("fencing_policy", "skip_if_connectivity_broken", "enabled");
        Long threshold = body.number("fencing_policy", "skip_if_connectivity_broken", "threshold");
        Integer percent = before.mostSilentPercent();
        boolean skips = skipped == null ? percent != null : skipped;
        if (threshold != null && (threshold < 1 || threshold > MOST_PERCENT)) {
            throw Refused.invalid(
                    "fencing_policy/skip_if_connectivity_broken/threshold is 1 to 100, not "
                            + threshold);
        }
        if (threshold != null && !skips && threshold != USUAL_PERCENT) {
            throw Refused.notKept(
                    "Cannot keep the threshold of fencing_policy/skip_if_connectivity_broken while"
                            + " that is not enabled.");
        }
        Integer most =
                !skips
                        ? null
                        : threshold != null
                                ? (Integer) threshold.intValue()
                                : percent == null ? (Integer) USUAL_PERCENT : percent;
        return new FencingPolicy(
                enabled == null ? before.enabled() : enabled,
                most,
                leased == null ? before.leaseRespected() : leased);
    }
}
