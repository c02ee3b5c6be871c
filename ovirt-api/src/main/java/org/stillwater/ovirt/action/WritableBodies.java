package org.stillwater.ovirt.action;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Every body that the API accepts, each with the table of its elements. Other bodies are refused.
 */
public final class WritableBodies {

    private static final String READ_ONLY = "read-only";
    private static final String NO_BACKUPS = "there are no backups that it could interrupt";
    private static final String FIRST_START =
            "the engine does not configure a guest at its first start";
    private static final String OWN_VMS = "VMs of a pool are changed one by one";

    /** Bodies of POST and PUT of a VM. */
    static final BodyRules VM = WritableVm.TABLE;

    /** Bodies of POST and PUT of a pool. */
    static final BodyRules POOL = pool();

    /** Bodies of POST of an event. */
    static final BodyRules EVENT = event();

    private static final Map<String, BodyRules> ACTIONS = actions();

    private WritableBodies() {}

    /** All tables, in the order of the reference page. */
    public static List<BodyRules> all() {
        List<BodyRules> all =
                new ArrayList<>(
                        List.of(
                                VM,
                                NicChanges.RULES,
                                DiskAttachmentChanges.RULES,
                                CdromChanges.RULES,
                                WatchdogChanges.RULES,
                                ConsoleChanges.RULES,
                                POOL,
                                HostChanges.RULES,
                                FenceAgentChanges.RULES,
                                ClusterChanges.RULES,
                                AffinityChanges.RULES,
                                AffinityChanges.MEMBER,
                                TagChanges.RULES,
                                EVENT));
        all.addAll(ACTIONS.values());
        return List.copyOf(all);
    }

    /**
     * The parameters of an action.
     *
     * @param collection path of the collection that has the entity, for example {@code vms}
     * @return null if there is no such action
     */
    static @Nullable BodyRules action(String collection, String action) {
        return ACTIONS.get(collection + '/' + action);
    }

    private static BodyRules pool() {
        return BodyRules.of("VM pool", "vm_pool", "edit VM-Pool")
                .kept("name", "`name`")
                .kept("description", "`description`")
                .kept("size", "`size`")
                .kept("prestarted_vms", "`prestarted`")
                .kept("max_user_vms", "`mostPerUser`")
                .kept("stateful", "`stateful`")
                .reference("cluster", "`cluster`, which cannot be changed")
                .reference("template", "`template`")
                .unsupported("comment", "a pool has a description only")
                .fixed("type", "automatic", "users get their VMs without an administrator")
                .fixed("auto_storage_select", "false", "the engine does not manage storage")
                .fixed(
                        "use_latest_template_version",
                        "false",
                        "VMs of a pool have their definition")
                .fixed("soundcard_enabled", "false", "VMs have no sound card")
                .unsupported(
                        List.of(
                                "display",
                                "rng_device",
                                "tpm_enabled",
                                "vm",
                                "virtio_scsi_multi_queues",
                                "virtio_scsi_multi_queues_enabled"),
                        OWN_VMS)
                .unsupported("instance_type", "the engine makes no VM from an instance type")
                .unsupported("permissions", "roles are granted with the native API")
                .ignored("id", "the path names the pool, and the engine gives a new one its id")
                .table();
    }

    private static BodyRules event() {
        BodyRules.Builder event =
                BodyRules.of("event", "event", "add Event")
                        .kept("description", "the message")
                        .kept("severity", "the severity")
                        .kept("origin", "the program that adds it")
                        .kept("custom_id", "the number that the program gives it")
                        .kept("custom_data", "details")
                        .kept("correlation_id", "the requests that it belongs to");
        for (String each :
                List.of(
                        "vm",
                        "host",
                        "cluster",
                        "data_center",
                        "storage_domain",
                        "template",
                        "user")) {
            event.kept(each + "/id", "the subject of the event")
                    .unsupported(each, "name the entity by its id");
        }
        return event.fixed("flood_rate", "0", "every event is added")
                .fixed("log_on_host", "false", "hosts do not log events of other programs")
                .unsupported("name", "an event has a description only")
                .unsupported("comment", "an event has a description only")
                .ignored(List.of("id", "code", "index", "time"), READ_ONLY)
                .table();
    }

    private static BodyRules.Builder parameters(String subject, String verb) {
        return BodyRules.of(subject, "action", verb)
                .kept("async", "whether the answer comes before the end");
    }

    private static Map<String, BodyRules> actions() {
        Map<String, BodyRules> all = new LinkedHashMap<>();
        vmActions(all);
        deviceActions(all);
        consoleActions(all);
        hostActions(all);
        all.put(
                "vmpools/allocatevm",
                parameters("allocatevm of a VM pool", "allocate VM from VM-Pool").table());
        all.put("jobs/clear", parameters("clear of a job", "clear Job").table());
        all.put(
                "jobs/end",
                parameters("end of a job", "end Job")
                        .fixed("force", "false", "an operation ends as far as it can be taken back")
                        .fixed("succeeded", "false", "the operation is taken back")
                        .table());
        all.put("events/undelete", parameters("undelete of events", "undelete").table());
        return all;
    }

    private static void vmActions(Map<String, BodyRules> all) {
        all.put(
                "vms/start",
                parameters("start of a VM", "run VM")
                        .kept("pause", "whether the VM is paused when it has started")
                        .entity("vm", "the elements that differ for one run")
                        .fixed("volatile", "false", "a reboot of the guest does not end a run")
                        .fixed("use_cloud_init", "false", FIRST_START)
                        .fixed("use_sysprep", "false", FIRST_START)
                        .fixed("use_ignition", "false", FIRST_START)
                        .fixed("use_initialization", "false", FIRST_START)
                        .unsupported("authorized_key", FIRST_START)
                        .ignored("filter", "the answer has no elements to filter")
                        .table());
        all.put(
                "vms/stop",
                parameters("stop of a VM", "stop VM")
                        .kept("reason", "why, for the audit log")
                        .ignored("force", NO_BACKUPS)
                        .table());
        all.put(
                "vms/shutdown",
                parameters("shutdown of a VM", "shut down VM")
                        .kept("reason", "why, for the audit log")
                        .kept("grace_period/expiry", "how long to wait before, in ms")
                        .ignored("force", NO_BACKUPS)
                        .table());
        all.put("vms/suspend", parameters("suspend of a VM", "suspend VM").table());
        all.put(
                "vms/reboot",
                parameters("reboot of a VM", "reboot VM")
                        .kept("force", "whether the guest is reset instead of asked")
                        .table());
        all.put("vms/reset", parameters("reset of a VM", "reset VM").table());
        all.put(
                "vms/migrate",
                parameters("migrate of a VM", "migrate VM")
                        .reference("host", "where to; else the engine chooses")
                        .reference("cluster", "the cluster of the VM; another one is refused")
                        .ignored("force", "every VM is migratable")
                        .fixed(
                                "migrate_vms_in_affinity_closure",
                                "false",
                                "VMs are migrated one by one")
                        .table());
        all.put(
                "vms/cancelmigration",
                parameters("cancelmigration of a VM", "cancel the migration of VM").table());
        all.put("vms/detach", parameters("detach of a VM", "detach VM from pool").table());
        all.put("vms/ticket", ticket("ticket of a VM"));
    }

    private static void deviceActions(Map<String, BodyRules> all) {
        for (String action : List.of("activate", "deactivate")) {
            all.put(
                    "nics/" + action,
                    waited(action + " of a network interface", action + " Interface"));
            all.put(
                    "diskattachments/" + action,
                    waited(action + " of a disk attachment", action + " Virtual Disk"));
        }
    }

    /** Parameters of an action that is answered at its end. */
    private static BodyRules waited(String subject, String verb) {
        return BodyRules.of(subject, "action", verb)
                .ignored("async", "the answer comes when it is done")
                .table();
    }

    private static void consoleActions(Map<String, BodyRules> all) {
        all.put("graphicsconsoles/ticket", ticket("ticket of a graphics console"));
        all.put(
                "graphicsconsoles/proxyticket",
                waited("proxyticket of a graphics console", "make a proxy ticket"));
        all.put(
                "graphicsconsoles/remoteviewerconnectionfile",
                parameters(
                                "remoteviewerconnectionfile of a graphics console",
                                "make the file of a console")
                        .table());
    }

    private static BodyRules ticket(String subject) {
        return parameters(subject, "set a ticket of VM")
                .kept("ticket/value", "the password; else the engine makes one")
                .kept("ticket/expiry", "seconds that it is valid")
                .table();
    }

    private static void hostActions(Map<String, BodyRules> all) {
        all.put("hosts/activate", parameters("activate of a host", "activate Host").table());
        all.put(
                "hosts/deactivate",
                parameters("deactivate of a host", "switch Host to maintenance mode")
                        .kept("reason", "why, for the audit log")
                        .fixed("stop_gluster_service", "false", "the engine manages no Gluster")
                        .table());
        all.put(
                "hosts/fence",
                parameters("fence of a host", "fence Host")
                        .kept("fence_type", "`manual`, `restart`, `start` or `status`")
                        .fixed(
                                "maintenance_after_restart",
                                "false",
                                "put the host into maintenance before it is restarted; the engine"
                                        + " does not do so afterwards")
                        .table());
        all.put("hosts/refresh", parameters("refresh of a host", "refresh Host").table());
    }
}
