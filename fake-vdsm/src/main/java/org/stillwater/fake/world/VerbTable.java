package org.stillwater.fake.world;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.net.JsonBody;

/** The verbs that hosts know (§3.1), with their parameters in VDSM's order. */
final class VerbTable {

    private static final Map<String, Verb> VERBS = verbs();

    private VerbTable() {}

    /** One verb: its first release, its parameters, and its effect. */
    record Verb(Profile since, List<String> parameters, Action action) {}

    /** The effect of a verb. */
    @FunctionalInterface
    interface Action {
        JsonBody run(HostVerbs host, Arguments arguments);
    }

    /** The verb of a name; {@code null} if hosts of that release do not know it. */
    static @Nullable Verb find(String name, Profile profile) {
        Verb verb = VERBS.get(name);
        return verb == null || !profile.atLeast(verb.since) ? null : verb;
    }

    /** The names of all verbs, in their order. */
    static List<String> names() {
        return VERBS.keySet().stream().sorted().toList();
    }

    private static Map<String, Verb> verbs() {
        Map<String, Verb> verbs = new HashMap<>();
        hostVerbs(verbs);
        vmVerbs(verbs);
        departureVerbs(verbs);
        hotplugVerbs(verbs);
        storageVerbs(verbs);
        return Map.copyOf(verbs);
    }

    private static void hostVerbs(Map<String, Verb> verbs) {
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
    }

    private static void vmVerbs(Map<String, Verb> verbs) {
        Profile any = Profile.V4_20;
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
        verb(verbs, "VM.updateDevice", any, HostVerbs::updateDevice, "vmID", "params");
        verb(
                verbs,
                "VM.getExternalData",
                Profile.V4_40,
                HostVerbs::externalData,
                "vmID",
                "kind",
                "lastHash",
                "forceUpdate");
    }

    private static void departureVerbs(Map<String, Verb> verbs) {
        Profile any = Profile.V4_20;
        verb(
                verbs,
                "VM.hibernate",
                any,
                (h, a) -> h.departures().hibernate(a),
                "vmID",
                "hibernationVolHandle");
        verb(verbs, "VM.migrate", any, (h, a) -> h.departures().migrate(a), "vmID", "params");
        verb(verbs, "VM.migrateCancel", any, (h, a) -> h.departures().cancel(a), "vmID");
        verb(verbs, "VM.getMigrationStatus", any, (h, a) -> h.departures().status(a), "vmID");
    }

    private static void hotplugVerbs(Map<String, Verb> verbs) {
        Profile any = Profile.V4_20;
        verb(verbs, "VM.changeCD", any, (h, a) -> h.cds().change(a), "vmID", "driveSpec");
        verb(verbs, "VM.hotplugNic", any, (h, a) -> h.hotplug().plugNic(a), "vmID", "params");
        verb(verbs, "VM.hotunplugNic", any, (h, a) -> h.hotplug().unplugNic(a), "vmID", "params");
        verb(verbs, "VM.hotplugDisk", any, (h, a) -> h.hotplug().plugDisk(a), "vmID", "params");
        verb(verbs, "VM.hotunplugDisk", any, (h, a) -> h.hotplug().unplugDisk(a), "vmID", "params");
    }

    private static void storageVerbs(Map<String, Verb> verbs) {
        Profile any = Profile.V4_20;
        verb(verbs, "Host.getConnectedStoragePools", any, (h, _) -> h.connectedPools());
        verb(
                verbs,
                "StoragePool.getSpmStatus",
                any,
                (h, a) -> h.storage().spmStatus(a),
                "storagepoolID");
        verb(
                verbs,
                "Volume.create",
                any,
                (h, a) -> h.storage().createVolume(a),
                "volumeID",
                "storagepoolID",
                "storagedomainID",
                "imageID",
                "size",
                "volFormat",
                "preallocate",
                "diskType",
                "desc",
                "srcImgUUID",
                "srcVolUUID",
                "initialSize");
        verb(
                verbs,
                "Volume.delete",
                any,
                (h, a) -> h.storage().deleteVolume(a),
                "volumeID",
                "storagepoolID",
                "storagedomainID",
                "imageID",
                "postZero",
                "force",
                "discard");
        verb(
                verbs,
                "Image.delete",
                any,
                (h, a) -> h.storage().deleteImage(a),
                "imageID",
                "storagepoolID",
                "storagedomainID",
                "postZero",
                "force",
                "discard");
        verb(
                verbs,
                "Image.getVolumes",
                any,
                (h, a) -> h.storage().volumes(a),
                "imageID",
                "storagepoolID",
                "storagedomainID");
        verb(verbs, "Lease.create", any, (h, a) -> h.storage().createLease(a), "lease", "metadata");
        verb(verbs, "Lease.delete", any, (h, a) -> h.storage().deleteLease(a), "lease");
        verb(verbs, "Lease.info", any, (h, a) -> h.storage().leaseInfo(a), "lease");
        verb(verbs, "Task.getStatus", any, (h, a) -> h.storage().taskStatus(a), "taskID");
        verb(verbs, "Task.getInfo", any, (h, a) -> h.storage().taskInfo(a), "taskID");
        verb(verbs, "Task.clear", any, (h, a) -> h.storage().clearTask(a), "taskID");
        verb(verbs, "Task.stop", any, (h, a) -> h.storage().stopTask(a), "taskID");
        verb(verbs, "Task.revert", any, (h, a) -> h.storage().revertTask(a), "taskID");
        verb(verbs, "Host.getAllTasksStatuses", any, (h, _) -> h.storage().allTasksStatuses());
        verb(verbs, "Host.getAllTasksInfo", any, (h, _) -> h.storage().allTasksInfo());
    }

    private static void verb(
            Map<String, Verb> verbs,
            String name,
            Profile since,
            Action action,
            String... parameters) {
        verbs.put(name, new Verb(since, List.of(parameters), action));
    }
}
