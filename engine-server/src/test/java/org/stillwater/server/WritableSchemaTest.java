package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.ovirt.engine.sdk4.services.AffinityGroupService;
import org.ovirt.engine.sdk4.services.AffinityGroupVmService;
import org.ovirt.engine.sdk4.services.AssignedTagService;
import org.ovirt.engine.sdk4.services.ClusterService;
import org.ovirt.engine.sdk4.services.DiskAttachmentService;
import org.ovirt.engine.sdk4.services.EventService;
import org.ovirt.engine.sdk4.services.EventsService;
import org.ovirt.engine.sdk4.services.FenceAgentService;
import org.ovirt.engine.sdk4.services.HostService;
import org.ovirt.engine.sdk4.services.HostsService;
import org.ovirt.engine.sdk4.services.JobService;
import org.ovirt.engine.sdk4.services.TagService;
import org.ovirt.engine.sdk4.services.VmCdromService;
import org.ovirt.engine.sdk4.services.VmDiskService;
import org.ovirt.engine.sdk4.services.VmGraphicsConsoleService;
import org.ovirt.engine.sdk4.services.VmNicService;
import org.ovirt.engine.sdk4.services.VmNicsService;
import org.ovirt.engine.sdk4.services.VmPoolService;
import org.ovirt.engine.sdk4.services.VmService;
import org.ovirt.engine.sdk4.services.VmWatchdogService;
import org.ovirt.engine.sdk4.services.VmsService;
import org.ovirt.engine.sdk4.types.AffinityGroup;
import org.ovirt.engine.sdk4.types.Agent;
import org.ovirt.engine.sdk4.types.Cdrom;
import org.ovirt.engine.sdk4.types.Cluster;
import org.ovirt.engine.sdk4.types.DiskAttachment;
import org.ovirt.engine.sdk4.types.Event;
import org.ovirt.engine.sdk4.types.GraphicsConsole;
import org.ovirt.engine.sdk4.types.Host;
import org.ovirt.engine.sdk4.types.Identified;
import org.ovirt.engine.sdk4.types.Nic;
import org.ovirt.engine.sdk4.types.Tag;
import org.ovirt.engine.sdk4.types.Vm;
import org.ovirt.engine.sdk4.types.VmPool;
import org.ovirt.engine.sdk4.types.Watchdog;
import org.stillwater.ovirt.action.BodyRules;
import org.stillwater.ovirt.action.QueryRules;
import org.stillwater.ovirt.action.WritableBodies;

/**
 * The schema of the interface, as the SDK has it: each element that a client can write has a rule,
 * and each parameter of an action too.
 */
class WritableSchemaTest {

    private static final String PRESENT = "Present";

    /** Elements whose name does not follow from that of their method. */
    private static final Map<String, String> NAMES =
            Map.of(
                    "transparent_huge_pages", "transparent_hugepages",
                    "required_rng_source", "rng_source");

    static List<Arguments> types() {
        return List.of(
                Arguments.of("VM", "", Vm.class),
                Arguments.of("VM", "nics/nic/", Nic.class),
                Arguments.of("network interface of a VM", "", Nic.class),
                Arguments.of("disk attachment", "", DiskAttachment.class),
                Arguments.of("CD drive", "", Cdrom.class),
                Arguments.of("watchdog", "", Watchdog.class),
                Arguments.of("graphics console", "", GraphicsConsole.class),
                Arguments.of("VM pool", "", VmPool.class),
                Arguments.of("host", "", Host.class),
                Arguments.of("fence agent", "", Agent.class),
                Arguments.of("cluster", "", Cluster.class),
                Arguments.of("affinity group", "", AffinityGroup.class),
                Arguments.of("tag", "", Tag.class),
                Arguments.of("event", "", Event.class));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("types")
    void everyElementOfTheSchemaHasARule(String subject, String path, Class<?> type) {
        BodyRules table = table(subject);
        Set<String> missing = new TreeSet<>();
        walk(table, type, path, missing);
        assertThat(missing).as("elements without a rule").isEmpty();
    }

    private static BodyRules table(String subject) {
        return WritableBodies.all().stream()
                .filter(each -> each.subject().equals(subject))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no table of " + subject));
    }

    private static void walk(BodyRules table, Class<?> type, String path, Set<String> missing) {
        Set<String> names =
                Arrays.stream(type.getMethods()).map(Method::getName).collect(Collectors.toSet());
        for (Method method : type.getMethods()) {
            boolean member =
                    method.getParameterCount() == 0 && names.contains(method.getName() + PRESENT);
            String at = path + snake(method.getName());
            if (!member || method.getName().equals("href") || table.rule(at) != null) {
                continue;
            }
            if (List.class.isAssignableFrom(method.getReturnType())) {
                Class<?> item = item(method.getGenericReturnType());
                below(table, item, at + '/' + singular(snake(method.getName())), missing);
            } else {
                below(table, method.getReturnType(), at, missing);
            }
        }
    }

    /** Entities are referred to by identity or name; structures have elements of their own. */
    private static void below(BodyRules table, Class<?> type, String at, Set<String> missing) {
        if (table.rule(at) != null) {
            return;
        }
        boolean structure = type.isInterface() && type.getPackage() == Vm.class.getPackage();
        if (structure && Identified.class.isAssignableFrom(type)) {
            for (String name : List.of("id", "name")) {
                if (table.rule(at + '/' + name) == null) {
                    missing.add(at + '/' + name);
                }
            }
        } else if (structure) {
            walk(table, type, at + '/', missing);
        } else {
            missing.add(at);
        }
    }

    private static Class<?> item(Type list) {
        Type item = ((ParameterizedType) list).getActualTypeArguments()[0];
        return (Class<?>) item;
    }

    private static String snake(String name) {
        String snake =
                name.replace("_", "")
                        .replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                        .toLowerCase(Locale.ROOT);
        return NAMES.getOrDefault(snake, snake);
    }

    private static String singular(String plural) {
        if (plural.endsWith("ies")) {
            return plural.substring(0, plural.length() - 3) + 'y';
        }
        String singular = plural.endsWith("s") ? plural.substring(0, plural.length() - 1) : plural;
        return NAMES.getOrDefault(singular, singular);
    }

    static List<Arguments> actions() {
        return List.of(
                Arguments.of("start of a VM", VmService.StartRequest.class),
                Arguments.of("stop of a VM", VmService.StopRequest.class),
                Arguments.of("shutdown of a VM", VmService.ShutdownRequest.class),
                Arguments.of("suspend of a VM", VmService.SuspendRequest.class),
                Arguments.of("reboot of a VM", VmService.RebootRequest.class),
                Arguments.of("migrate of a VM", VmService.MigrateRequest.class),
                Arguments.of("cancelmigration of a VM", VmService.CancelMigrationRequest.class),
                Arguments.of("detach of a VM", VmService.DetachRequest.class),
                Arguments.of("ticket of a VM", VmService.TicketRequest.class),
                Arguments.of(
                        "proxyticket of a graphics console",
                        VmGraphicsConsoleService.ProxyTicketRequest.class),
                Arguments.of(
                        "remoteviewerconnectionfile of a graphics console",
                        VmGraphicsConsoleService.RemoteViewerConnectionFileRequest.class),
                Arguments.of(
                        "ticket of a graphics console",
                        VmGraphicsConsoleService.TicketRequest.class),
                Arguments.of("activate of a network interface", VmNicService.ActivateRequest.class),
                Arguments.of(
                        "deactivate of a network interface", VmNicService.DeactivateRequest.class),
                Arguments.of("activate of a disk attachment", VmDiskService.ActivateRequest.class),
                Arguments.of(
                        "deactivate of a disk attachment", VmDiskService.DeactivateRequest.class),
                Arguments.of("activate of a host", HostService.ActivateRequest.class),
                Arguments.of("deactivate of a host", HostService.DeactivateRequest.class),
                Arguments.of("fence of a host", HostService.FenceRequest.class),
                Arguments.of("refresh of a host", HostService.RefreshRequest.class),
                Arguments.of("allocatevm of a VM pool", VmPoolService.AllocateVmRequest.class),
                Arguments.of("clear of a job", JobService.ClearRequest.class),
                Arguments.of("end of a job", JobService.EndRequest.class),
                Arguments.of("undelete of events", EventsService.UndeleteRequest.class));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("actions")
    void everyParameterOfAnActionHasARule(String subject, Class<?> request) {
        BodyRules table = table(subject);
        Set<String> missing = new TreeSet<>();
        for (Method method : request.getDeclaredMethods()) {
            if (method.getParameterCount() == 1) {
                String name = snake(method.getName());
                Class<?> type = method.getParameterTypes()[0];
                boolean builder = type.getSimpleName().endsWith("Builder");
                if (!builder && table.rule(name) == null) {
                    below(table, type, name, missing);
                }
            }
        }
        assertThat(missing).as("parameters without a rule").isEmpty();
    }

    static List<Arguments> requests() {
        return List.of(
                Arguments.of("POST", "vms", VmsService.AddRequest.class),
                Arguments.of("PUT", "vms/{id}", VmService.UpdateRequest.class),
                Arguments.of("DELETE", "vms/{id}", VmService.RemoveRequest.class),
                Arguments.of("POST", "vms/{id}/nics", VmNicsService.AddRequest.class),
                Arguments.of("PUT", "vms/{id}/nics/{id}", VmNicService.UpdateRequest.class),
                Arguments.of("DELETE", "vms/{id}/nics/{id}", VmNicService.RemoveRequest.class),
                Arguments.of(
                        "DELETE",
                        "vms/{id}/diskattachments/{id}",
                        DiskAttachmentService.RemoveRequest.class),
                Arguments.of(
                        "PUT",
                        "vms/{id}/diskattachments/{id}",
                        DiskAttachmentService.UpdateRequest.class),
                Arguments.of("PUT", "vms/{id}/cdroms/{id}", VmCdromService.UpdateRequest.class),
                Arguments.of(
                        "PUT", "vms/{id}/watchdogs/{id}", VmWatchdogService.UpdateRequest.class),
                Arguments.of(
                        "DELETE", "vms/{id}/watchdogs/{id}", VmWatchdogService.RemoveRequest.class),
                Arguments.of(
                        "DELETE",
                        "vms/{id}/graphicsconsoles/{id}",
                        VmGraphicsConsoleService.RemoveRequest.class),
                Arguments.of("POST", "hosts", HostsService.AddRequest.class),
                Arguments.of("PUT", "hosts/{id}", HostService.UpdateRequest.class),
                Arguments.of("DELETE", "hosts/{id}", HostService.RemoveRequest.class),
                Arguments.of(
                        "PUT",
                        "hosts/{id}/fenceagents/{id}",
                        FenceAgentService.UpdateRequest.class),
                Arguments.of(
                        "DELETE",
                        "hosts/{id}/fenceagents/{id}",
                        FenceAgentService.RemoveRequest.class),
                Arguments.of("PUT", "clusters/{id}", ClusterService.UpdateRequest.class),
                Arguments.of("DELETE", "clusters/{id}", ClusterService.RemoveRequest.class),
                Arguments.of(
                        "PUT",
                        "clusters/{id}/affinitygroups/{id}",
                        AffinityGroupService.UpdateRequest.class),
                Arguments.of(
                        "DELETE",
                        "clusters/{id}/affinitygroups/{id}",
                        AffinityGroupService.RemoveRequest.class),
                Arguments.of(
                        "DELETE",
                        "clusters/{id}/affinitygroups/{id}/vms/{id}",
                        AffinityGroupVmService.RemoveRequest.class),
                Arguments.of("PUT", "tags/{id}", TagService.UpdateRequest.class),
                Arguments.of("DELETE", "tags/{id}", TagService.RemoveRequest.class),
                Arguments.of(
                        "DELETE", "vms/{id}/tags/{id}", AssignedTagService.RemoveRequest.class),
                Arguments.of(
                        "DELETE", "hosts/{id}/tags/{id}", AssignedTagService.RemoveRequest.class),
                Arguments.of("PUT", "vmpools/{id}", VmPoolService.UpdateRequest.class),
                Arguments.of("DELETE", "vmpools/{id}", VmPoolService.RemoveRequest.class),
                Arguments.of("DELETE", "events/{id}", EventService.RemoveRequest.class));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("requests")
    void everyParameterOfAQueryHasARule(String method, String path, Class<?> request) {
        Set<String> ruled = new TreeSet<>(QueryRules.OF_ANSWERS);
        QueryRules.ALL.stream()
                .filter(each -> each.method().equals(method) && each.path().equals(path))
                .forEach(each -> ruled.addAll(each.parameters().keySet()));
        Set<String> known =
                Arrays.stream(request.getDeclaredMethods())
                        .filter(each -> each.getParameterCount() == 1)
                        .filter(each -> each.getParameterTypes()[0] == Boolean.class)
                        .map(each -> snake(each.getName()))
                        .collect(Collectors.toSet());
        assertThat(ruled).containsAll(known);
    }
}
